import CWebP
import Formats
import Support

/// Decodes a WebP with libwebpdemux. Needs memory for the file, two canvases, and libwebp's memory for a frame.
final class WebPAnimationReader: AnimationReader {
    /// Two RGBA canvases, and libwebp's memory for a frame of the same size.
    private static let bytesPerPixel = 8 + WebPFile.decoderBytesPerPixel
    let size: PixelSize
    let frameCount: Int
    let plays: Int
    let profile: [UInt8]?
    /// The decoder keeps a pointer to these bytes.
    private let bytes: AlignedBuffer
    /// The reservations for the file, for the canvases and a frame, and for code tables.
    private let memory: [MemoryReservation]
    private let decoder: OpaquePointer
    private let options: DecodeOptions
    private var index = 0
    /// The time at which the previous frame ends, in milliseconds.
    private var time: Int32 = 0

    init(_ source: some ByteSource, options: DecodeOptions) throws {
        try options.limits.check(bytes: source.count)
        let fileMemory = try options.reserve(memory: source.count)
        let (bytes, count) = try WebPFile.read(source, options)
        let length = try Self.length(
            of: bytes, count: count, source, allowsTruncated: options.allowsTruncated)
        var data = WebPData(bytes: bytes.bytes, size: length)
        let tableBytes: Int
        (size, frameCount, plays, profile, tableBytes) = try Self.facts(&data, options)
        memory = [
            fileMemory, try options.reserve(memory: size, bytesPerPixel: Self.bytesPerPixel),
            try options.reserve(memory: tableBytes),
        ]
        self.bytes = bytes
        self.options = options
        var decoding = WebPAnimDecoderOptions()
        guard WebPAnimDecoderOptionsInitInternal(&decoding, WEBP_DEMUX_ABI_VERSION) != 0 else {
            throw ImageError.unsupported(.webp, "libwebp has an incompatible version")
        }
        decoding.color_mode = MODE_RGBA
        guard let decoder = WebPAnimDecoderNewInternal(&data, &decoding, WEBP_DEMUX_ABI_VERSION) else {
            throw ImageError.outOfMemory
        }
        self.decoder = decoder
    }

    deinit { WebPAnimDecoderDelete(decoder) }

    /// Returns the number of bytes to decode. If the file is truncated and `allowsTruncated` is set, they end with the
    /// last complete frame, and the container size in `file` is corrected.
    private static func length(
        of file: AlignedBuffer, count: Int, _ source: some ByteSource, allowsTruncated: Bool
    ) throws -> Int {
        guard count >= 12 else { throw ImageError.truncated(.webp) }
        // The container size is at offset 4 and excludes the first 8 bytes.
        let size = Array(UnsafeBufferPointer(start: file.bytes + 4, count: 4))
        guard count - 8 < ByteOrder.littleEndian.number(size[...]), allowsTruncated else { return count }
        guard let end = try endOfWholeFrames(ofWebP: source) else { throw ImageError.truncated(.webp) }
        for place in 0..<4 { file.bytes[4 + place] = UInt8(truncatingIfNeeded: (end - 8) >> (place * 8)) }
        return min(end, count)
    }

    /// Reads the properties of the container, and checks them against the limits before a canvas is allocated.
    private static func facts(
        _ data: inout WebPData, _ options: DecodeOptions
    ) throws -> (PixelSize, frames: Int, plays: Int, profile: [UInt8]?, tableBytes: Int) {
        var state = WEBP_DEMUX_PARSE_ERROR
        guard let demuxer = WebPDemuxInternal(&data, 1, &state, WEBP_DEMUX_ABI_VERSION),
            state == WEBP_DEMUX_DONE
        else {
            throw state == WEBP_DEMUX_PARSE_ERROR ? WebPFile.invalidContainer : ImageError.truncated(.webp)
        }
        defer { WebPDemuxDelete(demuxer) }
        func number(_ feature: WebPFormatFeature) -> Int { Int(WebPDemuxGetI(demuxer, feature)) }
        let size = PixelSize(width: number(WEBP_FF_CANVAS_WIDTH), height: number(WEBP_FF_CANVAS_HEIGHT))
        let frames = number(WEBP_FF_FRAME_COUNT)
        guard size.width > 0, size.height > 0, frames > 0 else { throw ImageError.corrupt(.webp, "no frame") }
        try options.limits.check(pixels: size)
        try options.limits.check(frames: frames, of: size)
        try options.limits.check(memory: size, bytesPerPixel: bytesPerPixel)
        let flags = WebPFeatureFlags(UInt32(number(WEBP_FF_FORMAT_FLAGS)))
        let isAnimated = flags.rawValue & ANIMATION_FLAG.rawValue != 0
        // The maximum over all frames, because only one frame is decoded at a time.
        var tableBytes = 0
        var frame = WebPIterator()
        if WebPDemuxGetFrame(demuxer, 1, &frame) != 0 {
            repeat {
                tableBytes = max(tableBytes, WebPFile.codeTableBytes(frame))
            } while WebPDemuxNextFrame(&frame) != 0
            WebPDemuxReleaseIterator(&frame)
        }
        return (size, frames, isAnimated ? number(WEBP_FF_LOOP_COUNT) : 1, WebPFile.profile(demuxer), tableBytes)
    }

    func nextFrame() throws -> AnimationFrame? {
        guard index < frameCount else { return nil }
        try options.check(before: .decodingWebP(size))
        var canvas: UnsafeMutablePointer<UInt8>?
        var end: Int32 = 0
        guard WebPAnimDecoderGetNext(decoder, &canvas, &end) != 0, let canvas else {
            throw ImageError.corrupt(.webp, "invalid pixel data in frame \(index + 1)")
        }
        defer {
            index += 1
            time = end
        }
        return AnimationFrame(index: index, delay: Int(end) - Int(time), pixels: UnsafePointer(canvas))
    }
}
