/// The properties of a picture that are known before any pixel is decoded.
public struct ImageHeader: Sendable, Hashable {
    public let format: ImageFormat
    /// Columns and rows as stored, or the canvas of an animation. Both are at least 1.
    public let storedSize: PixelSize
    /// The Exif orientation; `upright` without a valid tag.
    public let orientation: Orientation
    /// Whether there are several frames; nil for a GIF before `ImageInspection.checkEnd`.
    public internal(set) var isAnimated: Bool?
    /// Whether pixels can be transparent; nil for a GIF before `ImageInspection.checkEnd`.
    public internal(set) var hasAlpha: Bool?
    /// Whether the still picture of an animated PNG (`IDAT`) is not a frame of the animation. Only viewers that do not
    /// support animation show it.
    public let hasSeparateStaticImage: Bool
    /// The page of a TIFF, counted from 0; 0 for other formats.
    public let page: Int
    /// The offset of the height in the frame header of a JPEG whose real height follows the first scan (ITU-T T.81
    /// B.2.5); nil for other pictures.
    public let dnlHeightOffset: Int?
    /// Whether the picture ends too early. Set only if `DecodeOptions.allowsTruncated` is true.
    public var isTruncated = false
    /// Whether the structure is damaged. Set only if `DecodeOptions.allowsDamage` is true.
    public var isDamaged = false

    public init(
        format: ImageFormat, storedSize: PixelSize, orientation: Orientation = .upright, isAnimated: Bool? = false,
        hasAlpha: Bool? = false, hasSeparateStaticImage: Bool = false, page: Int = 0, dnlHeightOffset: Int? = nil
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.isAnimated = isAnimated
        self.hasAlpha = hasAlpha
        self.hasSeparateStaticImage = hasSeparateStaticImage
        self.page = page
        self.dnlHeightOffset = dnlHeightOffset
    }

    /// The size after rotation to upright.
    public var uprightSize: PixelSize { orientation.swapsAxes ? storedSize.swapped : storedSize }
}
