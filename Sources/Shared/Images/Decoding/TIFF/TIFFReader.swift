import CCodecs
import CTIFF
import Formats
import Support

extension ImageDecoder {
    static let tiff = ImageDecoder(
        formats: [.tiff],
        library: {
            // "LIBTIFF, Version 4.5.0" and a copyright.
            ctiff_version().map { text in
                "libtiff \(String(cString: text).drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." })"
            }
        },
        rows: { source, info, keepsProfile, options in
            try TIFFReader(source, info, options: options, keepsProfile: keepsProfile)
        })
}

/// Reads the rows of a page of a TIFF with libtiff. Decodes a page in strips row by row, and a page in tiles one row of
/// tiles at a time.
final class TIFFReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    let sampleBytes: Int
    let profile: [UInt8]?
    let transform: ColourTransform?
    private let options: DecodeOptions
    private let samples: TIFFSamples
    /// A single file, or a file per plane if samples are stored in separate planes, because libtiff must read each
    /// plane from the top.
    private let files: [TIFFFile]
    private let memory: MemoryReservation
    /// A buffer per file, for a row of pixels or a row of tiles.
    private let raw: [AlignedBuffer]
    /// The number of bytes per row in `raw`.
    private let rawRowBytes: Int
    private let tile: AlignedBuffer?
    private let inks: TransparentInks?
    private var y = 0

    /// - Parameter keepsProfile: whether rows stay in the embedded profile, instead of being converted to sRGB. CMYK is
    ///   always converted.
    init(
        _ source: any ByteSource, _ info: ImageHeader, options: DecodeOptions, keepsProfile: Bool = false
    ) throws {
        if let fault = ctiff_load() { throw ImageError.decoderMissing(.tiff, String(cString: fault)) }
        let options = options.begun()
        self.options = options
        let first = try TIFFFile(source, page: info.page, options: options)
        let page = first.page
        size = PixelSize(width: Int(page.width), height: Int(page.height))
        guard size == info.storedSize else {
            throw ImageError.corrupt(.tiff, "the header and the decoder disagree on the size")
        }
        try options.limits.check(pixels: size)
        let samples = try TIFFSamples(page, hasAlpha: info.hasAlpha == true)
        self.samples = samples
        inks = TransparentInks(samples, width: size.width, profile: first.profile)
        layout = inks == nil ? samples.layout : .rgba
        let keepsProfile = keepsProfile && samples.layout != .cmyk
        profile = keepsProfile ? first.profile : nil
        let wide =
            keepsProfile || !samples.isWide || inks != nil
            ? nil : ColourTransform(profile: first.profile, layout: layout, sampleBytes: 2)
        sampleBytes = wide == nil ? 1 : 2
        transform = keepsProfile || inks != nil ? nil : wide ?? ColourTransform(profile: first.profile, layout: layout)
        let apart = page.is_separate != 0 ? samples.used : 1
        rawRowBytes =
            page.is_tiled == 0
            ? try Self.checked(page.row_bytes)
            : try Self.product(
                Self.rowBytes(of: page), (size.width - 1) / Int(max(page.tile_width, 1)) + 1)
        let rawBytes = page.is_tiled == 0 ? rawRowBytes : try Self.product(rawRowBytes, Int(page.tile_height))
        let tileBytes = page.is_tiled == 0 ? 0 : try Self.checked(page.tile_bytes)
        // The compressed strip or tile that libtiff keeps in memory.
        let decoder = try Self.product(try Self.checked(page.packed_bytes), apart)
        let (needed, overflow) = try Self.product(rawBytes, apart).addingReportingOverflow(decoder + tileBytes)
        memory = try options.reserve(memory: overflow ? .max : needed)
        files = try [first] + (1..<max(apart, 1)).map { _ in try TIFFFile(source, page: info.page, options: options) }
        raw = (0..<apart).map { _ in AlignedBuffer(count: rawBytes) }
        tile = page.is_tiled == 0 ? nil : AlignedBuffer(count: tileBytes)
        if page.is_tiled != 0 {
            let least = try Self.product(Self.rowBytes(of: page), Int(page.tile_height))
            guard tileBytes >= least else { throw Self.invalidSize }
        }
        guard page.is_tiled != 0 || rawRowBytes >= Self.bytes(of: size.width, page) else {
            throw Self.invalidSize
        }
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        if y % 16 == 0 { try options.check() }
        let page = files[0].page
        var place = 0
        if let tile {
            place = y % Int(page.tile_height)
            if place == 0 { try readTiles(tile) }
        } else {
            for (sample, (file, raw)) in zip(files, raw).enumerated() {
                try file.readRow(y, sample: sample, into: raw.bytes)
            }
        }
        let planes = raw.map { UnsafePointer($0.bytes + place * rawRowBytes) }
        if let inks {
            try inks.convert(planes, samples, count: size.width, into: row, options)
        } else if sampleBytes == 2 {
            row.withMemoryRebound(to: UInt16.self, capacity: size.width * layout.channels) {
                samples.unpack(planes, count: size.width, into: $0)
            }
        } else {
            samples.unpack(planes, count: size.width, into: row)
        }
        y += 1
    }

    func finish() {}

    /// Decodes the row of tiles that begins at `y`.
    private func readTiles(_ tile: AlignedBuffer) throws {
        let page = files[0].page
        let rowBytes = try Self.rowBytes(of: page)
        let rows = min(Int(page.tile_height), size.height - y)
        for (sample, (file, raw)) in zip(files, raw).enumerated() {
            for (column, x) in stride(from: 0, to: size.width, by: Int(page.tile_width)).enumerated() {
                try options.check()
                try file.readTile(x, y, sample: sample, into: tile.bytes)
                for row in 0..<rows {
                    (raw.bytes + row * rawRowBytes + column * rowBytes)
                        .update(from: tile.bytes + row * rowBytes, count: rowBytes)
                }
            }
        }
    }

    /// Returns the number of bytes per row of a tile. Throws if the tile size is invalid or unsupported.
    private static func rowBytes(of page: ctiff_page) throws -> Int {
        guard page.tile_width > 0, page.tile_height > 0, page.tile_width <= Int32.max, page.tile_height <= Int32.max
        else { throw Self.invalidSize }
        // `readTiles` joins the rows of adjacent tiles, so each row of a tile must end at a byte boundary.
        guard Int(page.tile_width) * Int(page.bits) % 8 == 0 else {
            throw ImageError.unsupported(.tiff, "tiles that are \(page.tile_width) pixels wide")
        }
        return bytes(of: Int(page.tile_width), page)
    }

    /// Returns the number of bytes of `pixels` pixels in a row. Cannot overflow, because `pixels` is at most 2^31.
    private static func bytes(of pixels: Int, _ page: ctiff_page) -> Int {
        (pixels * (page.is_separate != 0 ? 1 : Int(page.samples)) * Int(page.bits) + 7) / 8
    }

    private static func checked(_ bytes: UInt64) throws -> Int {
        guard let bytes = Int(exactly: bytes) else { throw Self.invalidSize }
        return bytes
    }

    private static func product(_ a: Int, _ b: Int) throws -> Int {
        let (product, overflow) = a.multipliedReportingOverflow(by: b)
        // The bound ensures that the sum of a few products cannot overflow.
        guard !overflow, product < 1 << 60 else { throw Self.invalidSize }
        return product
    }

    private static let invalidSize = ImageError.corrupt(.tiff, "an invalid strip or tile size")
}

/// Converts CMYK with alpha to RGB with alpha, row by row.
private final class TransparentInks {
    private let transform: ColourTransform
    /// Four inks and alpha per pixel.
    private let samples: AlignedBuffer
    private let inks: AlignedBuffer
    private let colours: AlignedBuffer

    /// Returns nil unless the samples are CMYK with alpha.
    init?(_ kind: TIFFSamples, width: Int, profile: [UInt8]?) {
        guard kind.layout == .cmyk, kind.hasAlpha, let transform = ColourTransform(profile: profile, layout: .cmyk)
        else { return nil }
        self.transform = transform
        samples = AlignedBuffer(count: width * 5)
        inks = AlignedBuffer(count: width * 4)
        colours = AlignedBuffer(count: width * 3)
    }

    func convert(
        _ planes: [UnsafePointer<UInt8>], _ kind: TIFFSamples, count: Int, into row: UnsafeMutablePointer<UInt8>,
        _ options: DecodeOptions
    ) throws {
        kind.unpack(planes, count: count, into: samples.bytes)
        for x in 0..<count {
            for ink in 0..<4 { inks.bytes[x * 4 + ink] = samples.bytes[x * 5 + ink] }
        }
        try transform.apply(inks.bytes, colours.bytes, count: count, checking: options)
        for x in 0..<count {
            for channel in 0..<3 { row[x * 4 + channel] = colours.bytes[x * 3 + channel] }
            row[x * 4 + 3] = samples.bytes[x * 5 + 4]
        }
    }
}

/// A page that libtiff has opened.
private final class TIFFFile {
    let page: ctiff_page
    private let file: OpaquePointer
    private let feed: DecoderInput

    init(_ source: any ByteSource, page number: Int, options: DecodeOptions) throws {
        feed = DecoderInput(source, .tiff, options)
        let input = ctiff_input(
            context: Unmanaged.passUnretained(feed).toOpaque(), read: feed.input.read, count: UInt64(source.count))
        var page = ctiff_page()
        var status = CTIFF_OK
        guard let file = ctiff_open(input, UInt32(number), &page, &status) else { throw ImageError.outOfMemory }
        self.file = file
        self.page = page
        try check(status)
    }

    deinit { ctiff_close(file) }

    /// The embedded colour profile; nil if it is missing, or larger than `profileByteLimit`.
    var profile: [UInt8]? {
        guard page.profile_bytes <= ColourTransform.profileByteLimit else { return nil }
        return page.profile.map { Array(UnsafeBufferPointer(start: $0, count: Int(page.profile_bytes))) }
    }

    func readRow(_ y: Int, sample: Int, into buffer: UnsafeMutablePointer<UInt8>) throws {
        try check(ctiff_read_row(file, UInt32(y), UInt16(sample), buffer))
    }

    func readTile(_ x: Int, _ y: Int, sample: Int, into buffer: UnsafeMutablePointer<UInt8>) throws {
        try check(ctiff_read_tile(file, UInt32(x), UInt32(y), UInt16(sample), buffer))
    }

    private func check(_ status: ctiff_status) throws {
        switch status {
        case CTIFF_OK: break
        case CTIFF_STOPPED: try feed.check(APOD_STOPPED, nil)
        case CTIFF_UNSUPPORTED: throw ImageError.unsupported(.tiff, String(cString: ctiff_message(file)))
        default:
            let message = String(cString: ctiff_message(file))
            throw ImageError.corrupt(.tiff, message.isEmpty ? "libtiff cannot decode the picture" : message)
        }
    }
}
