import Support

extension ImageFormat {
    /// Detected by its brands, like HEIC.
    public static let avif: ImageFormat = ImageFormat(
        "avif", name: "AVIF", signature: HEIFLayout.signature(.av1),
        header: { window, _ in try HEIFPicture(&window, .avif).header(.avif) })
    public static let heic: ImageFormat = ImageFormat(
        "heic", name: "HEIC", signature: HEIFLayout.signature(.hevc),
        header: { window, _ in try HEIFPicture(&window, .heic).header(.heic) })
}

/// The primary picture of an AVIF or HEIC: items with properties in the boxes of an ISO base media file
/// (ISO/IEC 23008-12 §6; AVIF 1.1 §2).
enum HEIFLayout {
    /// More items and properties than any real file has. A tiled picture has an item for each tile.
    static let itemLimit = 16_384

    /// Returns the signature of a codec's files: their brands. It never matches as `cut`, because the first four bytes
    /// of a file, a length, can have any value.
    static func signature(_ codec: HEIFPicture.Coded.Codec) -> Signature {
        Signature { head in Self.codec(ofBrands: head) == codec ? .whole : .none }
    }

    /// Returns the codec of the major brand in a file type box (ISO/IEC 14496-12 §4.3). For a generic brand of
    /// pictures, returns the codec of the first compatible brand that names a codec, or HEVC if there is no such brand.
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
}

extension HEIFPicture {
    /// Reads the description of the primary picture. Throws the errors of the source, and `FormatFailure` if the
    /// description is invalid or the data of an item is outside the file.
    public init(_ source: some ByteSource, _ format: ImageFormat) throws {
        var window = SourceWindow.forHeader(source)
        try self.init(&window, format)
    }

    fileprivate init(_ window: inout SourceWindow, _ format: ImageFormat) throws {
        let items = try HEIFItems(&window, format)
        self = try items.picture(items.primary, &window)
    }

    fileprivate func header(_ format: ImageFormat) -> ImageHeader {
        ImageHeader(
            format: format, storedSize: size, orientation: placement.orientation, isAnimated: false, hasAlpha: hasAlpha)
    }
}
