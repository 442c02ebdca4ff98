import Support

extension ImageFormat {
    /// Detected by the byte order mark and 42, or 43 for BigTIFF.
    public static let tiff = ImageFormat(
        "tiff", name: "TIFF", fileExtensions: ["tiff", "tif"],
        signature: Signature(
            Array("II*\0".utf8), Array("MM\0*".utf8), Array("II+\0".utf8), Array("MM\0+".utf8)),
        header: { window, page in try TIFFLayout.header(&window, page: page) },
        checkEnd: { source, _, _ in try TIFFLayout.checkEnd(source) })
}

/// The directories of a TIFF, one per page (TIFF 6.0 §2). BigTIFF has offsets of 64 bits.
enum TIFFLayout {
    /// The maximum number of pages. Enough for scanned documents and microscope stacks.
    static let pageLimit = 4096

    private enum Tag {
        static let width = 256
        static let height = 257
        static let bits = 258
        static let compression = 259
        static let photometric = 262
        static let stripOffsets = 273
        static let orientation = 274
        static let samples = 277
        static let stripBytes = 279
        static let planes = 284
        static let palette = 320
        static let tileOffsets = 324
        static let tileBytes = 325
        static let inkSet = 332
        static let extraSamples = 338
        static let sampleFormat = 339
        static let oldJPEG = 513
    }

    /// The compression schemes that libtiff can support, depending on its build. Numbers above 32765 are private
    /// schemes.
    private static let compressions: Set<Int> = [
        1, 2, 3, 4, 5, 6, 7, 8, 32766, 32771, 32773, 32809, 32909, 32946, 34661, 34676, 34677, 34887, 34925, 50000,
        50001,
    ]
    /// The tags that decoding needs and that may have several values.
    private static let arrays = [Tag.bits, Tag.palette, Tag.extraSamples, Tag.sampleFormat]

    /// - Parameter page: counted from 0.
    static func header(_ window: inout SourceWindow, page: Int) throws -> ImageHeader {
        let directory = try directory(&window, page: page)
        guard let width = try directory.number(Tag.width, &window),
            let height = try directory.number(Tag.height, &window),
            width > 0, height > 0
        else { throw FormatFailure.corrupt(.tiff, "a width or height of 0") }
        guard width <= Int32.max, height <= Int32.max else {
            throw FormatFailure.corrupt(.tiff, "a width or height over 2^31 - 1")
        }
        try checkKind(directory, &window)
        let orientation = try directory.number(Tag.orientation, &window)
            .flatMap { UInt8(exactly: $0) }.flatMap(Orientation.init(rawValue:))
        return ImageHeader(
            format: .tiff, storedSize: PixelSize(width: width, height: height), orientation: orientation ?? .upright,
            hasAlpha: try hasAlpha(directory, &window), page: page)
    }

    /// Whether the first extra sample is alpha: the tag ExtraSamples is 1 or 2 (TIFF 6.0 §18). A single extra sample
    /// without the tag is alpha too, as in libvips and Pillow. Only libtiff treats a missing tag as 0 ("unspecified").
    private static func hasAlpha(_ directory: TIFFDirectory, _ window: inout SourceWindow) throws -> Bool {
        if directory.entries[Tag.extraSamples] != nil {
            return try [1, 2].contains(directory.number(Tag.extraSamples, &window))
        }
        let samples = try directory.number(Tag.samples, &window) ?? 1
        let colours =
            switch try directory.number(Tag.photometric, &window) {
            case 0, 1, 3: 1
            case 5: 4
            case nil: samples >= 3 ? 3 : 1
            default: 3
            }
        return samples == colours + 1
    }

    /// Throws `FormatFailure.notRead` for unsupported samples, colours or compression.
    private static func checkKind(_ directory: TIFFDirectory, _ window: inout SourceWindow) throws {
        func fault(_ kind: String) -> FormatFailure { .notRead(.tiff, kind) }
        let compression = try directory.number(Tag.compression, &window) ?? 1
        guard compressions.contains(compression) else { throw fault("compression \(compression)") }
        guard [1, 4].contains(try directory.number(Tag.sampleFormat, &window) ?? 1) else {
            throw fault("samples other than unsigned integers")
        }
        let bits = try directory.number(Tag.bits, &window) ?? 1
        guard [1, 2, 4, 8, 16].contains(bits) else { throw fault("\(bits) bits per sample") }
        switch try directory.number(Tag.photometric, &window) {
        case nil, 0, 1, 2: break
        case 3: guard bits <= 8 else { throw fault("a palette of \(bits) bits") }
        case 5:
            guard try directory.number(Tag.inkSet, &window) ?? 1 == 1 else {
                throw fault("inks other than cyan, magenta, yellow and black")
            }
        // YCbCr, which libtiff's JPEG decoder converts to RGB if the samples are interleaved.
        case 6 where compression == 7:
            guard try directory.number(Tag.planes, &window) ?? 1 == 1 else {
                throw fault("YCbCr samples in separate planes")
            }
        case let colours?: throw fault("photometric interpretation \(colours)")
        }
    }

    /// Walks over all pages, and checks that their strips or tiles are within the file.
    static func checkEnd(_ source: any ByteSource) throws {
        var window = SourceWindow.forHeader(source)
        let start = try TIFFStart(&window)
        var offset = start.firstDirectory
        var seen: Set<Int> = []
        while seen.count < pageLimit {
            guard seen.insert(offset).inserted else { throw FormatFailure.corrupt(.tiff, "a cycle of pages") }
            let directory = try TIFFDirectory(&window, at: offset, start)
            try checkData(directory, &window)
            guard directory.next != 0 else { return }
            offset = directory.next
        }
        throw FormatFailure.overLimit(.tiff, "more than \(pageLimit) pages")
    }

    private static func directory(_ window: inout SourceWindow, page: Int) throws -> TIFFDirectory {
        let start = try TIFFStart(&window)
        var directory = try TIFFDirectory(&window, at: start.firstDirectory, start)
        for number in 0..<page {
            guard directory.next != 0, number < pageLimit else {
                throw FormatFailure.noSuchPage(page, count: number + 1)
            }
            directory = try TIFFDirectory(&window, at: directory.next, start)
        }
        return directory
    }

    private static func checkData(_ directory: TIFFDirectory, _ window: inout SourceWindow) throws {
        for case let entry? in arrays.map({ directory.entries[$0] }) where entry.width > 0 && entry.count > 0 {
            _ = try directory.number(entry, entry.count - 1, &window)
        }
        // Old-style JPEG needs no strips (TIFF 6.0 §22).
        if directory.entries[Tag.stripOffsets] == nil, let offset = try directory.number(Tag.oldJPEG, &window) {
            guard offset < window.count else { throw FormatFailure.truncated(.tiff) }
            return
        }
        let isTiled = directory.entries[Tag.tileOffsets] != nil
        guard let offsets = directory.entries[isTiled ? Tag.tileOffsets : Tag.stripOffsets] else {
            throw FormatFailure.corrupt(.tiff, "a page without pixel data")
        }
        let lengths = directory.entries[isTiled ? Tag.tileBytes : Tag.stripBytes]
        guard offsets.count > 0, lengths.map({ $0.count >= offsets.count }) ?? true else {
            throw FormatFailure.corrupt(.tiff, "pixel data of unknown length")
        }
        for index in 0..<offsets.count {
            let offset = try directory.number(offsets, index, &window)
            // Old writers omit the lengths, and decoders guess them. So only the first byte must be within the file.
            let length = try lengths.map { try directory.number($0, index, &window) } ?? 1
            let (end, overflow) = offset.addingReportingOverflow(length)
            guard !overflow, end <= window.count else { throw FormatFailure.truncated(.tiff) }
        }
    }
}

private struct TIFFStart {
    let order: ByteOrder
    let isBig: Bool
    let firstDirectory: Int

    init(_ window: inout SourceWindow) throws {
        guard let mark = try window.bytes(at: 0, 4).map(Array.init) else { throw FormatFailure.truncated(.tiff) }
        order = mark[0] == UInt8(ascii: "M") ? .bigEndian : .littleEndian
        isBig = order.number(mark[2..<4]) == 43
        guard let offset = try window.number(at: isBig ? 8 : 4, isBig ? 8 : 4, order) else {
            throw FormatFailure.truncated(.tiff)
        }
        firstDirectory = offset
    }
}

private struct TIFFDirectory {
    struct Entry {
        /// The size of each value in bytes; 0 for a type that is not an integer.
        let width: Int
        let count: Int
        /// The offset of the values.
        let offset: Int
    }

    /// The first entry of each tag.
    let entries: [Int: Entry]
    /// The offset of the next page's directory; 0 after the last page.
    let next: Int
    private let order: ByteOrder

    /// The sizes of integer types in bytes, by type number (TIFF 6.0 §2, BigTIFF).
    private static let widths = [1: 1, 3: 2, 4: 4, 13: 4, 16: 8, 18: 8]
    /// More entries than any page has.
    private static let entryLimit = 4096

    init(_ window: inout SourceWindow, at offset: Int, _ start: TIFFStart) throws {
        let (countBytes, entryBytes, wordBytes) = start.isBig ? (8, 20, 8) : (2, 12, 4)
        guard let count = try window.number(at: offset, countBytes, start.order) else {
            throw FormatFailure.truncated(.tiff)
        }
        guard count > 0, count <= Self.entryLimit else {
            throw FormatFailure.corrupt(.tiff, "a page with \(count) entries")
        }
        order = start.order
        var entries: [Int: Entry] = [:]
        for index in 0..<count {
            // The offset is within the file, so the sum does not overflow.
            let place = offset + countBytes + index * entryBytes
            guard let tag = try window.number(at: place, 2, order),
                let kind = try window.number(at: place + 2, 2, order),
                let values = try window.number(at: place + 4, wordBytes, order)
            else { throw FormatFailure.truncated(.tiff) }
            let width = Self.widths[kind] ?? 0
            let valuePlace = place + 4 + wordBytes
            let (bytes, overflow) = values.multipliedReportingOverflow(by: width)
            guard !overflow else { throw FormatFailure.corrupt(.tiff, "an entry with too many values") }
            let isInline = bytes <= wordBytes
            guard let stored = try isInline ? valuePlace : window.number(at: valuePlace, wordBytes, order) else {
                throw FormatFailure.truncated(.tiff)
            }
            if entries[tag] == nil { entries[tag] = Entry(width: width, count: values, offset: stored) }
        }
        self.entries = entries
        guard let next = try window.number(at: offset + countBytes + count * entryBytes, wordBytes, order) else {
            throw FormatFailure.truncated(.tiff)
        }
        self.next = next
    }

    /// Returns the first value of a tag, or nil if the tag is missing or not an integer.
    func number(_ tag: Int, _ window: inout SourceWindow) throws -> Int? {
        guard let entry = entries[tag], entry.width > 0, entry.count > 0 else { return nil }
        return try number(entry, 0, &window)
    }

    /// Throws `FormatFailure` if the value is outside the file or not an integer.
    func number(_ entry: Entry, _ index: Int, _ window: inout SourceWindow) throws -> Int {
        guard entry.width > 0 else { throw FormatFailure.corrupt(.tiff, "values of an unknown type") }
        // The product does not overflow, because `init` has checked it for all values.
        let (place, overflow) = entry.offset.addingReportingOverflow(index * entry.width)
        guard !overflow, let number = try window.number(at: place, entry.width, order) else {
            throw FormatFailure.truncated(.tiff)
        }
        return number
    }
}
