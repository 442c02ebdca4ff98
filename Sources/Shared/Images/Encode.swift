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
        let finish = RowFinish(
            RowLayout(channels: pixels.channels), transform: nil, isPremultiplied: false,
            background: options.format == .jpeg ? options.background : nil, width: pixels.size.width)
        let writer = try rowWriter(
            options, size: pixels.size, channels: finish.channels, limits: limits, into: drain)
        let rowBytes = pixels.size.width * pixels.channels
        let row = AlignedBuffer(count: rowBytes)
        for y in 0..<pixels.size.height {
            pixels.bytes.withUnsafeBufferPointer {
                row.bytes.update(from: $0.baseAddress! + y * rowBytes, count: rowBytes)
            }
            try writer.write(finish.apply(row.bytes))
        }
        try writer.finish()
        return drain.count
    }
}
