import Support

extension ImageFormat {
    /// Detected by SOI and the first byte of another marker (ITU T.81 B.1.1).
    public static let jpeg = ImageFormat(
        "jpeg", name: "JPEG", fileExtensions: ["jpg", "jpeg", "jpe", "jfif"],
        signature: Signature(JPEGMarkers.signature), header: { window, _ in try JPEGLayout.header(&window) },
        checkEnd: { source, _, _ in try JPEGLayout.checkEnd(source) }, findMetadata: JPEGLayout.findMetadata)
}

/// The segments of a JPEG (ITU T.81 annex B).
enum JPEGLayout {
    static let xmpName: StaticString = "http://ns.adobe.com/xap/1.0/\0"
    static let app1: UInt8 = 0xE1
    /// Returns the unsupported kind of JPEG that a marker identifies: a frame header (table B.1), DHP (B.3.2), or SOF55
    /// (ITU T.87 annex C).
    private static func unsupportedProcess(_ code: UInt8) -> String? {
        switch code {
        case 0xC3, 0xCB: "a lossless picture"
        case 0xC5...0xC7, 0xCD...0xCF, 0xDE: "a hierarchical picture"
        case 0xF7: "JPEG-LS"
        default: nil
        }
    }

    /// Reads the size from the first frame header, and the orientation from the first Exif segment before the first
    /// scan. Reads through the first scan if the height follows it.
    static func header(_ window: inout SourceWindow) throws -> ImageHeader {
        var size: PixelSize?
        var dnlHeightOffset: Int?
        var orientation: Orientation?
        var isCut = true
        var markers = JPEGMarkers(at: 2)
        while let segment = try window.nextSegment(&markers) {
            if size == nil, let process = unsupportedProcess(segment.code) {
                throw FormatFailure.notRead(.jpeg, process)
            }
            if isFrameHeader(segment.code), size == nil {
                size = try frameSize(&window, segment.body)
                if size?.height == 0 { dnlHeightOffset = segment.body.lowerBound + 1 }
            } else if segment.code == app1, orientation == nil,
                try window.has("Exif\0\0", at: segment.body.lowerBound)
            {
                orientation = try ExifOrientation.read(&window, in: segment.body)
            }
            // Exif should precede the frame header, but some programs write it later.
            if segment.code == JPEGMarkers.startOfScan || segment.code == JPEGMarkers.endOfImage {
                isCut = false
                if segment.code == JPEGMarkers.startOfScan, dnlHeightOffset != nil {
                    size?.height = try lateHeight(&window, &markers)
                }
                break
            }
        }
        guard let size else {
            throw isCut ? FormatFailure.truncated(.jpeg) : .corrupt(.jpeg, "no frame header before the first scan")
        }
        guard size.width > 0, size.height > 0 else { throw FormatFailure.corrupt(.jpeg, "a width or height of 0") }
        return ImageHeader(
            format: .jpeg, storedSize: size, orientation: orientation ?? .upright, dnlHeightOffset: dnlHeightOffset)
    }

    /// Walks over all segments and scans up to EOI, and checks the tables and the lengths of scans. Ignores later
    /// bytes.
    static func checkEnd(_ source: any ByteSource) throws {
        var window = SourceWindow.forWalk(source)
        var sawScan = false
        var tables = JPEGTables()
        var markers = JPEGMarkers(at: 2)
        while let segment = try window.nextSegment(&markers) {
            try tables.checkScanData(before: segment)
            if segment.code == JPEGMarkers.endOfImage {
                guard sawScan else { throw FormatFailure.corrupt(.jpeg, "no scan before the end marker") }
                return
            }
            guard segment.body.upperBound <= window.count else { break }
            try tables.read(segment, &window)
            if segment.code == JPEGMarkers.startOfScan { sawScan = true }
        }
        throw FormatFailure.truncated(.jpeg)
    }

    /// Finds EXIF (CIPA DC-008 4.7.2) and XMP (XMP part 3, §1.1.3) in APP1 segments before the first scan.
    static func findMetadata(_ window: inout SourceWindow, _ found: inout FoundParts) throws {
        var markers = JPEGMarkers(at: 2)
        while let segment = try window.nextSegment(&markers), segment.code != JPEGMarkers.startOfScan,
            segment.code != JPEGMarkers.endOfImage
        {
            guard segment.code == app1 else { continue }
            let body = segment.body
            if try window.has("Exif\0\0", at: body.lowerBound), body.count > 6 {
                try found.takeExif(body)
            } else if try window.has(xmpName, at: body.lowerBound), body.count > xmpName.utf8CodeUnitCount {
                try found.takeXMP(body.dropFirst(xmpName.utf8CodeUnitCount))
            }
        }
    }

    /// Whether the marker is one of SOF0 to SOF15. DHT (C4), JPG (C8) and DAC (CC) are in the same range (table B.1).
    static func isFrameHeader(_ code: UInt8) -> Bool {
        (0xC0...0xCF).contains(code) && code != 0xC4 && code != 0xC8 && code != 0xCC
    }

    /// Reads precision, rows, columns and components (B.2.2).
    private static func frameSize(_ window: inout SourceWindow, _ body: Range<Int>) throws -> PixelSize {
        guard let precision = try window.byte(at: body.lowerBound),
            let height = try window.bigEndian(at: body.lowerBound + 1, 2),
            let width = try window.bigEndian(at: body.lowerBound + 3, 2),
            let components = try window.byte(at: body.lowerBound + 5)
        else { throw FormatFailure.truncated(.jpeg) }
        guard body.count >= 6 + 3 * Int(components), components > 0 else {
            throw FormatFailure.corrupt(.jpeg, "a frame header of invalid length")
        }
        guard precision == 8 else { throw FormatFailure.notRead(.jpeg, "\(precision) bits per sample") }
        guard [1, 3, 4].contains(components) else { throw FormatFailure.notRead(.jpeg, "\(components) components") }
        return PixelSize(width: width, height: height)
    }

    /// Skips the data of the first scan. Returns the number of rows in the DNL segment after the data (B.2.5), or 0 if
    /// no DNL segment follows.
    private static func lateHeight(_ window: inout SourceWindow, _ markers: inout JPEGMarkers) throws -> Int {
        guard let segment = try window.nextSegment(&markers) else { throw FormatFailure.truncated(.jpeg) }
        guard segment.code == 0xDC, segment.body.count == 2 else { return 0 }
        guard let height = try window.bigEndian(at: segment.body.lowerBound, 2) else {
            throw FormatFailure.truncated(.jpeg)
        }
        return height
    }
}

extension SourceWindow {
    /// Returns the next segment or end marker of a JPEG, or nil if the source ends first.
    mutating func nextSegment(_ markers: inout JPEGMarkers) throws -> JPEGMarkers.Segment? {
        while let segment = try withBytes(from: markers.offset, { markers.next($0) }) {
            if let segment { return segment }
        }
        return nil
    }
}
