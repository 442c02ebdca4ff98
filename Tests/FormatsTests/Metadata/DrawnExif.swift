/// A TIFF structure built entry by entry.
struct DrawnExif {
    enum Value {
        case short(Int)
        case long(Int)
        case ascii(String)
        case raw(type: Int, [UInt8])
        /// A fraction: a numerator and a denominator of four bytes each.
        case rational([UInt8])
        /// The offset of a directory with these entries.
        case directory([(Int, Value)])
    }

    var isBigEndian = true
    var main: [(Int, Value)] = []
    /// A thumbnail in a second directory.
    var thumbnail: [UInt8]?
    /// Bytes after all directories.
    var tail: [UInt8] = []

    func number(_ value: Int, _ width: Int) -> [UInt8] {
        isBigEndian ? Tiny.bigEndian(value, width) : Tiny.littleEndian(value, width)
    }

    var bytes: [UInt8] {
        var bytes = (isBigEndian ? Array("MM\0*".utf8) : Array("II*\0".utf8)) + number(8, 4)
        append(main, next: nil, to: &bytes)
        if let thumbnail {
            let link = 8 + 2 + main.count * 12
            bytes.replaceSubrange(link..<link + 4, with: number(bytes.count, 4))
            let data = bytes.count + 2 + 24 + 4
            append([(0x0201, .long(data)), (0x0202, .long(thumbnail.count))], next: nil, to: &bytes)
            bytes += thumbnail
        }
        return bytes + tail
    }

    private func append(_ entries: [(Int, Value)], next: Int?, to bytes: inout [UInt8]) {
        let start = bytes.count
        var values = start + 2 + entries.count * 12 + 4
        var data: [UInt8] = []
        bytes += number(entries.count, 2)
        for (tag, value) in entries {
            bytes += number(tag, 2)
            func field(_ type: Int, _ count: Int, _ content: [UInt8]) {
                bytes += number(type, 2) + number(count, 4)
                if content.count <= 4 {
                    bytes += content + [UInt8](repeating: 0, count: 4 - content.count)
                } else {
                    bytes += number(values, 4)
                    data += content
                    values += content.count
                }
            }
            switch value {
            case .short(let value): field(3, 1, number(value, 2))
            case .long(let value): field(4, 1, number(value, 4))
            case .ascii(let text): field(2, text.utf8.count + 1, Array(text.utf8) + [0])
            case .raw(let type, let content): field(type, content.count, content)
            case .rational(let content): field(5, 1, content)
            case .directory(let entries):
                var inner = [UInt8](repeating: 0, count: values)
                append(entries, next: nil, to: &inner)
                bytes += number(4, 2) + number(1, 4) + number(values, 4)
                data += inner[values...]
                values = inner.count
            }
        }
        bytes += number(next ?? 0, 4) + data
    }
}
