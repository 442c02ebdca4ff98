import Formats
import Support

/// The description of an output to make from a picture.
public struct Output {
    public var geometry: Geometry
    public var encoding: EncodeOptions
    /// The background for `ContentMode.contain`.
    public var backdrop: Backdrop
    public var gradient: Gradient
    /// In pixels of the requested size. If the output is smaller, the radius is reduced in proportion.
    public var cornerRadius: Double
    /// Whether to keep and embed the source's profile instead of converting to sRGB. CMYK is always converted.
    public var keepsProfile: Bool
    public var wantsHash: Bool
    /// Metadata to embed, adjusted to the output's size.
    public var exif: ExifBlock?
    public var xmp: XMPPacket?
    /// The frame to show, counted from 0. Nil shows all frames, or the first frame if the output format does not
    /// support animations.
    public var frame: Int?
    /// The maximum frame rate of an animation. The time of dropped frames is added to the previous frame. Nil keeps
    /// all frames.
    public var framesPerSecond: Double?
    /// The maximum number of bytes. The quality is lowered to fit.
    public var byteLimit: Int?
    /// Receives the encoded bytes. After an error, the sink contains an incomplete file.
    public var sink: any ByteSink
    /// Receives the tiles of the whole picture in several levels, in place of a single file. `sink` then receives
    /// nothing, and `geometry` is ignored. Nil makes a single file.
    public var tiles: (any TileSink)?

    public init(
        _ geometry: Geometry, encoding: EncodeOptions, backdrop: Backdrop = .colour(.white), gradient: Gradient = .none,
        cornerRadius: Double = 0, keepsProfile: Bool = false, wantsHash: Bool = false, exif: ExifBlock? = nil,
        xmp: XMPPacket? = nil, frame: Int? = nil, framesPerSecond: Double? = nil, byteLimit: Int? = nil,
        sink: any ByteSink, tiles: (any TileSink)? = nil
    ) {
        self.geometry = geometry
        self.encoding = encoding
        self.backdrop = backdrop
        self.gradient = gradient
        self.cornerRadius = cornerRadius
        self.keepsProfile = keepsProfile
        self.wantsHash = wantsHash
        self.exif = exif
        self.xmp = xmp
        self.frame = frame
        self.framesPerSecond = framesPerSecond
        self.byteLimit = byteLimit
        self.sink = sink
        self.tiles = tiles
    }

    /// Whether pixels are changed or analysed after resampling.
    var needsPixels: Bool { gradient != .none || cornerRadius > 0 || wantsHash || byteLimit != nil }
}

public struct DownsampleResult: Sendable, Hashable {
    /// The upright size.
    public let size: PixelSize
    public let format: OutputFormat
    public let bytes: Int
    /// Whether the source was truncated, so that a part of the output is missing.
    public let isTruncated: Bool
    /// Whether invalid data in the source was skipped, so that a part of the output may be wrong.
    public let isDamaged: Bool
    /// Nil unless requested.
    public let hash: PlaceholderHash?
    /// Nil for a source with a single frame.
    public let frames: FrameCounts?
}

/// The number of frames in the source and in the output.
public struct FrameCounts: Sendable, Hashable {
    public let source: Int
    public let output: Int
}
