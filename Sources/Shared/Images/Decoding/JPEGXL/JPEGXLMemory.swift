import Formats

/// The memory that libjxl needs, in bytes per pixel, without the returned pixels.
///
/// Measured on 2026-11-25 with libjxl 0.7.0, on noisy clouds of 12 and 28 megapixels that were encoded by libjxl 0.7.0
/// or, for passes, by 0.10.1. Each figure is the difference between the peak resident memory (GNU time) for both sizes,
/// divided by 16 million pixels. Alpha is an extra channel.
///
/// | extra channels | 0 | 1 | 2 | 5 |
/// | --- | --- | --- | --- | --- |
/// | blocks | 2.4 to 2.7 | 29.5 | 39.7 | 70.3 |
/// | blocks, gray or 16 bits | 14.5 | 41.7 to 43.7 | 53.9 | |
/// | modular | 15.3 | 19.5 | 26.6 | 44.0 |
/// | modular, 16 bits | 18.4 | 24.5 | 34.6 | |
/// | added by noise | 2.1 | 18.9 | 18.9 | |
/// | added by noise, 16 bits | 14.3 | 29.0 | | |
/// | added by noise, modular | 34.2 | 40.3 | | |
/// | added by passes | 11.8 | 0 | | |
/// | added by a layer | 12 | 16 | | |
///
/// Modular pictures without a transform of the whole picture need up to 15 bytes per pixel less, but the header does
/// not tell whether a picture has such a transform.
enum JPEGXLMemory {
    /// Returns the peak memory of a decode in bytes, including the returned pixels.
    ///
    /// - Parameter channels: the number of channels that libjxl returns, each of `sampleBytes` bytes.
    static func bytes(_ picture: JPEGXLPicture, channels: Int, sampleBytes: Int) -> Int {
        let layers = picture.frames.dropLast().filter { $0.slot != nil }
        // libjxl converts a picture to 8-bit RGB or RGBA group by group, but to other layouts as a whole.
        let isDirect = channels >= 3 && sampleBytes == 1 && picture.frames.allSatisfy { $0.slot == nil }
        let extra = picture.extraChannels
        let decoding = picture.frames.map { frame in
            let peak = product(frame.canvas ?? frame.size, tenths(frame, extra: extra, isDirect: isDirect)) / 10
            return peak.adding(saturating: frame.sectionBytes.multiplied(saturating: 2))
        }
        // A layer is decoded while the layer that it replaces is still in memory.
        let count = Set(layers.map(\.slot)).count + 1
        let kept = layers.map { product($0.canvas ?? $0.size, 44 * (3 + extra)) / 10 }.sorted(by: >).prefix(count)
        let pixels = product(picture.size, channels * sampleBytes)
        return ([pixels, decoding.max() ?? 0] + kept).reduce(0) { $0.adding(saturating: $1) }
    }

    /// Returns the peak memory while a frame is decoded, in tenths of a byte per pixel: the measured values plus 10 %.
    private static func tenths(_ frame: JPEGXLPicture.Frame, extra: Int, isDirect: Bool) -> Int {
        let hasExtra = extra > 0
        let (plain, noise) =
            switch (frame.isModular, isDirect) {
            case (true, true): (153 + 62 * extra, 403)
            case (true, false): (190 + 78 * extra, 403)
            case (false, true): hasExtra ? (193 + 102 * extra, 189) : (27, 21)
            case (false, false): hasExtra ? (322 + 115 * extra, 290) : (146, 143)
            }
        return (plain + (frame.hasNoise ? noise : 0) + (frame.passes > 1 ? 118 : 0)) * 11 / 10
    }

    private static func product(_ size: PixelSize, _ perPixel: Int) -> Int {
        (size.pixels ?? .max).multiplied(saturating: perPixel)
    }
}
