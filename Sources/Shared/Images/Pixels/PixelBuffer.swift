import CKernels
import Formats

/// A picture in memory: 8 bits per sample, sRGB, straight alpha, rows from the top without gaps.
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

    /// Creates a uniform picture. `pixel` has a sample for each channel.
    public init(size: PixelSize, filledWith pixel: [UInt8]) {
        var bytes: [UInt8] = []
        let count = size.width * size.height
        bytes.reserveCapacity(count * pixel.count)
        for _ in 0..<count { bytes += pixel }
        self.init(size: size, channels: pixel.count, bytes: bytes)
    }

    public var hasAlpha: Bool { channels == 2 || channels == 4 }

    /// The picture with 4 channels.
    var rgba: PixelBuffer {
        if channels == 4 { return self }
        var four: [UInt8] = []
        four.reserveCapacity(bytes.count / channels * 4)
        for pixel in stride(from: 0, to: bytes.count, by: channels) {
            let isGray = channels < 3
            four += [bytes[pixel], bytes[pixel + (isGray ? 0 : 1)], bytes[pixel + (isGray ? 0 : 2)]]
            four.append(channels == 2 ? bytes[pixel + 1] : 255)
        }
        return PixelBuffer(size: size, channels: 4, bytes: four)
    }

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

    /// Returns a copy for analysis, at most `side` pixels wide and high, or the picture itself if it is small enough.
    /// Each pixel is the mean of a square box; alpha does not weight the colours. O(pixels).
    func averaged(atMost side: Int) -> PixelBuffer {
        let factor = (max(size.width, size.height) + side - 1) / side
        guard factor > 1 else { return self }
        let small = PixelSize(width: (size.width + factor - 1) / factor, height: (size.height + factor - 1) / factor)
        let samples = small.width * channels
        var sums = [UInt32](repeating: 0, count: samples)
        let means = [UInt8](unsafeUninitializedCapacity: samples * small.height) { means, initialized in
            bytes.withUnsafeBufferPointer { rows in
                for y in 0..<size.height {
                    let row = rows.baseAddress! + y * size.width * channels
                    apod_box_add(row, channels, size.width, factor, &sums)
                    let rowsOfBox = y % factor + 1
                    guard rowsOfBox == factor || y == size.height - 1 else { continue }
                    let target = means.baseAddress! + y / factor * samples
                    apod_box_divide(&sums, channels, size.width, factor, rowsOfBox, target)
                }
            }
            initialized = samples * small.height
        }
        return PixelBuffer(size: small, channels: channels, bytes: means)
    }
}
