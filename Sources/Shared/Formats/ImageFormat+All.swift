import Support

extension ImageFormat {
    /// All supported formats, in the order in which messages list them.
    public static let all: [ImageFormat] = [.jpeg, .png, .gif, .webp, .tiff, .avif, .heic, .jpegXL]

    /// Returns the format of a file that begins with `head`, or nil. Twelve bytes are enough, except for an AVIF with a
    /// generic major brand: only its compatible brands distinguish it from HEIC.
    public static func detected(in head: ArraySlice<UInt8>) -> ImageFormat? { all.first { $0.matches(head) } }

    /// Returns the format that has a file extension, or nil. The extension must be in lower case.
    public static func named(byExtension fileExtension: some StringProtocol) -> ImageFormat? {
        all.first { $0.fileExtensions.contains { $0 == fileExtension } }
    }
}

extension ImageHeader {
    /// Reads the header of a picture. This takes the first 16 KB of the source, and 4 KB for each segment or chunk
    /// beyond them. `page` is the page of a TIFF, counted from 0. `ImageInspection` checks the rest of the picture.
    /// Throws the errors of the source, and `FormatFailure` if the bytes are not a picture of a supported format.
    public static func read(_ source: some ByteSource, page: Int = 0) throws -> ImageHeader {
        var window = SourceWindow.forHeader(source)
        return try read(&window, page: page)
    }

    static func read(_ window: inout SourceWindow, page: Int = 0) throws -> ImageHeader {
        guard window.count > 0 else { throw FormatFailure.empty }
        let head = try window.bytes(at: 0, min(window.count, 512)) ?? []
        if let format = ImageFormat.detected(in: head) { return try format.header(&window, page) }
        if let format = ImageFormat.all.first(where: { $0.signature.match(head) == .cut }) {
            throw FormatFailure.truncated(format)
        }
        let kind = BodyKind(head: head)
        throw kind.isPicture ? FormatFailure.unsupported(kind, readable: ImageFormat.all) : .notAnImage(kind)
    }
}

extension EmbeddedMetadata {
    /// Reads the metadata of a picture. Returns empty metadata if the file is not a picture, or if the metadata of its
    /// format is not supported. Reads a GIF completely, and a few KB of other formats. Throws the errors of the source.
    public static func read(_ source: some ByteSource) throws -> EmbeddedMetadata {
        var window = SourceWindow.forHeader(source)
        guard let head = try window.bytes(at: 0, min(window.count, 16)), let format = ImageFormat.detected(in: head)
        else { return EmbeddedMetadata() }
        var found = FoundParts(source)
        try format.findMetadata(&window, &found)
        return found.complete
    }
}
