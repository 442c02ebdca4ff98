extension JSONBytes {
    /// Appends `bytes` to `result`, indented by two spaces per level.
    static func indent(_ bytes: [UInt8], into result: inout [UInt8]) {
        var depth = 0
        func newLine(_ result: inout [UInt8]) {
            result.append(UInt8(ascii: "\n"))
            result.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
        }
        let all = bytes[...]
        var i = 0
        while i < bytes.count {
            let byte = bytes[i]
            switch byte {
            case UInt8(ascii: "\""):
                let end = end(ofValueAt: i, in: all)
                result += bytes[i..<end]
                i = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                let next = skipWhitespace(all, i + 1)
                result.append(byte)
                if next < bytes.count, bytes[next] == byte + 2 {
                    result.append(bytes[next])
                    i = next
                } else {
                    depth += 1
                    newLine(&result)
                }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth = max(0, depth - 1)
                newLine(&result)
                result.append(byte)
            case UInt8(ascii: ","):
                result.append(byte)
                newLine(&result)
            case UInt8(ascii: ":"):
                result.append(byte)
                result.append(UInt8(ascii: " "))
            case 0x20, 0x09, 0x0A, 0x0D: break
            default: result.append(byte)
            }
            i += 1
        }
    }

    /// Removes each run of white space between tokens that contains a line break.
    static func withoutLineBreaks(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var i = bytes.startIndex
        while i < bytes.endIndex {
            let byte = bytes[i]
            if byte == UInt8(ascii: "\"") {
                let end = end(ofValueAt: i, in: bytes)
                result += bytes[i..<end]
                i = end
            } else if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
                let end = skipWhitespace(bytes, i)
                let run = bytes[i..<end]
                if !run.contains(0x0A), !run.contains(0x0D) { result += run }
                i = end
            } else {
                result.append(byte)
                i += 1
            }
        }
        return result
    }
}
