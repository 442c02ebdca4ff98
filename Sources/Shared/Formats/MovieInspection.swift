import Support

/// The containers of movies that the cache keeps beside pictures.
public enum MovieFormat: String, Sendable, CaseIterable {
    case mp4
    case quickTime

    public var contentType: String { self == .mp4 ? "video/mp4" : "video/quicktime" }
    public var fileExtension: String { self == .mp4 ? "mp4" : "mov" }
}

/// The look that bytes must pass before they are kept as a movie: a walk over its boxes (ISO/IEC 14496-12 §4.2), which
/// QuickTime calls atoms.
public enum MovieInspection {
    /// Whether bytes begin as a movie does, rather than a picture or a sound in the same kind of boxes.
    public static func recognizes(_ source: some ByteSource) throws -> Bool {
        let head = try source.bytes(0..<12)
        guard head.count >= 8 else { return false }
        switch String(decoding: head[4..<8], as: UTF8.self) {
        case "ftyp":
            let brand = String(decoding: head[8...], as: UTF8.self)
            return BodyKind(head: head) == .video && !["M4A ", "M4B ", "M4P "].contains(brand)
        // Movies of QuickTime that are older than the type box.
        case "moov", "mdat", "wide", "pnot": return true
        default: return false
        }
    }

    /// Checks that `source` is a whole movie, and gives its format.
    ///
    /// Each box must fit into the file, and each of those that describe the movie into their box; there must be a
    /// description and data. Nothing is decoded. Throws `FormatFailure`, and what the source throws. Reads a few bytes
    /// for each box.
    public static func inspect(_ source: some ByteSource) throws -> MovieFormat {
        guard try recognizes(source) else {
            throw FormatFailure.notAnImage(BodyKind(head: try source.bytes(0..<512)))
        }
        var window = SourceWindow.forHeader(source)
        var format = MovieFormat.quickTime
        var isDescribed = false
        var hasData = false
        let end = window.count
        try walk(&window, 0..<end) { window, type, body in
            switch type {
            case "ftyp":
                if try !window.has("qt  ", at: body.lowerBound) { format = .mp4 }
            case "mdat": hasData = true
            case "moov":
                try walk(&window, body) { _, type, _ in
                    // The second one holds the description compressed.
                    if type == "mvhd" || type == "cmov" { isDescribed = true }
                }
            default: break
            }
        }
        guard isDescribed, hasData else { throw FormatFailure.truncatedMovie }
        return format
    }

    /// Calls `visit` with each box in a range, and where its content lies. Fewer bytes behind the last one than a box
    /// has are padding.
    private static func walk(
        _ window: inout SourceWindow, _ range: Range<Int>,
        visit: (inout SourceWindow, FourCC, Range<Int>) throws -> Void
    ) throws {
        let headLength = 8
        var start = range.lowerBound
        while range.upperBound - start >= headLength {
            guard let short = try window.bigEndian(at: start, 4), let letters = try window.bigEndian(at: start + 4, 4)
            else { throw FormatFailure.truncatedMovie }
            var (size, content) = (short, headLength)
            if short == 1 {
                // 64 bits.
                guard let high = try window.bigEndian(at: start + 8, 4),
                    let low = try window.bigEndian(at: start + 12, 4)
                else { throw FormatFailure.truncatedMovie }
                guard high < 1 << 31 else { throw FormatFailure.corruptMovie("a box of more bytes than any file has") }
                (size, content) = (high << 32 | low, 16)
            } else if short == 0, range.upperBound == window.count {
                size = range.upperBound - start
            }
            guard size >= content else { throw FormatFailure.corruptMovie("a box of \(size) bytes") }
            guard size <= range.upperBound - start else {
                // What leaves its own box is wrong; what leaves the file may have been cut off.
                throw range.upperBound == window.count
                    ? FormatFailure.truncatedMovie : .corruptMovie("a box that is larger than the one around it")
            }
            try visit(&window, FourCC(UInt32(letters)), start + content..<start + size)
            start += size
        }
    }
}
