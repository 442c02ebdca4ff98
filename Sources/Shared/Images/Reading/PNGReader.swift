import CCodecs
import Formats
import Support

/// The rows of a PNG, 8 bits a sample, palette and transparent colours resolved. Interlaced ones are decoded as a whole
/// at the first row.
final class PNGReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    let profile: [UInt8]?
    private let decoder: OpaquePointer
    private let feed: ByteFeed
    private let isInterlaced: Bool
    private var whole: [UInt8] = []
    private var position = 0

    init(_ source: any ByteSource, options: DecodeOptions) throws {
        let limits = options.limits
        feed = ByteFeed(source, .png, options)
        guard let decoder = apod_png_open(feed.input) else { throw ImageError.outOfMemory }
        self.decoder = decoder
        var header = apod_png_header()
        let status = apod_png_read_header(decoder, &header)
        size = PixelSize(width: Int(header.width), height: Int(header.height))
        layout = RowLayout(channels: Int(header.channels))
        profile = header.profile.map { Array(UnsafeBufferPointer(start: $0, count: header.profile_bytes)) }
        isInterlaced = header.interlaced != 0
        try feed.check(status, apod_png_message(decoder))
        try limits.check(pixels: size)
        if isInterlaced { try limits.check(memory: size, bytesPerPixel: layout.channels) }
    }

    deinit { apod_png_close(decoder) }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        guard isInterlaced else {
            try check(apod_png_read_row(decoder, row))
            return
        }
        let rowBytes = size.width * layout.channels
        if whole.isEmpty { try readWhole(rowBytes) }
        whole.withUnsafeBufferPointer { row.update(from: $0.baseAddress! + position, count: rowBytes) }
        position += rowBytes
    }

    private func readWhole(_ rowBytes: Int) throws {
        var status = APOD_OK
        whole = [UInt8](unsafeUninitializedCapacity: rowBytes * size.height) { buffer, initialized in
            var rows = (0..<size.height).map { Optional(buffer.baseAddress! + $0 * rowBytes) }
            // Passes that leave a pixel out must not leave what the memory held before.
            buffer.initialize(repeating: 0)
            status = apod_png_read_image(decoder, &rows)
            initialized = rowBytes * size.height
        }
        try check(status)
    }

    func finish() throws { try check(apod_png_finish(decoder)) }

    private func check(_ status: apod_status) throws { try feed.check(status, apod_png_message(decoder)) }
}
