import Formats

/// Work of a C library that cannot be stopped once it has begun, so that it must be known beforehand how long it may
/// take at most.
public struct UnstoppableStep: Sendable {
    /// How long it takes at most, on a processor of 2020 that other work uses too.
    public let seconds: Double

    /// Decoding a frame of a WebP. Noise takes 1 s for 16 megapixels, everything else less.
    static func decodingWebP(_ size: PixelSize) -> UnstoppableStep { UnstoppableStep(size, pixelsPerSecond: 5e6) }

    /// Decoding an AVIF or HEIC. Noise takes 1 s for some 8 megapixels.
    static func decodingHEIF(_ size: PixelSize) -> UnstoppableStep { UnstoppableStep(size, pixelsPerSecond: 3e6) }

    /// Decoding the frames of a JPEG XL up to the first shown frame. Noise takes 1 s for 16 megapixels in blocks, and for
    /// 24 million samples of modular pictures and extra channels (libjxl 0.7.0, 2026-11-25).
    static func decodingJPEGXL(_ picture: JPEGXLPicture) -> UnstoppableStep {
        let frames = picture.frames.map { frame in
            let channels = (frame.isModular ? 3 : 1) + picture.extraChannels
            return UnstoppableStep(frame.size, pixelsPerSecond: 6e6 / Double(channels))
        }
        return UnstoppableStep(seconds: frames.reduce(0) { $0 + $1.seconds })
    }

    /// Encoding a frame of an animated WebP, whole and as a difference. Noise takes 1 s for 3.3 megapixels.
    static func encodingWebPFrame(_ size: PixelSize) -> UnstoppableStep {
        UnstoppableStep(size, pixelsPerSecond: 1.5e6)
    }

    /// Filtering a PNG and compressing it at one of libdeflate's levels, of which those from 10 on look for the shortest
    /// parse. Noise with alpha takes 1 s for 10 megapixels, and for 1.5.
    static func compressingPNG(_ size: PixelSize, level: Int32) -> UnstoppableStep {
        UnstoppableStep(size, pixelsPerSecond: level < 10 ? 3e6 : 0.5e6)
    }

    /// Encoding an AVIF. Noise with alpha at the highest quality takes 1 s for 0.7 megapixels, photographs a third.
    static func encodingAVIF(_ size: PixelSize) -> UnstoppableStep { UnstoppableStep(size, pixelsPerSecond: 0.5e6) }

    private init(seconds: Double) { self.seconds = seconds }

    private init(_ size: PixelSize, pixelsPerSecond: Double) {
        seconds = size.pixels.map { Double($0) / pixelsPerSecond } ?? .infinity
    }
}
