import Formats

/// A picture in memory: 8 bits per sample, sRGB, straight alpha, rows packed from the top.
public struct PixelBuffer: Sendable, Hashable {
    public var size: PixelSize
    /// 1 gray, 2 gray and alpha, 3 RGB, 4 RGB and alpha.
    public var channels: Int
    /// `size.width * size.height * channels` samples.
    public var bytes: [UInt8]

    public init(size: PixelSize, channels: Int, bytes: [UInt8]) {
        precondition((1...4).contains(channels) && size.pixels.map { $0 * channels } == bytes.count)
        self.size = size
        self.channels = channels
        self.bytes = bytes
    }

    /// A uniform picture; `pixel` has a sample for each channel.
    public init(size: PixelSize, filledWith pixel: [UInt8]) {
        var bytes: [UInt8] = []
        let count = size.width * size.height
        bytes.reserveCapacity(count * pixel.count)
        for _ in 0..<count { bytes += pixel }
        self.init(size: size, channels: pixel.count, bytes: bytes)
    }

    public var hasAlpha: Bool { channels == 2 || channels == 4 }

    /// Rotates the picture upright from its stored orientation. O(pixels).
    public func upright(from orientation: Orientation) -> PixelBuffer {
        if orientation == .upright { return self }
        let target = orientation.swapsAxes ? size.swapped : size
        let map = StoredPosition(orientation: orientation, stored: size)
        let turned = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, initialized in
            bytes.withUnsafeBufferPointer { source in
                map.turn(from: source.baseAddress!, stride: size.width * channels, channels: channels) { offset in
                    buffer.baseAddress! + offset * channels
                }
            }
            initialized = bytes.count
        }
        return PixelBuffer(size: target, channels: channels, bytes: turned)
    }
}
