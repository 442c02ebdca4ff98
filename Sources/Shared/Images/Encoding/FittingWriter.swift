import Formats
import Support

/// Encodes a picture with the highest quality, up to the requested quality, that fits the byte limit.
///
/// Collects the rows, and encodes the picture about seven times.
final class FittingWriter: RowWriter {
    private var encoding: EncodeOptions
    private let byteLimit: Int
    private let size: PixelSize
    private let channels: Int
    private let drain: EncoderOutput
    private var pixels: [UInt8] = []

    init(_ encoding: EncodeOptions, byteLimit: Int, size: PixelSize, channels: Int, into drain: EncoderOutput) {
        self.encoding = encoding
        self.encoding.losesAlpha = true
        self.byteLimit = byteLimit
        self.size = size
        self.channels = channels
        self.drain = drain
        pixels.reserveCapacity(size.width * size.height * channels)
    }

    func write(_ row: UnsafePointer<UInt8>) {
        pixels.append(contentsOf: UnsafeBufferPointer(start: row, count: size.width * channels))
    }

    func finish() throws {
        let bytes = try fitted(encoding, byteLimit: byteLimit, encode)
        try drain.write(bytes.span.bytes)
    }

    private func encode(_ encoding: EncodeOptions) throws -> [UInt8] {
        let sink = MemorySink()
        try drain.checkpoint(nil)
        let writer = try rowWriter(encoding, size: size, channels: channels, into: drain.redirected(to: sink))
        try pixels.withUnsafeBufferPointer { pixels in
            for y in 0..<size.height { try writer.write(pixels.baseAddress! + y * size.width * channels) }
        }
        try writer.finish()
        return sink.bytes
    }
}

/// Returns the result of `encode` at the highest quality, up to the quality of `encoding`, that fits `byteLimit`. Calls
/// `encode` about seven times. Throws `ImageError.doesNotFit`, and the errors of `encode`.
func fitted(_ encoding: EncodeOptions, byteLimit: Int, _ encode: (EncodeOptions) throws -> [UInt8]) throws -> [UInt8] {
    // A binary search, because the size almost always grows with the quality.
    var best: [UInt8]?
    var smallest = Int.max
    var attempt = encoding
    var (low, high) = (1, encoding.format.hasQuality || encoding.toleratesLoss ? encoding.quality : 1)
    attempt.quality = high
    while low <= high {
        let bytes = try encode(attempt)
        smallest = min(smallest, bytes.count)
        if bytes.count <= byteLimit {
            best = bytes
            low = attempt.quality + 1
        } else {
            high = attempt.quality - 1
        }
        attempt.quality = (low + high) / 2
    }
    guard let best else { throw ImageError.doesNotFit(encoding.format, bytes: smallest, limit: byteLimit) }
    return best
}
