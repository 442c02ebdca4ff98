import Support

/// The primary picture of an AVIF or HEIC: items with properties in the boxes of an ISO base media file
/// (ISO/IEC 23008-12 §6; AVIF 1.1 §2).
enum HEIFLayout {
    /// Items and properties beyond any real file's; a picture in tiles has one for each.
    static let itemLimit = 16_384

    /// Size, orientation and alpha of the primary picture. All data of all items must lie in the file. Throws
    /// `FormatFailure`.
    static func header(_ window: inout SourceWindow, _ format: ImageFormat) throws -> ImageHeader {
        let picture = try picture(&window, format)
        return ImageHeader(
            format: format, storedSize: picture.size, orientation: picture.placement.orientation, isAnimated: false,
            hasAlpha: picture.hasAlpha)
    }

    static func picture(_ window: inout SourceWindow, _ format: ImageFormat) throws -> HEIFPicture {
        let items = try HEIFItems(&window, format)
        return try items.picture(items.primary, &window)
    }
}

extension HEIFPicture {
    /// Reads the description of the primary picture. Throws `FormatFailure` and errors of the source.
    public init(_ source: some ByteSource, _ format: ImageFormat) throws {
        var window = SourceWindow.forHeader(source)
        self = try HEIFLayout.picture(&window, format)
    }
}
