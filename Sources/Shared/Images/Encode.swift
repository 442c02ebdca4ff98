import Formats

/// Encodes a picture. Transparent pixels are laid on `options.background` where the format has no alpha.
/// Throws `ImageError`.
public func encode(_ pixels: PixelBuffer, _ options: EncodeOptions) throws -> [UInt8] {
    var bytes: [UInt8] = []
    try encode(pixels, options, limits: .standard) { bytes.append(contentsOf: $0) }
    return bytes
}

/// Encodes a picture into a sink that takes the bytes piece by piece; gives how many they were.
@discardableResult
func encode(
    _ pixels: PixelBuffer, _ options: EncodeOptions, limits: DecodeLimits,
    into sink: (UnsafeRawBufferPointer) throws -> Void
) throws -> Int {
    try withoutActuallyEscaping(sink) { sink in
        let drain = ByteDrain(options.format, sink)
        let looks = RowLooks(
            channels: pixels.channels, size: pixels.size, gradient: .none, cornerRadius: 0,
            background: options.format.hasAlpha ? nil : options.background)
        let writer = try rowWriter(options, size: pixels.size, channels: looks.channels, limits: limits, into: drain)
        let rowBytes = pixels.size.width * pixels.channels
        let row = AlignedBuffer(count: rowBytes)
        for y in 0..<pixels.size.height {
            pixels.bytes.withUnsafeBufferPointer {
                row.bytes.update(from: $0.baseAddress! + y * rowBytes, count: rowBytes)
            }
            try writer.write(looks.apply(row.bytes, y))
        }
        try writer.finish()
        return drain.count
    }
}
