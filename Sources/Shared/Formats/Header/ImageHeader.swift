/// What a picture says about itself before any pixel is decoded.
public struct ImageHeader: Sendable, Hashable {
    public let format: ImageFormat
    /// Columns and rows as they are stored; the canvas of an animation. Both at least 1.
    public let storedSize: PixelSize
    /// How the stored rows and columns are to be turned: Exif's tag, `upright` if there is none or a bad one.
    public let orientation: Orientation
    /// Whether there are several frames; nil for a GIF, where only a walk through all of it tells (`GIFStructure`).
    public internal(set) var isAnimated: Bool?
    /// Whether pixels can be transparent; nil for a GIF, where each frame decides.
    public internal(set) var hasAlpha: Bool?
    /// Whether it is an animated PNG whose image data belongs to no frame, so that only viewers without animations
    /// show it.
    public let hidesStill: Bool
    /// The page of a TIFF that this is said of, counted from 0; 0 for all other formats.
    public let page: Int
    /// Where the frame header of a JPEG has 0 for the height, which then stands behind the first scan (ITU-T T.81 B.2.5);
    /// nil for all others.
    public let lateHeightOffset: Int?
    /// Whether the picture ends too early, but is shown because the options allow that.
    public var isTruncated = false
    /// Whether the picture's structure is damaged, but the picture is shown because the options allow that.
    public var isDamaged = false

    public init(
        format: ImageFormat, storedSize: PixelSize, orientation: Orientation = .upright, isAnimated: Bool?,
        hasAlpha: Bool?, hidesStill: Bool = false, page: Int = 0, lateHeightOffset: Int? = nil
    ) {
        self.format = format
        self.storedSize = storedSize
        self.orientation = orientation
        self.isAnimated = isAnimated
        self.hasAlpha = hasAlpha
        self.hidesStill = hidesStill
        self.page = page
        self.lateHeightOffset = lateHeightOffset
    }

    /// The size of the picture as it is to be seen.
    public var uprightSize: PixelSize { orientation.swapsAxes ? storedSize.swapped : storedSize }
}
