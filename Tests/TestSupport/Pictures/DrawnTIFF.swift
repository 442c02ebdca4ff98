/// A TIFF encoder (TIFF 6.0 and BigTIFF) with control over all features that a decoder must handle.
public struct DrawnTIFF: Sendable {
    public enum Compression: Int, Sendable, CaseIterable {
        case none = 1
        case deflate = 8
        case packBits = 32_773
    }

    public var width: Int
    public var height: Int
    /// The samples of all pixels, row by row: colours or palette indices.
    public var samples: [UInt16]
    public var samplesPerPixel: Int
    public var bits = 8
    /// PhotometricInterpretation: 0 gray with 0 as white, 1 gray with 0 as black, 2 RGB, 3 palette, 5 CMYK.
    public var photometric = 1
    public var compression = Compression.none
    /// Whether a sample is stored as the difference to the sample on its left (TIFF 6.0 §14).
    public var isPredicted = false
    /// Whether each channel has separate strips or tiles.
    public var isSeparate = false
    public var rowsPerStrip = 3
    /// The size of tiles, in multiples of 16; nil for strips.
    public var tile: (width: Int, height: Int)?
    public var isBigEndian = false
    public var isBig = false
    /// Further tags with 16-bit values, such as orientation, palette or extra samples.
    public var shorts: [Int: [UInt16]] = [:]
    /// The ICC profile.
    public var profile: [UInt8] = []

    public init(width: Int, height: Int, samplesPerPixel: Int, samples: [UInt16]) {
        precondition(samples.count == width * height * samplesPerPixel, "samples must fit the size")
        self.width = width
        self.height = height
        self.samplesPerPixel = samplesPerPixel
        self.samples = samples
    }

    public func tiff() -> [UInt8] { Self.tiff([self]) }

    /// Returns a file with several pages. The first page determines byte order and format (BigTIFF or not).
    public static func tiff(_ pages: [DrawnTIFF]) -> [UInt8] {
        let first = pages[0]
        func number(_ value: Int, _ width: Int) -> [UInt8] { first.number(value, width) }
        let word = first.isBig ? 8 : 4
        var bytes: [UInt8] = first.isBigEndian ? [0x4D, 0x4D] : [0x49, 0x49]
        bytes += first.isBig ? number(43, 2) + number(8, 2) + number(0, 2) : number(42, 2)
        // The position of the offset of the next directory.
        var link = bytes.count
        bytes += number(0, word)
        for page in pages {
            var entries = page.entries
            let data = page.data
            var offsets: [Int] = []
            for piece in data {
                offsets.append(bytes.count)
                bytes += piece
                if bytes.count % 2 == 1 { bytes.append(0) }
            }
            entries[page.tile == nil ? 273 : 324] = (4, offsets)
            entries[page.tile == nil ? 279 : 325] = (4, data.map(\.count))
            if !page.profile.isEmpty { entries[34_675] = (7, page.profile.map(Int.init)) }
            var directory: [UInt8] = number(entries.count, first.isBig ? 8 : 2)
            for (tag, entry) in entries.sorted(by: { $0.key < $1.key }) {
                let width = [3: 2, 4: 4, 7: 1][entry.kind]!
                var values = entry.values.flatMap { number($0, width) }
                if values.count > word {
                    let place = bytes.count
                    bytes += values + (values.count % 2 == 1 ? [0] : [])
                    values = number(place, word)
                }
                directory += number(tag, 2) + number(entry.kind, 2) + number(entry.values.count, word)
                directory += values + [UInt8](repeating: 0, count: word - values.count)
            }
            bytes.replaceSubrange(link..<link + word, with: number(bytes.count, word))
            bytes += directory
            link = bytes.count
            bytes += number(0, word)
        }
        return bytes
    }

    private func number(_ value: Int, _ width: Int) -> [UInt8] {
        let little = (0..<width).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        return isBigEndian ? little.reversed() : little
    }

    private var entries: [Int: (kind: Int, values: [Int])] {
        var entries: [Int: (kind: Int, values: [Int])] = [
            256: (4, [width]), 257: (4, [height]), 258: (3, .init(repeating: bits, count: samplesPerPixel)),
            259: (3, [compression.rawValue]), 262: (3, [photometric]), 277: (3, [samplesPerPixel]),
            284: (3, [isSeparate ? 2 : 1]), 317: (3, [isPredicted ? 2 : 1]),
        ]
        if let tile {
            entries[322] = (4, [tile.width])
            entries[323] = (4, [tile.height])
        } else {
            entries[278] = (4, [rowsPerStrip])
        }
        for (tag, values) in shorts { entries[tag] = (3, values.map(Int.init)) }
        return entries
    }

    /// The compressed strips or tiles.
    private var data: [[UInt8]] {
        var pieces: [[UInt8]] = []
        let size = tile ?? (width, rowsPerStrip)
        for plane in isSeparate ? Array(0..<samplesPerPixel).map({ [$0] }) : [Array(0..<samplesPerPixel)] {
            for top in stride(from: 0, to: height, by: size.height) {
                for left in stride(from: 0, to: width, by: size.width) {
                    let bottom = tile == nil ? min(top + size.height, height) : top + size.height
                    pieces.append(packed((top..<bottom).map { row($0, left..<left + size.width, plane) }))
                }
            }
        }
        return pieces
    }

    /// Returns the bytes of a part of a row, with zeros outside the picture.
    private func row(_ y: Int, _ columns: Range<Int>, _ plane: [Int]) -> [UInt8] {
        var values = columns.flatMap { x in
            plane.map { y < height && x < width ? Int(samples[(y * width + x) * samplesPerPixel + $0]) : 0 }
        }
        if isPredicted {
            for index in values.indices.reversed() where index >= plane.count {
                values[index] = (values[index] - values[index - plane.count]) & (1 << bits - 1)
            }
        }
        guard bits < 8 else { return values.flatMap { number($0, bits / 8) } }
        let each = 8 / bits
        return stride(from: 0, to: values.count, by: each).map { start in
            UInt8(
                (0..<each).reduce(0) {
                    $0 << bits | (start + $1 < values.count ? values[start + $1] : 0)
                })
        }
    }

    private func packed(_ rows: [[UInt8]]) -> [UInt8] {
        switch compression {
        case .none: return rows.flatMap { $0 }
        case .deflate: return Deflate.zlib(rows.flatMap { $0 })
        case .packBits:
            // Literal runs of at most 128 bytes (§9).
            return rows.flatMap { row in
                stride(from: 0, to: row.count, by: 128).flatMap { start in
                    let run = row[start..<min(start + 128, row.count)]
                    return [UInt8(run.count - 1)] + run
                }
            }
        }
    }
}
