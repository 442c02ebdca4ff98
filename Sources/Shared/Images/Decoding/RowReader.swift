import Formats

/// Decodes a picture row by row, from the top and in the stored orientation.
protocol RowReader: AnyObject {
    /// The number of decoded columns and rows.
    var size: PixelSize { get }
    /// The size of the whole picture in decoded pixels, fractional if the decoder scaled the picture.
    var extent: (width: Double, height: Double) { get }
    var layout: RowLayout { get }
    /// Bytes per sample: 1, or 2 for 16-bit samples in native byte order. Only rows with a `transform` have 16-bit
    /// samples.
    var sampleBytes: Int { get }
    /// The ICC profile of the rows. Nil if the rows are sRGB, or if only `transform` describes their colours.
    var profile: [UInt8]? { get }
    /// The conversion of the rows to sRGB; nil if the rows are sRGB. Each call may create a new object.
    var transform: ColourTransform? { get }
    /// Decodes the next row: `size.width * layout.channels` samples, with straight alpha.
    func readRow(into row: UnsafeMutablePointer<UInt8>) throws
    /// Reads the rest of the file. Throws if the file is incomplete.
    func finish() throws
    /// Whether the end of the picture is missing, which is an error unless `DecodeOptions.allowsTruncated` is set.
    /// Valid after `finish`.
    var isTruncated: Bool { get }
    /// Whether invalid data was skipped, which is an error unless `DecodeOptions.allowsDamage` is set. Valid after
    /// `finish`.
    var isDamaged: Bool { get }
}

extension RowReader {
    var isTruncated: Bool { false }
    var sampleBytes: Int { 1 }
    var isDamaged: Bool { false }
    var profile: [UInt8]? { nil }
    var transform: ColourTransform? { ColourTransform(profile: profile, layout: layout) }
    var extent: (width: Double, height: Double) { (Double(size.width), Double(size.height)) }

    /// Reads all rows, and returns them as an upright picture.
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
