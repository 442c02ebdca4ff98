import Formats
import Support

/// One picture that is to be made of another.
public struct Output {
    /// Its size, and the part of the source that it shows.
    public var geometry: Geometry
    public var encoding: EncodeOptions
    /// What fills the room that `ContentMode.contain` leaves.
    public var backdrop: Backdrop
    /// What is drawn over it.
    public var gradient: Gradient
    /// Of its corners, in its pixels; if it comes out smaller than asked for, the radius shrinks with it.
    public var cornerRadius: Double
    /// Whether colours stay in the source's profile, which is then embedded, instead of sRGB. Inks become sRGB anyway.
    public var keepsProfile: Bool
    /// Whether the result has a hash to show while the picture is on its way.
    public var wantsHash: Bool
    /// What is written beside the pixels, put right for the output's size.
    public var exif: ExifBlock?
    public var xmp: XMPPacket?
    /// The one frame that is shown, counted from 0; nil is all, or the first if the format holds one.
    public var frame: Int?
    /// The most frames of an animation that are shown in a second: the others are left out, and their time is added to
    /// those before them. Nil is all.
    public var framesPerSecond: Double?
    /// The most bytes it may have: the quality is lowered until it fits.
    public var byteLimit: Int?
    /// Takes the encoded bytes. After an error it has been given only a beginning.
    public var sink: any ByteSink

    public init(
        _ geometry: Geometry, encoding: EncodeOptions, backdrop: Backdrop = .colour(.white), gradient: Gradient = .none,
        cornerRadius: Double = 0,
        keepsProfile: Bool = false, wantsHash: Bool = false, exif: ExifBlock? = nil, xmp: XMPPacket? = nil,
        frame: Int? = nil, framesPerSecond: Double? = nil,
        byteLimit: Int? = nil, sink: any ByteSink
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
    }

    /// Whether its pixels are changed or looked at after they have been resampled.
    var needsPixels: Bool { gradient != .none || cornerRadius > 0 || wantsHash || byteLimit != nil }
}

/// What has been made of a picture.
public struct DownsampleResult: Sendable, Hashable {
    /// The output, upright.
    public let size: PixelSize
    public let format: OutputFormat
    /// Bytes that went to the sink.
    public let bytes: Int
    /// Whether the source ended too early, so that some of the output is made up.
    public let isTruncated: Bool
    /// Whether damage in the source was passed over, so that some of the output may be wrong.
    public let isDamaged: Bool
    /// If it was asked for.
    public let hash: PlaceholderHash?
    /// Frames of an animated source, and how many of them are in the output; nil for a source with one.
    public let frames: FrameCounts?
}

/// How many frames went in and came out.
public struct FrameCounts: Sendable, Hashable {
    public let source: Int
    public let output: Int
}
