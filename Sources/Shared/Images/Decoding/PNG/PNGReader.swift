import CCodecs
import CKernels
import Formats
import Support

extension ImageDecoder {
    static let png = ImageDecoder(
        formats: [.png], library: { "libpng \(String(cString: apod_png_version()))" },
        rows: { source, info, keepsProfile, options in
            if info.hasSeparateStaticImage, let first = try FirstFrameRows(source, options: options) { return first }
            return try PNGReader(source, options: options, keepsProfile: keepsProfile)
        }, frames: { source, options in try PNGAnimationReader(source, options: options) })
}

/// Reads the rows of a PNG, and expands palettes and transparent colours. Samples have 8 bits, or the stored 16 bits if
/// `transform` will convert them.
///
/// libpng reads the header. Rows of samples of up to 8 bits, and of palette indices, are decompressed and unfiltered
/// here, at twice the speed of libpng. libpng decodes all other pictures, an interlaced picture as a whole when its first
/// row is read.
final class PNGReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    let sampleBytes: Int
    let profile: [UInt8]?
    let transform: ColourTransform?
    private(set) var isTruncated = false
    private let allowsTruncated: Bool
    private let rows: any PNGRows

    /// - Parameters:
    ///   - keepsProfile: whether rows stay in the embedded profile, instead of being converted to sRGB.
    ///   - allowsDirect: false makes libpng decode all rows, with the same result.
    init(
        _ source: any ByteSource, options: DecodeOptions, keepsProfile: Bool = false, allowsDirect: Bool = true
    ) throws {
        let options = options.begun()
        let decoder = try PNGDecoder(source, options: options)
        let header = decoder.header
        let size = PixelSize(width: Int(header.width), height: Int(header.height))
        let layout = RowLayout(channels: Int(header.channels))
        (self.size, self.layout) = (size, layout)
        let wanted = header.bits_per_sample == 16 ? 2 : 1
        switch decoder.colours {
        case .profile(let bytes):
            profile = keepsProfile ? bytes : nil
            transform = keepsProfile ? nil : ColourTransform(profile: bytes, layout: layout, sampleBytes: wanted)
        case .signal(let signal):
            profile = nil
            transform = ColourTransform(signal: signal, layout: layout, sampleBytes: wanted)
        case .sRGB: (profile, transform) = (nil, nil)
        }
        sampleBytes = transform == nil ? 1 : wanted
        allowsTruncated = options.allowsTruncated
        try options.limits.check(pixels: size)
        if header.direct != 0 && allowsDirect {
            rows = DirectRows(
                source, at: Int(clamping: header.data_offset), size: size,
                samples: PackedSamples(layout, depth: Int(header.bits_per_sample), palette: decoder.palette),
                options: options)
        } else {
            try decoder.start(isWide: sampleBytes == 2)
            let pixelBytes = layout.channels * sampleBytes
            rows =
                header.interlaced == 0
                ? decoder : try InterlacedRows(decoder, size: size, bytesPerPixel: pixelBytes, options: options)
        }
    }

    /// Reads the next row. If its data is missing and the options allow this, writes transparent pixels, or black
    /// pixels in a picture without alpha.
    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        if try !lacksData(while: { try rows.readRow(into: row) }) { return }
        row.update(repeating: 0, count: size.width * layout.channels * sampleBytes)
    }

    func finish() throws { _ = try lacksData { try rows.finish() } }

    /// Runs `body` unless data was already missing, and returns whether data is missing. Throws the error of `body`
    /// unless it means missing data and `allowsTruncated` is set.
    private func lacksData(while body: () throws -> Void) throws -> Bool {
        if isTruncated { return true }
        do {
            try body()
        } catch let error as ImageError where allowsTruncated && error.isMissingData {
            isTruncated = true
        }
        return isTruncated
    }
}

extension ImageError {
    /// Whether the rest of the picture is missing or damaged.
    fileprivate var isMissingData: Bool {
        switch self {
        case .truncated, .corrupt: true
        default: false
        }
    }
}

/// The rows of a PNG whose header has been read.
private protocol PNGRows {
    func readRow(into row: UnsafeMutablePointer<UInt8>) throws
    func finish() throws
}

/// Rows decoded by libpng.
private final class PNGDecoder: PNGRows {
    let header: apod_png_header
    let colours: PNGColours
    private let decoder: OpaquePointer
    private let feed: DecoderInput

    init(_ source: any ByteSource, options: DecodeOptions) throws {
        feed = DecoderInput(source, .png, options)
        guard let decoder = apod_png_open(feed.input) else { throw ImageError.outOfMemory }
        self.decoder = decoder
        var header = apod_png_header()
        let status = apod_png_read_header(decoder, &header)
        self.header = header
        colours = PNGColours(header)
        try check(status)
    }

    deinit { apod_png_close(decoder) }

    /// The palette of an indexed picture, as 256 RGBA colours.
    var palette: [UInt8]? {
        guard header.indexed != 0 else { return nil }
        var colours = [UInt8](repeating: 0, count: 1024)
        apod_png_palette(decoder, &colours)
        return colours
    }

    func start(isWide: Bool) throws { try check(apod_png_start(decoder, isWide ? 1 : 0)) }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws { try check(apod_png_read_row(decoder, row)) }

    /// Reads all rows of an interlaced picture.
    func readImage(into rows: inout [UnsafeMutablePointer<UInt8>?]) throws {
        try check(apod_png_read_image(decoder, &rows))
    }

    func finish() throws { try check(apod_png_finish(decoder)) }

    private func check(_ status: apod_status) throws { try feed.check(status, apod_png_message(decoder)) }
}

/// The rows of an interlaced PNG. The first read decodes all of them.
private final class InterlacedRows: PNGRows {
    private let decoder: PNGDecoder
    private let size: PixelSize
    private let rowBytes: Int
    private let memory: MemoryReservation
    private var whole: AlignedBuffer?
    private var y = 0
    private let allowsTruncated: Bool
    /// The error that ended the decoding early.
    private var failure: ImageError?

    init(_ decoder: PNGDecoder, size: PixelSize, bytesPerPixel: Int, options: DecodeOptions) throws {
        memory = try options.reserve(memory: size, bytesPerPixel: bytesPerPixel)
        allowsTruncated = options.allowsTruncated
        self.decoder = decoder
        self.size = size
        rowBytes = size.width * bytesPerPixel
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        if whole == nil {
            // Zeroed, because an incomplete pass does not write all pixels.
            let buffer = AlignedBuffer(count: rowBytes * size.height)
            whole = buffer
            var rows = (0..<size.height).map { Optional(buffer.bytes + $0 * rowBytes) }
            do {
                try decoder.readImage(into: &rows)
            } catch let error as ImageError where allowsTruncated && error.isMissingData {
                failure = error
            }
        }
        row.update(from: whole!.bytes + y * rowBytes, count: rowBytes)
        y += 1
    }

    func finish() throws {
        if let failure { throw failure }
        try decoder.finish()
    }
}

/// Rows of samples of up to 8 bits, decompressed and unfiltered here.
private final class DirectRows: PNGRows {
    private let rows: FilteredRows
    private let samples: PackedSamples
    private let width: Int
    /// The bytes of an unfiltered row.
    private let rowBytes: Int
    /// The previous row, which filters refer to, and memory for the next row.
    private var (above, next): (AlignedBuffer, AlignedBuffer)
    private let level = apod_kernel_best()

    init(_ source: any ByteSource, at offset: Int, size: PixelSize, samples: PackedSamples, options: DecodeOptions) {
        self.samples = samples
        width = size.width
        rowBytes = samples.rowBytes(width)
        above = AlignedBuffer(count: rowBytes)
        next = AlignedBuffer(count: rowBytes)
        let byteCount = (rowBytes + 1).multipliedReportingOverflow(by: size.height).partialValue
        rows = FilteredRows(
            PNGDataStream(source, at: offset, byteCount: byteCount, options: options), rowBytes: rowBytes + 1,
            rows: size.height, options: options)
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        let filtered = try rows.next()
        let status = apod_unfilter(
            level, Int32(filtered[0]), samples.filterDistance, filtered + 1, above.bytes, next.bytes, rowBytes)
        guard status == 0 else { throw ImageError.corrupt(.png, "an unknown filter") }
        samples.expand(next.bytes, into: row, width: width)
        swap(&above, &next)
    }

    func finish() throws { try rows.finish() }
}
