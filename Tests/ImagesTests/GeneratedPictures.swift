import CKernels
import Formats
import Libc
import Support
import TestSupport
import Testing

@testable import Images

extension PixelBuffer {
    /// Soft waves, with a different direction for each channel, including alpha.
    static func waves(_ width: Int, _ height: Int, channels: Int) -> PixelBuffer {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * channels)
        for y in 0..<height {
            for x in 0..<width {
                let u = Double(x) / Double(width)
                let v = Double(y) / Double(height)
                for c in 0..<channels {
                    let phase = 5 * u * Double(c + 1) + 4 * v * Double(3 - c)
                    bytes.append(UInt8(127.5 + 100 * sin(phase + Double(c))))
                }
            }
        }
        return PixelBuffer(size: PixelSize(width: width, height: height), channels: channels, bytes: bytes)
    }

    /// An RGB picture with the colours that `colour` returns.
    static func drawn(_ width: Int, _ height: Int, _ colour: (_ x: Int, _ y: Int) -> [Int]) -> PixelBuffer {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 3)
        for y in 0..<height { for x in 0..<width { bytes += colour(x, y).map { UInt8($0) } } }
        return PixelBuffer(size: PixelSize(width: width, height: height), channels: 3, bytes: bytes)
    }

    /// Uniform noise from 0 to 255.
    static func noise(_ width: Int, _ height: Int, channels: Int, seed: UInt64 = 1) -> PixelBuffer {
        var random = SeededRandom(seed: seed)
        let bytes = (0..<width * height * channels).map { _ in UInt8.random(in: 0...255, using: &random) }
        return PixelBuffer(size: PixelSize(width: width, height: height), channels: channels, bytes: bytes)
    }

    func sample(_ x: Int, _ y: Int, _ channel: Int) -> UInt8 { bytes[(y * size.width + x) * channels + channel] }

    /// A JPEG of these pixels with the given chroma resolution.
    func jpeg(quality: Int = 95, chroma: ChromaSampling = .halved) throws -> [UInt8] {
        let sink = MemorySink()
        let writer = try JPEGPlaneWriter(
            size: size, isGray: channels == 1, coding: EncodeOptions(quality: quality).jpegCoding(chroma, size),
            metadata: PictureMetadata(), into: EncoderOutput(.jpeg, sink))
        let planes = planes(chroma)
        try writer.write(available: planes.map(\.count)) { UnsafePointer(planes[$0][$1].bytes) }
        try writer.finish()
        return sink.bytes
    }

    /// The rows of the gray plane, or of the YCbCr planes. Each chroma sample is the mean of its pixels.
    private func planes(_ chroma: ChromaSampling) -> [[AlignedBuffer]] {
        let rows = (0..<size.height).map { _ in (0..<3).map { _ in AlignedBuffer(count: size.width) } }
        for y in 0..<size.height {
            let pixels = Array(bytes[y * size.width * channels..<(y + 1) * size.width * channels])
            if channels == 1 {
                rows[y][0].bytes.update(from: pixels, count: size.width)
            } else {
                apod_rgb_to_ycc(pixels, rows[y][0].bytes, rows[y][1].bytes, rows[y][2].bytes, size.width)
            }
        }
        let reduced = chroma.chroma(of: size)
        return (0..<(channels == 1 ? 1 : 3)).map { plane in
            if plane == 0 { return rows.map { $0[0] } }
            return (0..<reduced.height).map { y in
                let row = AlignedBuffer(count: reduced.width)
                for x in 0..<reduced.width {
                    let cell = (y * chroma.down..<min((y + 1) * chroma.down, size.height)).flatMap { y in
                        (x * chroma.across..<min((x + 1) * chroma.across, size.width)).map {
                            Int(rows[y][plane].bytes[$0])
                        }
                    }
                    row.bytes[x] = UInt8((2 * cell.reduce(0, +) + cell.count) / (2 * cell.count))
                }
                return row
            }
        }
    }
}

/// The frame header of a JPEG (T.81, B.2.2): its marker code, 0xC0, or 0xC2 if it is progressive, and the sampling
/// factors of luma. Without halved chroma, all components have the same factors.
struct FrameHeader: Equatable {
    let code: UInt8
    let sampling: ChromaSampling

    /// Nil if there is no frame header before the first scan.
    init?(_ jpeg: [UInt8]) {
        var place = 2
        while place + 12 <= jpeg.count, jpeg[place] == 0xFF, jpeg[place + 1] != 0xDA {
            if [0xC0, 0xC1, 0xC2].contains(jpeg[place + 1]) {
                code = jpeg[place + 1]
                let factors = Int(jpeg[place + 11])
                sampling = ChromaSampling(across: factors >> 4, down: factors & 15)
                return
            }
            place += 2 + Int(jpeg[place + 2]) << 8 + Int(jpeg[place + 3])
        }
        return nil
    }
}

/// Fails like a full disk.
final class FullSink: ByteSink {
    func write(_ bytes: RawSpan) throws { throw SystemFailure(errno: ENOSPC, "write") }
}

extension OutputFormat {
    /// The formats that can be decoded without optional libraries.
    static let readable = allCases.filter { $0 != .avif }
}

/// Resamples by the definition of the Lanczos filter with three lobes, in double precision, as a reference.
func referenceLanczos(_ source: PixelBuffer, to target: PixelSize) -> PixelBuffer {
    func kernel(_ x: Double) -> Double {
        if abs(x) < 1e-9 { return 1 }
        if abs(x) >= 3 { return 0 }
        let p = Double.pi * x
        return 3 * sin(p) * sin(p / 3) / (p * p)
    }
    func resample(_ count: Int, _ wanted: Int, _ sample: (Int) -> Double) -> [Double] {
        let scale = Double(count) / Double(wanted)
        let stretch = max(scale, 1)
        return (0..<wanted).map { i in
            let centre = (Double(i) + 0.5) * scale
            let low = max(Int((centre - 3 * stretch).rounded(.down)), 0)
            let high = min(Int((centre + 3 * stretch).rounded(.up)), count)
            var sum = 0.0
            var total = 0.0
            for k in low..<high {
                let weight = kernel((Double(k) + 0.5 - centre) / stretch)
                sum += weight * sample(k)
                total += weight
            }
            return sum / total
        }
    }
    let (width, height, channels) = (source.size.width, source.size.height, source.channels)
    var output = [UInt8](repeating: 0, count: target.width * target.height * channels)
    for c in 0..<channels {
        var columns: [[Double]] = []
        for x in 0..<width { columns.append(resample(height, target.height) { Double(source.sample(x, $0, c)) }) }
        for y in 0..<target.height {
            let row = resample(width, target.width) { columns[$0][y] }
            for x in 0..<target.width {
                output[(y * target.width + x) * channels + c] = UInt8(max(0, min(255, row[x].rounded())))
            }
        }
    }
    return PixelBuffer(size: target, channels: channels, bytes: output)
}

/// Downsamples a picture to a single output, and returns its bytes.
func downsample(
    _ source: some ByteSource, to geometry: Geometry, encode encoding: EncodeOptions,
    options: DecodeOptions = DecodeOptions()
) throws -> (bytes: [UInt8], result: DownsampleResult) {
    let sink = MemorySink()
    var result: DownsampleResult?
    let output = Output(geometry, encoding: encoding, sink: sink)
    try downsample(source, inspect(source, limits: options.limits), to: [output], options: options) { result = $1 }
    return (sink.bytes, try #require(result))
}

/// Downsamples bytes in memory to exactly `size`.
func downsampled(_ bytes: [UInt8], to size: PixelSize, _ options: EncodeOptions) throws -> PixelBuffer {
    let (output, result) = try downsample(MemorySource(bytes), to: .exactly(size), encode: options)
    #expect(result.size == size)
    return try decode(MemorySource(output))
}

/// Returns the PSNR of a picture after encoding it as a JPEG of quality 100 with halved chroma. Misplaced chroma
/// samples would lower it much further.
func halvedChroma(_ picture: PixelBuffer) throws -> Double {
    psnr(try decode(MemorySource(picture.jpeg(quality: 100))).bytes, picture.bytes)
}
