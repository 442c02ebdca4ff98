import Support

extension ImageHeader {
    /// Reads the header of a picture.
    ///
    /// Costs one read of 16 KB for most pictures, and one of 4 KB for each segment or chunk that must be hopped over
    /// behind it. The rest of the bytes is not looked at: see `ImageInspection`.
    /// Throws `FormatFailure` for bytes that are no picture of a readable format, and what the source throws.
    ///
    /// - Parameter page: of a TIFF, counted from 0; without meaning for other formats.
    public static func read(_ source: some ByteSource, page: Int = 0) throws -> ImageHeader {
        var window = SourceWindow.forHeader(source)
        return try read(&window, page: page)
    }

    static func read(_ window: inout SourceWindow, page: Int = 0) throws -> ImageHeader {
        let format = try format(&window)
        return switch format {
        case .jpeg: try JPEGLayout.header(&window)
        case .png: try PNGLayout.header(&window)
        case .gif: try GIFLayout.header(&window)
        case .webp: try WebPLayout.header(&window)
        case .tiff: try TIFFLayout.header(&window, page: page)
        case .avif, .heic: try HEIFLayout.header(&window, format)
        case .jpegXL: try JPEGXLLayout.header(&window)
        }
    }

    /// The format by the first bytes. Throws `FormatFailure`.
    private static func format(_ window: inout SourceWindow) throws -> ImageFormat {
        guard window.count > 0 else { throw FormatFailure.empty }
        let head = try window.bytes(at: 0, min(window.count, 512)) ?? []
        if let format = ImageFormat(magic: head) { return format }
        if let format = ImageFormat.allCases.first(where: { $0.magicBegins(with: head) }) {
            throw FormatFailure.truncated(format)
        }
        let kind = BodyKind(head: head)
        throw kind.isPicture ? FormatFailure.unsupported(kind) : .notAnImage(kind)
    }
}

extension ImageFormat {
    /// Whether `bytes` are a beginning of the format's magic that was cut off within it.
    fileprivate func magicBegins(with bytes: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .jpeg: [0xFF, 0xD8, 0xFF].starts(with: bytes)
        case .png: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A].starts(with: bytes)
        case .gif: "GIF87a".utf8.starts(with: bytes) || "GIF89a".utf8.starts(with: bytes)
        case .webp:
            bytes.count < 12 && bytes.prefix(4).elementsEqual("RIFF".utf8.prefix(bytes.count))
                && "WEBP".utf8.starts(with: bytes.dropFirst(8))
        case .tiff: Self.tiffMarks.contains { $0.starts(with: bytes) }
        case .jpegXL: Self.jpegXLContainer.starts(with: bytes)
        // The length comes first, which may be any.
        case .avif, .heic: false
        }
    }
}
