import Formats
import Images
import Records
import Support
import TestSupport

/// Random pictures for a resampler, from photographs to very fine patterns.
enum RandomPicture {
    /// A picture of the given size: a sky, noise, a checkerboard, or a gradient.
    static func any(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> PixelBuffer {
        switch random.below(4) {
        case 0: PixelBuffer(.sky(width, height, seed: random.next()))
        case 1: PixelBuffer(.noise(width, height, channels: random.one(of: [1, 3]), seed: random.next()))
        case 2: PixelBuffer(.checkerboard(width, height, cell: random.number(1...9)))
        default: PixelBuffer(.gradient(width, height))
        }
    }

    /// Quickly makes a large picture from a few random rows, which are repeated. In some pictures the values of a row
    /// change slowly, in others at every pixel, so the amount of detail varies.
    static func rows(_ width: Int, _ height: Int, _ random: inout SeededRandom) -> PixelBuffer {
        let step = random.one(of: [3, 9, 40, 255])
        let rows = (0..<random.number(2...9)).map { _ -> [UInt8] in
            var value = random.below(256)
            return (0..<width).map { _ in
                value = min(max(value + random.number(-step...step), 0), 255)
                return UInt8(value)
            }
        }
        let thickness = random.number(1...40)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height)
        for y in 0..<height { bytes += rows[y / thickness % rows.count] }
        return PixelBuffer(size: PixelSize(width: width, height: height), channels: 1, bytes: bytes)
    }
}

extension PixelBuffer {
    /// A part of the picture, without scaling.
    func part(x: Int, y: Int, width: Int, height: Int) -> PixelBuffer {
        let bytes = (y..<y + height).flatMap { row -> ArraySlice<UInt8> in
            let start = (row * size.width + x) * channels
            return self.bytes[start..<start + width * channels]
        }
        return PixelBuffer(size: PixelSize(width: width, height: height), channels: channels, bytes: bytes)
    }

    /// The mean absolute difference of all samples at least `margin` pixels from the edges; 0 if there are none. Nil if
    /// the sizes or channels differ.
    func meanDifference(to other: PixelBuffer, margin: Int = 0) -> Double? {
        guard size == other.size, channels == other.channels else { return nil }
        let stride = size.width * channels
        let columns = margin * channels..<max(stride - margin * channels, margin * channels)
        var (sum, count) = (0, 0)
        bytes.withUnsafeBufferPointer { a in
            other.bytes.withUnsafeBufferPointer { b in
                for y in margin..<max(size.height - margin, margin) {
                    for index in columns {
                        sum += abs(Int(a[y * stride + index]) - Int(b[y * stride + index]))
                    }
                    count += columns.count
                }
            }
        }
        return count == 0 ? 0 : Double(sum) / Double(count)
    }

    /// The pixels as RGBA, with black in place of transparent colours. Two pictures can then be compared even if an
    /// encoder omitted channels.
    var withAllChannels: PixelBuffer {
        var all: [UInt8] = []
        for start in Swift.stride(from: 0, to: bytes.count, by: channels) {
            let alpha = hasAlpha ? bytes[start + channels - 1] : 255
            for sample in 0..<3 { all.append(alpha == 0 ? 0 : bytes[start + (channels < 3 ? 0 : sample)]) }
            all.append(alpha)
        }
        return PixelBuffer(size: size, channels: 4, bytes: all)
    }

    /// The mean difference between neighbouring samples, horizontally and vertically. Blurring reduces it. Only some
    /// rows of a large picture are compared.
    var detail: Double {
        let stride = size.width * channels
        let step = max(1, size.width * size.height / 40_000)
        var across = (sum: 0, count: 0)
        var down = (sum: 0, count: 0)
        bytes.withUnsafeBufferPointer { samples in
            for y in Swift.stride(from: 0, to: size.height, by: step) {
                let row = y * stride
                for index in row..<max(row + stride - channels, row) {
                    across.sum += abs(Int(samples[index]) - Int(samples[index + channels]))
                }
                across.count += stride - channels
                guard y + 1 < size.height else { continue }
                for index in row..<row + stride {
                    down.sum += abs(Int(samples[index]) - Int(samples[index + stride]))
                }
                down.count += stride
            }
        }
        return Double(across.sum) / Double(max(across.count, 1)) + Double(down.sum) / Double(max(down.count, 1))
    }

    /// Whether a row in the middle half of the picture contains several colours.
    var hasContent: Bool {
        let stride = size.width * channels
        return (size.height / 4..<max(size.height * 3 / 4, 1)).contains { y in
            let row = bytes[y * stride..<(y + 1) * stride]
            return !row.dropFirst(channels).elementsEqual(row.dropLast(channels))
        }
    }

    /// Downsamples with a box filter: each pixel is the mean of the pixels that it covers.
    func boxes(_ target: PixelSize) -> PixelBuffer {
        let columns = (0..<target.width).map { $0 * size.width / target.width }
        let rows = (0..<target.height).map { $0 * size.height / target.height }
        var result: [UInt8] = []
        result.reserveCapacity(target.width * target.height * channels)
        bytes.withUnsafeBufferPointer { samples in
            for (row, top) in rows.enumerated() {
                let bottom = max(row + 1 < rows.count ? rows[row + 1] : size.height, top + 1)
                for (column, left) in columns.enumerated() {
                    let right = max(column + 1 < columns.count ? columns[column + 1] : size.width, left + 1)
                    for channel in 0..<channels {
                        var sum = 0
                        for y in top..<bottom {
                            for x in left..<right { sum += Int(samples[(y * size.width + x) * channels + channel]) }
                        }
                        result.append(UInt8(sum / ((bottom - top) * (right - left))))
                    }
                }
            }
        }
        return PixelBuffer(size: target, channels: channels, bytes: result)
    }
}
