import Formats
import Support

/// Encodes RGB or RGBA frames of equal size as an animation, with a `delay` in milliseconds. Throws `ImageError`, also
/// if the format does not support animations.
///
/// - Parameter plays: the number of plays; 0 is infinite.
public func encodeAnimation(
    _ frames: [PixelBuffer], delay: Int, plays: Int = 0, _ options: EncodeOptions
) throws -> [UInt8] {
    precondition(!frames.isEmpty && frames.allSatisfy { $0.size == frames[0].size && $0.channels >= 3 })
    let sink = MemorySink()
    let drain = ByteDrain(options.format, sink)
    let writer = try animationWriter(
        options, size: frames[0].size, plays: plays, limits: .standard, interruption: Interruption(), into: drain)
    for frame in frames {
        try frame.withAlpha.withUnsafeBufferPointer { try writer.write($0.baseAddress!, delay: delay) }
    }
    try writer.finish()
    return sink.bytes
}

extension PixelBuffer {
    /// RGBA samples.
    fileprivate var withAlpha: [UInt8] {
        if channels == 4 { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count / 3 * 4)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            result += bytes[start..<start + 3]
            result.append(255)
        }
        return result
    }
}
