import Support

/// The movie formats that the cache stores in addition to pictures.
public enum MovieFormat: String, Sendable, CaseIterable {
    case mp4
    case quickTime

    public var contentType: String { self == .mp4 ? "video/mp4" : "video/quicktime" }
    public var fileExtension: String { self == .mp4 ? "mp4" : "mov" }
}

/// The check that a file must pass before it is kept as a movie. Examines only the boxes (`Boxes`).
public enum MovieInspection {
    /// Whether the bytes begin like a movie, not like a picture or sound in the same container format.
    public static func recognizes(_ source: some ByteSource) throws -> Bool {
        let head = try source.bytes(0..<12)
        guard head.count >= 8 else { return false }
        switch String(decoding: head[4..<8], as: UTF8.self) {
        case "ftyp":
            let brand = String(decoding: head[8...], as: UTF8.self)
            return ImageFormat.detected(in: head[...]) == nil && !["M4A ", "M4B ", "M4P "].contains(brand)
        // Old QuickTime movies have no file type box.
        case "moov", "mdat", "wide", "pnot": return true
        default: return false
        }
    }

    /// Checks that `source` is a whole movie, and returns its format.
    ///
    /// A whole movie has a description (`moov`) and data (`mdat`). Each box must fit into the file, and each box in
    /// `moov` into its parent. Reads a few bytes of each box. Throws `FormatFailure`, and the errors of the source.
    public static func inspect(_ source: some ByteSource) throws -> MovieFormat {
        guard try recognizes(source) else {
            throw FormatFailure.notAnImage(BodyKind(head: try source.bytes(0..<512)))
        }
        var window = SourceWindow.forHeader(source)
        var format = MovieFormat.quickTime
        var isDescribed = false
        var hasData = false
        let end = window.count
        try walk(&window, 0..<end) { window, box in
            switch box.type {
            case "ftyp":
                if try !window.has("qt  ", at: box.body.lowerBound) { format = .mp4 }
            case "mdat": hasData = true
            case "moov":
                try walk(&window, box.body) { _, box in
                    // `cmov` is a compressed description.
                    if box.type == "mvhd" || box.type == "cmov" { isDescribed = true }
                }
            default: break
            }
        }
        guard isDescribed, hasData else { throw FormatFailure.truncatedMovie }
        return format
    }

    private static func walk(
        _ window: inout SourceWindow, _ range: Range<Int>, visit: (inout SourceWindow, Boxes.Box) throws -> Void
    ) throws {
        do {
            try Boxes.walk(&window, range) { window, box in
                try visit(&window, box)
                return true
            }
        } catch Boxes.Fault.truncated {
            throw FormatFailure.truncatedMovie
        } catch Boxes.Fault.corrupt(let fault) {
            throw FormatFailure.corruptMovie(fault)
        }
    }
}
