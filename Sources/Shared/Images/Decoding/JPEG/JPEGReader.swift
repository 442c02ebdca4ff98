import CCodecs
import Formats
import JPEG
import Support

extension ImageDecoder {
    static let jpeg = ImageDecoder(
        formats: [.jpeg], library: { String(cString: apod_jpeg_version()) }, checksEnd: true,
        rows: { source, info, _, options in try JPEGReader(source, info, options: options).rows(scale: 8) })
}

/// Reads the header of a JPEG, then decodes the picture as planes or as rows.
final class JPEGReader {
    let size: PixelSize
    let colour: apod_jpeg_colour
    let profile: [UInt8]?
    fileprivate let decoder: OpaquePointer
    fileprivate let feed: DecoderInput
    private let options: DecodeOptions
    private let header: apod_jpeg_header
    private var memory: MemoryReservation?

    init(_ source: any ByteSource, options: DecodeOptions) throws {
        let options = options.begun()
        self.options = options
        feed = DecoderInput(source, .jpeg, options)
        let scanLimit = UInt32(clamping: options.limits.maxScans)
        guard
            let decoder = apod_jpeg_open(
                feed.input, scanLimit, options.allowsTruncated ? 1 : 0, options.allowsDamage ? 1 : 0)
        else {
            throw ImageError.outOfMemory
        }
        self.decoder = decoder
        var header = apod_jpeg_header()
        let status = apod_jpeg_read_header(decoder, &header)
        size = PixelSize(width: Int(header.width), height: Int(header.height))
        colour = header.colour
        profile = header.profile.map { Array(UnsafeBufferPointer(start: $0, count: header.profile_bytes)) }
        self.header = header
        try feed.check(status, apod_jpeg_message(decoder))
        try options.limits.check(pixels: size)
    }

    /// Opens a picture whose header has already been read. Throws `ImageError.corrupt` if libjpeg reads a
    /// different size.
    convenience init(_ source: any ByteSource, _ info: ImageHeader, options: DecodeOptions) throws {
        let height = info.storedSize.height
        // libjpeg needs the height before the first scan, but some files store the height after it (ITU-T T.81 B.2.5).
        let whole = info.dnlHeightOffset.map { offset in
            SplicedSource(
                source,
                [
                    .stored(0..<offset), .made([UInt8(height >> 8), UInt8(height & 0xFF)]),
                    .stored(offset + 2..<max(source.count, offset + 2)),
                ])
        }
        try self.init(whole ?? source, options: options)
        guard size == info.storedSize else {
            throw ImageError.corrupt(.jpeg, "the header and the decoder disagree on the size")
        }
    }

    deinit { apod_jpeg_close(decoder) }

    /// The layout of rows. In CMYK rows, 255 means no ink: Adobe's programs write CMYK this way, and Pillow, libvips,
    /// ImageMagick, GIMP and browsers read it this way, with or without Adobe's marker.
    var layout: RowLayout {
        switch colour {
        case APOD_JPEG_GRAY: .gray
        case APOD_JPEG_CMYK, APOD_JPEG_YCCK: .cmyk
        default: .rgb
        }
    }

    /// Whether the picture can be decoded as planes.
    var hasPlanes: Bool { colour == APOD_JPEG_GRAY || colour == APOD_JPEG_YCBCR }

    /// Starts decoding into planes at `scale` eighths of the size. Call either `planes` or `rows`, and only once.
    ///
    /// - Parameter reduction: the picture's size divided by the output's size, on the axis with the smaller ratio.
    ///   1 decodes all scans; with a larger value, some scans of a progressive picture may be skipped (`ScanChoice`).
    func planes(scale: Int, reduction: Double = 1) throws -> any PlaneReader {
        if let planes = try ownPlanes(scale: scale, for: .planes, reduction: reduction) {
            return NativePlaneReader(planes)
        }
        memory = try options.reserve(memory: Int(clamping: header.coefficient_bytes))
        return try JPEGPlaneReader(self, scale: Self.libjpegScale(scale))
    }

    /// Starts decoding into rows of pixels. The parameters are the same as for `planes`.
    func rows(scale: Int, reduction: Double = 1) throws -> any RowReader {
        let colours: UpsampledRows.Colours =
            switch colour {
            case APOD_JPEG_GRAY: .gray
            case APOD_JPEG_YCBCR: .yCbCr
            case APOD_JPEG_RGB: .rgb
            case APOD_JPEG_YCCK: .ycck
            default: .cmyk
            }
        if let planes = try ownPlanes(scale: scale, for: .rows, reduction: reduction),
            let rows = try UpsampledRows(
                planes, whole: size, scale: scale, colours: colours, options: JPEGOptions(options))
        {
            return NativeRowReader(rows, layout, profile: profile)
        }
        memory = try options.reserve(memory: Int(clamping: header.coefficient_bytes))
        return try JPEGRowReader(self, scale: Self.libjpegScale(scale))
    }

    /// Opens the decoder of the module `JPEG`. Returns nil for a picture that libjpeg must decode.
    private func ownPlanes(
        scale: Int, for use: JPEGPlaneUse, reduction: Double
    ) throws -> (any JPEGPlanes)? {
        guard options.decoder == .auto, !options.allowsDamage else { return nil }
        let options = JPEGOptions(options)
        return try ImageError.translating {
            try JPEGFrame(feed.source, options: options)?.planes(
                of: feed.source, scale: scale, for: use, reduction: reduction, options: options)
        }
    }

    /// Returns the smallest scale that is at least `scale` and that has SIMD code in libjpeg-turbo.
    private static func libjpegScale(_ scale: Int) -> Int { [1, 2, 4].first { $0 >= scale } ?? 8 }

    /// Whether the data ended too early.
    fileprivate var lacksData: Bool { apod_jpeg_is_truncated(decoder) != 0 }

    /// Whether invalid data has been skipped so far.
    fileprivate var isDamaged: Bool { apod_jpeg_is_damaged(decoder) != 0 }

    fileprivate func check(_ status: apod_status) throws { try feed.check(status, apod_jpeg_message(decoder)) }
}

private final class JPEGPlaneReader: PlaneReader {
    let planes: [PlaneGeometry]
    private let jpeg: JPEGReader
    private let rows: PlaneRowTable

    init(_ jpeg: JPEGReader, scale: Int) throws {
        self.jpeg = jpeg
        let count = jpeg.colour == APOD_JPEG_GRAY ? 1 : 3
        var shapes = [apod_jpeg_plane](repeating: apod_jpeg_plane(), count: 3)
        try jpeg.check(apod_jpeg_start_planes(jpeg.decoder, Int32(scale), &shapes))
        planes = shapes.prefix(count).enumerated().map { index, shape in
            // libjpeg-turbo averages samples at each reduced scale (jidctred.c). At 4/8, chroma may be at full size.
            let isAveraged = scale < (index == 0 ? 8 : 4)
            return PlaneGeometry(
                size: PixelSize(width: Int(shape.width), height: Int(shape.height)), extentWidth: shape.extent_width,
                extentHeight: shape.extent_height, rowBytes: Int(shape.written_width),
                groupRows: Int(shape.group_rows),
                sharpening: isAveraged ? JPEGFrame.sharpening(scale: 1) : 0)
        }
        rows = PlaneRowTable(rowCounts: planes.map(\.groupRows))
    }

    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws {
        for c in planes.indices {
            for row in 0..<planes[c].groupRows { rows.set(c, row, destination(c, row)) }
        }
        try jpeg.check(apod_jpeg_read_planes(jpeg.decoder, rows.planes))
    }

    func finish() throws { try jpeg.check(apod_jpeg_finish(jpeg.decoder)) }

    var isTruncated: Bool { jpeg.lacksData }

    var isDamaged: Bool { jpeg.isDamaged }
}

private final class JPEGRowReader: RowReader {
    let size: PixelSize
    let extent: (width: Double, height: Double)
    let layout: RowLayout
    let profile: [UInt8]?
    private let jpeg: JPEGReader

    init(_ jpeg: JPEGReader, scale: Int) throws {
        self.jpeg = jpeg
        var width: UInt32 = 0
        var height: UInt32 = 0
        try jpeg.check(apod_jpeg_start_rows(jpeg.decoder, Int32(scale), &width, &height))
        size = PixelSize(width: Int(width), height: Int(height))
        extent = (Double(jpeg.size.width * scale) / 8, Double(jpeg.size.height * scale) / 8)
        layout = jpeg.layout
        profile = jpeg.profile
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        try jpeg.check(apod_jpeg_read_row(jpeg.decoder, row))
    }

    func finish() throws { try jpeg.check(apod_jpeg_finish(jpeg.decoder)) }

    var isTruncated: Bool { jpeg.lacksData }

    var isDamaged: Bool { jpeg.isDamaged }
}
