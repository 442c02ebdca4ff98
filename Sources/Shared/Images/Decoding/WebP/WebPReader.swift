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

/// Reads the rows of a still WebP, or of the first frame of an animation on its transparent canvas. Decodes as far as the
/// next row, but needs memory for all pixels and for the file.
final class WebPReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    let profile: [UInt8]?
    private(set) var isTruncated = false
    private let options: DecodeOptions
    private let file: AlignedBuffer
    private let container: Container
    private let pixels: AlignedBuffer
    private let config: UnsafeMutablePointer<WebPDecoderConfig>
    /// Nil after the decode.
    private var decoder: OpaquePointer?
    private let memory: [MemoryReservation]
    /// For the working memory of libwebp, which it frees after the decode.
    private var decoderMemory: MemoryReservation?
    /// The number of bytes of the frame that libwebp has received.
    private var given = 0
    private var status = VP8_STATUS_SUSPENDED
    private var decodedRows = 0
    private var nextRow = 0

    /// The size of the pieces that libwebp reads. Decoding can be stopped between two pieces.
    private static let pieceBytes = 64 << 10
    /// The smallest width at which libwebp uses a thread.
    private static let threadWidth = 512

    /// - Parameter size: the size of the canvas.
    init(_ source: any ByteSource, size: PixelSize, options: DecodeOptions) throws {
        let options = options.begun()
        try options.limits.check(pixels: size)
        try options.check(before: .decodingWebP(size))
        let fileMemory = try options.reserve(memory: source.count)
        let count: Int
        (file, count) = try WebPFile.read(source, options)
        container = try Container(
            file.bytes, count: count, canvas: size, allowsTruncated: options.allowsTruncated)
        profile = container.profile
        let frame = container.frame
        layout = container.covers && frame.has_alpha == 0 ? .rgb : .rgba
        memory = [fileMemory, try options.reserve(memory: size, bytesPerPixel: layout.channels)]
        decoderMemory = try options.reserve(
            memory: options.limits.check(memory: size, bytesPerPixel: WebPFile.decoderBytesPerPixel(frame))
                + WebPFile.codeTableBytes(frame))
        self.size = size
        self.options = options
        let stride = size.width * layout.channels
        guard stride <= Int32.max else { throw ImageError.unsupported(.webp, "rows of \(stride) bytes") }
        // Zeroed, so that missing pixels and pixels outside the frame are transparent, or black in a picture without
        // alpha.
        pixels = AlignedBuffer(count: stride * size.height)
        let offset = Int(frame.y_offset) * stride + Int(frame.x_offset) * layout.channels
        // libwebp refers to the configuration until the decoder is deleted.
        config = .allocate(capacity: 1)
        config.initialize(to: WebPDecoderConfig())
        if WebPInitDecoderConfigInternal(config, WEBP_DECODER_ABI_VERSION) != 0 {
            config.pointee.output.colorspace = layout == .rgba ? MODE_RGBA : MODE_RGB
            config.pointee.output.is_external_memory = 1
            config.pointee.output.u.RGBA = WebPRGBABuffer(
                rgba: pixels.bytes + offset, stride: Int32(stride), size: pixels.count - offset)
            // On the thread, libwebp filters and converts the rows that it has decoded.
            if frame.width >= Self.threadWidth, WebPFile.isLossy(frame), options.spareThreads.take() {
                config.pointee.options.use_threads = 1
            }
            decoder = WebPIDecode(nil, 0, config)
        }
        if decoder == nil { throw ImageError.outOfMemory }
    }

    deinit {
        end()
        config.deallocate()
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        let frameRow = nextRow - Int(container.frame.y_offset)
        if 0..<Int(container.frame.height) ~= frameRow { try decode(upTo: frameRow) }
        let rowBytes = size.width * layout.channels
        row.update(from: pixels.bytes + nextRow * rowBytes, count: rowBytes)
        nextRow += 1
    }

    func finish() throws { try decode(upTo: Int(container.frame.height) - 1) }

    /// Decodes the frame at least up to a row. If the data ends before, throws unless truncated files are allowed.
    private func decode(upTo row: Int) throws {
        let data = container.frame.fragment
        while status == VP8_STATUS_SUSPENDED, decodedRows <= row, given < data.size {
            try options.check()
            given = min(given + Self.pieceBytes, data.size)
            // The bytes must not move, because libwebp does not copy them.
            status = WebPIUpdate(decoder, data.bytes, given)
            var rows: Int32 = 0
            if WebPIDecGetRGB(decoder, &rows, nil, nil, nil) != nil { decodedRows = Int(rows) }
        }
        if status != VP8_STATUS_SUSPENDED || given == data.size { end() }
        if decodedRows > row, status == VP8_STATUS_SUSPENDED || status == VP8_STATUS_OK { return }
        switch status {
        case VP8_STATUS_OK: return
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED:
            guard options.allowsTruncated else { throw ImageError.truncated(.webp) }
            isTruncated = true
        case VP8_STATUS_OUT_OF_MEMORY: throw ImageError.outOfMemory
        default: throw ImageError.corrupt(.webp, "invalid pixel data")
        }
    }

    private func end() {
        WebPIDelete(decoder)
        decoder = nil
        decoderMemory = nil
        guard config.pointee.options.use_threads != 0 else { return }
        config.pointee.options.use_threads = 0
        options.spareThreads.giveBack()
    }

    /// The parsed container, valid for the lifetime of the bytes.
    private final class Container {
        private(set) var frame = WebPIterator()
        let covers: Bool
        private let demuxer: OpaquePointer

        init(_ bytes: UnsafePointer<UInt8>, count: Int, canvas: PixelSize, allowsTruncated: Bool) throws {
            var data = WebPData(bytes: bytes, size: count)
            var state = WEBP_DEMUX_PARSE_ERROR
            // A truncated file is parsed as far as possible.
            guard let demuxer = WebPDemuxInternal(&data, 1, &state, WEBP_DEMUX_ABI_VERSION) else {
                throw state == WEBP_DEMUX_PARSE_ERROR ? WebPFile.invalidContainer : ImageError.truncated(.webp)
            }
            self.demuxer = demuxer
            guard WebPDemuxGetFrame(demuxer, 1, &frame) != 0 else {
                covers = false
                throw state == WEBP_DEMUX_DONE ? ImageError.corrupt(.webp, "no frame") : ImageError.truncated(.webp)
            }
            let (width, height) = (Int(frame.width), Int(frame.height))
            covers = width == canvas.width && height == canvas.height
            // The size is 0 if the file ends within the alpha, which precedes the size.
            guard frame.complete != 0 || allowsTruncated, width > 0, height > 0 else {
                throw ImageError.truncated(.webp)
            }
            guard Int(frame.x_offset) + width <= canvas.width, Int(frame.y_offset) + height <= canvas.height else {
                throw WebPFile.invalidContainer
            }
        }

        deinit {
            WebPDemuxReleaseIterator(&frame)
            WebPDemuxDelete(demuxer)
        }

        var profile: [UInt8]? { WebPFile.profile(demuxer) }
    }
}
