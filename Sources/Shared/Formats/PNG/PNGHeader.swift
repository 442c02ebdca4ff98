/// The first chunk of a PNG, IHDR (PNG §11.2.1).
public struct PNGHeader: Sendable, Hashable {
    /// The file's first bytes (§5.2).
    public static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Both sides from 1 to 2^31 - 1.
    public let size: PixelSize
    /// Bits per sample.
    public let depth: Int
    public let colourType: UInt8
    /// Samples per pixel; 1 for a palette.
    public let channels: Int
    public let isInterlaced: Bool

    public var hasAlpha: Bool { colourType == 4 || colourType == 6 }

    /// Reads the 13 bytes of the chunk. Throws `FormatFailure.corrupt` for invalid values.
    public init(_ bytes: [UInt8]) throws(FormatFailure) {
        precondition(bytes.count == 13)
        let (width, height) = (ByteOrder.bigEndian.number(bytes[0..<4]), ByteOrder.bigEndian.number(bytes[4..<8]))
        guard width > 0, height > 0 else { throw .corrupt(.png, "a width or height of 0") }
        guard width <= Int32.max, height <= Int32.max else { throw .corrupt(.png, "a width or height over 2^31 - 1") }
        size = PixelSize(width: width, height: height)
        depth = Int(bytes[8])
        colourType = bytes[9]
        // Table 11.1.
        let depths: [Int]
        switch colourType {
        case 0: (channels, depths) = (1, [1, 2, 4, 8, 16])
        case 2: (channels, depths) = (3, [8, 16])
        case 3: (channels, depths) = (1, [1, 2, 4, 8])
        case 4: (channels, depths) = (2, [8, 16])
        case 6: (channels, depths) = (4, [8, 16])
        default: (channels, depths) = (0, [])
        }
        guard depths.contains(depth) else {
            throw .corrupt(.png, "colour type \(colourType) with a depth of \(depth) bits")
        }
        // Compression and filter method must be 0, interlace method 0 or 1.
        guard bytes[10] == 0, bytes[11] == 0, bytes[12] <= 1 else {
            throw .corrupt(.png, "an unknown compression, filter or interlace method")
        }
        isInterlaced = bytes[12] == 1
    }
}
