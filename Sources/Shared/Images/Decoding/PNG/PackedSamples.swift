/// The samples of an unfiltered PNG row: 8-bit samples, or gray values or palette indices of up to 8 bits (PNG 1.2
/// §2.3).
struct PackedSamples {
    private let channels: Int
    private let depth: Int
    /// The gray value or RGBA colour of each sample; nil if the row needs no expansion.
    private let colours: [UInt32]?

    /// - Parameters:
    ///   - layout: of the expanded row.
    ///   - depth: bits per sample: 1, 2, 4 or 8.
    ///   - palette: 256 RGBA colours; nil if the samples are not indices.
    init(_ layout: RowLayout, depth: Int, palette: [UInt8]?) {
        channels = layout.channels
        self.depth = depth
        if let palette {
            colours = (0..<256).map { index in
                (0..<4).reduce(0) { $0 | UInt32(palette[index * 4 + $1]) << UInt32($1 * 8) }
            }
        } else if depth < 8 {
            let most = 1 << depth - 1
            colours = (0..<256).map { UInt32(min($0, most) * 255 / most) }
        } else {
            colours = nil
        }
    }

    func rowBytes(_ width: Int) -> Int { colours == nil ? width * channels : (width * depth + 7) / 8 }

    /// The distance in bytes between the samples that PNG's filters compare.
    var filterDistance: Int { colours == nil ? channels : 1 }

    /// Writes the row with 8 bits for each channel.
    func expand(_ row: UnsafePointer<UInt8>, into target: UnsafeMutablePointer<UInt8>, width: Int) {
        guard let colours else { return target.update(from: row, count: width * channels) }
        colours.withUnsafeBufferPointer { colours in
            if depth == 8 { return Self.write(width, channels, target) { colours[Int(row[$0])] } }
            let (perByte, mask) = (8 / depth, UInt8(1 << depth - 1))
            Self.write(width, channels, target) { x in
                let shift = UInt8(8 - depth * (x % perByte + 1))
                return colours[Int(row[x / perByte] >> shift & mask)]
            }
        }
    }

    @inline(__always) private static func write(
        _ width: Int, _ channels: Int, _ target: UnsafeMutablePointer<UInt8>, colour: (Int) -> UInt32
    ) {
        let bytes = UnsafeMutableRawPointer(target)
        switch channels {
        case 1: for x in 0..<width { target[x] = UInt8(truncatingIfNeeded: colour(x)) }
        case 3:
            // Each colour but the last also writes the first byte of the next.
            for x in 0..<width - 1 {
                bytes.storeBytes(of: colour(x).littleEndian, toByteOffset: x * 3, as: UInt32.self)
            }
            let last = colour(width - 1)
            for channel in 0..<3 {
                target[(width - 1) * 3 + channel] = UInt8(truncatingIfNeeded: last >> UInt32(channel * 8))
            }
        default:
            for x in 0..<width { bytes.storeBytes(of: colour(x).littleEndian, toByteOffset: x * 4, as: UInt32.self) }
        }
    }
}
