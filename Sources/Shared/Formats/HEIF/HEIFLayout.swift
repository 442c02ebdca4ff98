import Support

extension ImageFormat {
    /// Known by its brands, as HEIC is.
    public static let avif: ImageFormat = ImageFormat(
        "avif", name: "AVIF", signature: HEIFLayout.signature(.av1),
        header: { window, _ in try HEIFLayout.header(&window, .avif) })
    public static let heic: ImageFormat = ImageFormat(
        "heic", name: "HEIC", signature: HEIFLayout.signature(.hevc),
        header: { window, _ in try HEIFLayout.header(&window, .heic) })
}

/// The primary picture of an AVIF or HEIC: items with properties in the boxes of an ISO base media file
/// (ISO/IEC 23008-12 §6; AVIF 1.1 §2).
enum HEIFLayout {
    /// Items and properties beyond any real file's; a picture in tiles has one for each.
    static let itemLimit = 16_384

    /// The length of the first box comes before its type, so that no cut file is recognized.
    static func signature(_ codec: HEIFPicture.Coded.Codec) -> Signature {
        Signature { head in Self.codec(ofBrands: head) == codec ? .whole : .none }
    }

    /// Returns the codec that a file type box names (ISO/IEC 14496-12 §4.3): by its major brand or, if that is the brand
    /// of pictures of any kind, by the first compatible brand that names a codec.
    private static func codec(ofBrands head: ArraySlice<UInt8>) -> HEIFPicture.Coded.Codec? {
        func number(_ offset: Int) -> Int { ByteOrder.bigEndian.number(head.dropFirst(offset).prefix(4)) }
        func brand(_ offset: Int) -> FourCC { FourCC(UInt32(number(offset))) }
        func codec(_ offset: Int) -> HEIFPicture.Coded.Codec? {
            switch brand(offset) {
            case "avif", "avis": .av1
            case "heic", "heix", "heim", "heis", "hevc", "hevx": .hevc
            default: nil
            }
        }
        guard head.count >= 12, brand(4) == "ftyp" else { return nil }
        if let codec = codec(8) { return codec }
        guard ["mif1", "msf1"].contains(brand(8)) else { return nil }
        return stride(from: 16, through: min(number(0), head.count) - 4, by: 4).lazy.compactMap(codec).first ?? .hevc
    }

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
