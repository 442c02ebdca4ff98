import Formats

/// A picture that is decoded row by row, from the top, in the stored orientation.
protocol RowReader: AnyObject {
    /// Rows and columns that come.
    var size: PixelSize { get }
    /// The picture's size in those pixels, which is not whole if the decoder made it smaller.
    var extent: (width: Double, height: Double) { get }
    var layout: RowLayout { get }
    /// Bytes of a sample: 1, or 2 for those of 16 bits in the machine's byte order, which only come if they are to be
    /// converted.
    var sampleBytes: Int { get }
    /// The embedded colour profile that the rows are in; nil for sRGB, or if they can only be converted.
    var profile: [UInt8]? { get }
    /// From the rows, as they come, to sRGB; nil if they are that already. May be made anew by each call.
    var transform: ColourTransform? { get }
    /// Decodes the next row: `size.width * layout.channels` samples, alpha straight.
    func readRow(into row: UnsafeMutablePointer<UInt8>) throws
    /// Reads what follows the last row, so that a picture that was broken off there is refused as well.
    func finish() throws
    /// Whether the picture's end was missing, which only `DecodeOptions.allowsTruncated` lets pass; known once `finish`
    /// has been called.
    var isTruncated: Bool { get }
    /// Whether some of its data makes no sense, which only `DecodeOptions.allowsDamage` lets pass; known at the same
    /// time.
    var isDamaged: Bool { get }
}

extension RowReader {
    var isTruncated: Bool { false }
    var sampleBytes: Int { 1 }
    var isDamaged: Bool { false }
    var profile: [UInt8]? { nil }
    var transform: ColourTransform? { ColourTransform(profile: profile, layout: layout) }
    var extent: (width: Double, height: Double) { (Double(size.width), Double(size.height)) }

    /// Reads all rows, and turns them upright.
    func pixels(orientation: Orientation, options: DecodeOptions) throws -> PixelBuffer {
        let channels = layout.channels
        try options.limits.check(memory: size, bytesPerPixel: channels)
        let rowBytes = size.width * channels
        let bytes = try [UInt8](unsafeUninitializedCapacity: rowBytes * size.height) { buffer, initialized in
            for y in 0..<size.height {
                if y % 64 == 0 { try options.interruption.check() }
                try readRow(into: buffer.baseAddress! + y * rowBytes)
            }
            initialized = rowBytes * size.height
        }
        try finish()
        return PixelBuffer(size: size, channels: channels, bytes: bytes).upright(from: orientation)
    }
}
