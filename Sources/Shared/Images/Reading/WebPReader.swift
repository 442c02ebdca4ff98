import CWebP
import Formats
import Support

/// The rows of a WebP: a still picture, or the first frame of an animation on its transparent canvas. libwebp decodes
/// it as a whole, so that it takes memory for all of its pixels and its bytes.
final class WebPReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    let profile: [UInt8]?
    private let pixels: [UInt8]
    private var position = 0

    init(_ source: any ByteSource, size: PixelSize, options: DecodeOptions) throws {
        let limits = options.limits
        try limits.check(pixels: size)
        try limits.check(memory: size, bytesPerPixel: 4)
        let bytes = try source.bytes(0..<source.count)
        try options.check()
        let (layout, pixels, profile) = try bytes.withUnsafeBufferPointer { try Self.decode($0, size, limits) }
        self.size = size
        self.layout = layout
        self.pixels = pixels
        self.profile = profile
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
        let rowBytes = size.width * layout.channels
        pixels.withUnsafeBufferPointer { row.update(from: $0.baseAddress! + position, count: rowBytes) }
        position += rowBytes
    }

    func finish() {}

    private static func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, _ size: PixelSize, _ limits: DecodeLimits
    ) throws -> (RowLayout, [UInt8], [UInt8]?) {
        var data = WebPData(bytes: bytes.baseAddress, size: bytes.count)
        var state = WEBP_DEMUX_PARSE_ERROR
        guard let demuxer = WebPDemuxInternal(&data, 1, &state, WEBP_DEMUX_ABI_VERSION) else {
            throw state == WEBP_DEMUX_PARSE_ERROR
                ? ImageError.corrupt(.webp, "the container") : ImageError.truncated(.webp)
        }
        defer { WebPDemuxDelete(demuxer) }
        var frame = WebPIterator()
        guard WebPDemuxGetFrame(demuxer, 1, &frame) != 0 else {
            throw state == WEBP_DEMUX_DONE ? ImageError.corrupt(.webp, "no frame") : ImageError.truncated(.webp)
        }
        defer { WebPDemuxReleaseIterator(&frame) }
        // A frame that has not come as a whole is delivered as far as it goes.
        guard frame.complete != 0 else { throw ImageError.truncated(.webp) }
        let place = (x: Int(frame.x_offset), y: Int(frame.y_offset), width: Int(frame.width), height: Int(frame.height))
        guard place.width > 0, place.height > 0, place.x + place.width <= size.width,
            place.y + place.height <= size.height
        else { throw ImageError.corrupt(.webp, "a frame outside of the canvas") }
        let covers = place.width == size.width && place.height == size.height
        let layout: RowLayout = covers && frame.has_alpha == 0 ? .rgb : .rgba
        var status = VP8_STATUS_OK
        let count = size.width * size.height * layout.channels
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if !covers { buffer.initialize(repeating: 0) }
            status = decodeFrame(
                frame.fragment, into: buffer, stride: size.width * layout.channels,
                offset: (place.y * size.width + place.x) * layout.channels, alpha: layout == .rgba)
            initialized = status == VP8_STATUS_OK ? count : 0
        }
        switch status {
        case VP8_STATUS_OK: break
        case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: throw ImageError.truncated(.webp)
        case VP8_STATUS_OUT_OF_MEMORY: throw ImageError.outOfMemory
        case VP8_STATUS_UNSUPPORTED_FEATURE: throw ImageError.unsupported(.webp, "a feature that libwebp lacks")
        default: throw ImageError.corrupt(.webp, "its pixel data")
        }
        return (layout, pixels, profile(demuxer))
    }

    private static func decodeFrame(
        _ data: WebPData, into buffer: UnsafeMutableBufferPointer<UInt8>, stride: Int, offset: Int, alpha: Bool
    ) -> VP8StatusCode {
        var config = WebPDecoderConfig()
        guard WebPInitDecoderConfigInternal(&config, WEBP_DECODER_ABI_VERSION) != 0 else {
            return VP8_STATUS_INVALID_PARAM
        }
        config.output.colorspace = alpha ? MODE_RGBA : MODE_RGB
        config.output.is_external_memory = 1
        config.output.u.RGBA.rgba = buffer.baseAddress! + offset
        config.output.u.RGBA.stride = Int32(stride)
        config.output.u.RGBA.size = buffer.count - offset
        defer { WebPFreeDecBuffer(&config.output) }
        return WebPDecode(data.bytes, data.size, &config)
    }

    private static func profile(_ demuxer: OpaquePointer) -> [UInt8]? {
        guard WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS) & ICCP_FLAG.rawValue != 0 else { return nil }
        var chunk = WebPChunkIterator()
        guard WebPDemuxGetChunk(demuxer, "ICCP", 1, &chunk) != 0 else { return nil }
        defer { WebPDemuxReleaseChunkIterator(&chunk) }
        return Array(UnsafeBufferPointer(start: chunk.chunk.bytes, count: chunk.chunk.size))
    }
}
