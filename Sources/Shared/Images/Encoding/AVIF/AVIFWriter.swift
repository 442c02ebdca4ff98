import CAVIF
import Formats

extension UninterruptibleCost {
    /// The cost of encoding an AVIF. Noise with alpha at the highest quality takes 1 s for 0.7 megapixels; photographs
    /// take a third of the time.
    static func encodingAVIF(_ size: PixelSize) -> UninterruptibleCost {
        UninterruptibleCost(size, pixelsPerSecond: 0.5e6)
    }
}

/// Encodes rows of 1 to 4 channels as a lossy AVIF with libavif, which is loaded on first use. Collects the rows,
/// because libavif needs the whole picture. A single thread makes the output deterministic.
final class AVIFWriter: RowWriter {
    private let size: PixelSize
    private let channels: Int
    private let options: EncodeOptions
    private let drain: EncoderOutput
    private var pixels: [UInt8] = []

    /// Throws `ImageError.codecMissing` if libavif cannot be used.
    init(size: PixelSize, channels: Int, options: EncodeOptions, into drain: EncoderOutput) throws {
        if let fault = cavif_load() { throw ImageError.codecMissing(.avif, String(cString: fault)) }
        // Checks the time limit now, so that a picture that would exceed it fails before it is decoded.
        try drain.checkpoint(.encodingAVIF(size))
        self.size = size
        self.channels = channels
        self.options = options
        self.drain = drain
        pixels.reserveCapacity(size.width * size.height * 4)
    }

    func write(_ row: UnsafePointer<UInt8>) {
        let isGray = channels < 3
        for x in 0..<size.width {
            let sample = row + x * channels
            pixels.append(sample[0])
            pixels.append(sample[isGray ? 0 : 1])
            pixels.append(sample[isGray ? 0 : 2])
            pixels.append(channels % 2 == 0 ? sample[channels - 1] : 255)
        }
    }

    func finish() throws {
        try drain.checkpoint(.encodingAVIF(size))
        var file = cavif_file()
        let status = pixels.withUnsafeBufferPointer { pixels in
            let halvesChroma = !options.keepsChroma(pixels.baseAddress!, channels: 4, size: size)
            return options.metadata.withPointers(isGray: false) { profile, exif, xmp in
                func data(_ bytes: UnsafeBufferPointer<UInt8>) -> cavif_data {
                    cavif_data(bytes: bytes.baseAddress, count: bytes.count)
                }
                var picture = cavif_picture(
                    pixels: pixels.baseAddress!, width: UInt32(size.width), height: UInt32(size.height),
                    has_alpha: channels % 2 == 0 ? 1 : 0, halves_chroma: halvesChroma ? 1 : 0,
                    quantizer: Int32(Self.quantizer(options.quality)),
                    speed: Self.speed, profile: data(profile), exif: data(exif), xmp: data(xmp))
                return cavif_encode(&picture, &file)
            }
        }
        pixels = []
        defer { cavif_free(&file) }
        // A cancelled picture is not written.
        try drain.checkpoint(nil)
        switch status {
        case CAVIF_OK: try drain.write(UnsafeRawBufferPointer(start: file.bytes, count: file.count).bytes)
        case CAVIF_NO_MEMORY: throw ImageError.outOfMemory
        default:
            let message = withUnsafeBytes(of: &file.message) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            throw ImageError.encoder(.avif, message)
        }
    }

    /// libavif's speed setting, 0 (slowest) to 10. At a picture width of 500 pixels, 6 takes 0.1 to 0.25 s. 7 and 8
    /// take at most half as long, and lose 0.5 and 0.9 dB at the same file size (measured with the pictures of
    /// `quantizers`).
    private static let speed: Int32 = 6

    /// Pairs of a JPEG quality and the AV1 quantiser with the same visual quality, measured by SSIMULACRA2 over ten
    /// pictures at 640 pixels, for qualities from 50 to 95.
    private static let quantizers = [
        (1, 63), (30, 38), (50, 32), (60, 30), (70, 27), (82, 21), (90, 14), (95, 7), (100, 0),
    ]

    /// Returns the quantiser (0 to 63) for a quality (1 to 100), interpolated linearly.
    static func quantizer(_ quality: Int) -> Int {
        let quality = min(max(quality, 1), 100)
        let above = quantizers.firstIndex { $0.0 >= quality }!
        let (highQuality, high) = quantizers[above]
        guard above > 0 else { return high }
        let (lowQuality, low) = quantizers[above - 1]
        return low - (quality - lowQuality) * (low - high) / (highQuality - lowQuality)
    }
}
