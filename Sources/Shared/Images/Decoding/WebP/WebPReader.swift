import CWebP
import Formats
import Support

extension ImageDecoder {
    static let webp = ImageDecoder(
        formats: [.webp],
        library: {
            let version = WebPGetDecoderVersion()
            return "libwebp \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)"
        }, rows: { source, info, _, options in try WebPReader(source, size: info.storedSize, options: options) },
        frames: { source, options in try WebPAnimationReader(source, options: options) })
}

extension UninterruptibleCost {
    /// The cost of decoding a frame of a WebP. Noise takes 1 s for 16 megapixels; all other pictures take less.
    static func decodingWebP(_ size: PixelSize) -> UninterruptibleCost {
        UninterruptibleCost(size, pixelsPerSecond: 5e6)
    }
}

/// Reads the rows of a still WebP, or of the first frame of an animation on its transparent canvas. libwebp first
/// decodes the whole frame, which needs memory for all pixels and for the file.
final class WebPReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    let profile: [UInt8]?
    private(set) var isTruncated = false
    private let memory: [MemoryReservation]
    private let pixels: AlignedBuffer
    private var position = 0

    /// The size of the pieces that libwebp reads. Decoding can be stopped between two pieces.
    private static let pieceBytes = 64 << 10

    /// - Parameter size: the size of the canvas.
    init(_ source: any ByteSource, size: PixelSize, options: DecodeOptions) throws {
        let options = options.begun()
        try options.limits.check(pixels: size)
        try options.check(before: .decodingWebP(size))
        var memory = [try options.reserve(memory: source is MemorySource ? 0 : source.count)]
        self.size = size
        let bytes = try Self.bytes(source, options)
        (layout, pixels, profile, isTruncated) = try bytes.withUnsafeBufferPointer { bytes in
            let container = try Container(bytes, canvas: size, allowsTruncated: options.allowsTruncated)
            let layout: RowLayout = container.covers && container.frame.has_alpha == 0 ? .rgb : .rgba
            memory.append(try options.reserve(memory: size, bytesPerPixel: layout.channels))
            // The working memory of libwebp, which it frees after the decode.
            memory.append(
                try options.reserve(
                    memory: options.limits.check(
                        memory: size, bytesPerPixel: WebPFile.decoderBytesPerPixel(container.frame))
                        + WebPFile.codeTableBytes(container.frame)))
            let stride = size.width * layout.channels
            // Zeroed, so that missing pixels and pixels outside the frame are transparent, or black in a picture
            // without alpha.
            let pixels = AlignedBuffer(count: stride * size.height)
            let isWhole = try Self.decode(
                container.frame, into: pixels, stride: stride,
                offset: Int(container.frame.y_offset) * stride + Int(container.frame.x_offset) * layout.channels,
                alpha: layout == .rgba, options)
            return (layout, pixels, container.profile, !isWhole)
        }
        memory.removeLast()
        self.memory = memory
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
        let rowBytes = size.width * layout.channels
        row.update(from: pixels.bytes + position, count: rowBytes)
        position += rowBytes
    }

    func finish() {}

    /// Reads all bytes of the source, in pieces.
    private static func bytes(_ source: any ByteSource, _ options: DecodeOptions) throws -> [UInt8] {
        if let memory = source as? MemorySource { return memory.bytes }
        return try [UInt8](unsafeUninitializedCapacity: source.count) { buffer, count in
            while count < buffer.count {
                try options.check()
                let rest = UnsafeMutableBufferPointer(rebasing: buffer[count...].prefix(1 << 20))
                let got = try source.read(into: UnsafeMutableRawBufferPointer(rest), at: count)
                if got == 0 { break }
                count += got
            }
        }
    }

    /// Decodes a frame. Returns whether the frame was complete. An incomplete frame is an error unless
    /// `options.allowsTruncated` is set.
    private static func decode(
        _ frame: WebPIterator, into pixels: AlignedBuffer, stride: Int, offset: Int, alpha: Bool,
        _ options: DecodeOptions
    ) throws -> Bool {
        guard stride <= Int32.max else { throw ImageError.unsupported(.webp, "rows of \(stride) bytes") }
        let decoder = WebPINewRGB(
            alpha ? MODE_RGBA : MODE_RGB, pixels.bytes + offset, pixels.count - offset, Int32(stride))
        guard let decoder else { throw ImageError.outOfMemory }
        defer { WebPIDelete(decoder) }
        let data = frame.fragment
        var given = 0
        var status = VP8_STATUS_SUSPENDED
        while status == VP8_STATUS_SUSPENDED && given < data.size {
            try options.check()
            given = min(given + pieceBytes, data.size)
            // The bytes must not move, because libwebp does not copy them.
            status = WebPIUpdate(decoder, data.bytes, given)
        }
        switch status {
        case VP8_STATUS_OK: return true
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED:
            guard options.allowsTruncated else { throw ImageError.truncated(.webp) }
            return false
        case VP8_STATUS_OUT_OF_MEMORY: throw ImageError.outOfMemory
        case VP8_STATUS_UNSUPPORTED_FEATURE: throw ImageError.unsupported(.webp, "a feature unknown to libwebp")
        default: throw ImageError.corrupt(.webp, "invalid pixel data")
        }
    }

    /// The parsed container, valid for the lifetime of the bytes.
    private final class Container {
        private(set) var frame = WebPIterator()
        let covers: Bool
        private let demuxer: OpaquePointer

        init(_ bytes: UnsafeBufferPointer<UInt8>, canvas: PixelSize, allowsTruncated: Bool) throws {
            var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
            var state = WEBP_DEMUX_PARSE_ERROR
            // A truncated file is parsed as far as possible.
            guard let demuxer = WebPDemuxInternal(&data, 1, &state, WEBP_DEMUX_ABI_VERSION) else {
                throw state == WEBP_DEMUX_PARSE_ERROR
                    ? ImageError.corrupt(.webp, "an invalid container") : ImageError.truncated(.webp)
            }
            self.demuxer = demuxer
            guard WebPDemuxGetFrame(demuxer, 1, &frame) != 0 else {
                covers = false
                throw state == WEBP_DEMUX_DONE ? ImageError.corrupt(.webp, "no frame") : ImageError.truncated(.webp)
            }
            let (width, height) = (Int(frame.width), Int(frame.height))
            covers = width == canvas.width && height == canvas.height
            guard frame.complete != 0 || allowsTruncated else { throw ImageError.truncated(.webp) }
            guard width > 0, height > 0, Int(frame.x_offset) + width <= canvas.width,
                Int(frame.y_offset) + height <= canvas.height
            else { throw ImageError.corrupt(.webp, "a frame outside the canvas") }
        }

        deinit {
            WebPDemuxReleaseIterator(&frame)
            WebPDemuxDelete(demuxer)
        }

        var profile: [UInt8]? { WebPFile.profile(demuxer) }
    }
}
