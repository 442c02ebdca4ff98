/// A format that pictures are written in.
public enum OutputFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp, avif

    /// IANA media type.
    public var contentType: String { "image/\(rawValue)" }

    /// The usual file extension, without a dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The format that a file's extension stands for, whatever its case; nil for one that is not written.
    public init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "jpg", "jpeg", "jpe", "jfif": self = .jpeg
        case "png": self = .png
        case "gif": self = .gif
        case "webp": self = .webp
        case "avif": self = .avif
        default: return nil
        }
    }

    /// The format's name as people write it.
    public var name: String {
        switch self {
        case .jpeg: "JPEG"
        case .png: "PNG"
        case .gif: "GIF"
        case .webp: "WebP"
        case .avif: "AVIF"
        }
    }

    /// Whether pixels can be transparent in it.
    var hasAlpha: Bool { self != .jpeg }

    /// Whether it loses more at a lower quality.
    var hasQuality: Bool { self != .png && self != .gif }

    /// Columns and rows that fit: libjpeg's JPEG_MAX_DIMENSION, GIF89a §18, VP8's 14 bits, AV1 §5.5.1.
    var maxSide: Int {
        switch self {
        case .jpeg: 65_500
        // PNG could hold 2^31 - 1 (§11.2.2), which nobody can show, but strangers can ask for.
        case .png: 1_000_000
        case .gif, .avif: 65_535
        case .webp: 16_383
        }
    }
}

/// A colour without alpha, sRGB.
public struct RGB: Sendable, Hashable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Reads `#rrggbb`, `rrggbb` or `#rgb`; nil for anything else.
    public init?(hex text: String) {
        let digits = text.drop { $0 == "#" }.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard text.utf8.filter({ $0 == UInt8(ascii: "#") }).count <= 1, digits.count == 3 || digits.count == 6,
            !digits.contains(nil)
        else { return nil }
        let values = digits.map { UInt8($0!) }
        if values.count == 3 {
            self.init(red: values[0] * 17, green: values[1] * 17, blue: values[2] * 17)
        } else {
            self.init(
                red: values[0] << 4 | values[1], green: values[2] << 4 | values[3], blue: values[4] << 4 | values[5])
        }
    }

    public static let white = RGB(red: 255, green: 255, blue: 255)
    public static let black = RGB(red: 0, green: 0, blue: 0)

    var isGray: Bool { red == green && green == blue }

    /// Rec. 601 luma, as JPEG's gray is.
    var luma: UInt8 {
        let sum: Int = 299 * Int(red) + 587 * Int(green) + 114 * Int(blue)
        return UInt8((sum + 500) / 1000)
    }
}

/// How a picture is written. Equal options and pixels give equal bytes.
public struct EncodeOptions: Sendable, Hashable {
    public var format: OutputFormat
    /// 1...100 on the format's own scale; AVIF has JPEG's. PNG and GIF, which compress without loss, ignore it. Values
    /// outside are held to the range.
    public var quality: Int {
        didSet { quality = min(max(quality, 1), 100) }
    }
    /// What transparent pixels lie on where the format has no alpha (JPEG), and half-transparent ones where pixels are
    /// either transparent or not (GIF).
    public var background: RGB
    /// Whether a JPEG is written in scans that show it coarse first, a PNG interlaced; the others ignore it. Default
    /// false.
    public var isProgressive: Bool
    /// What is written beside the pixels. Default nothing.
    public var metadata: PictureMetadata

    public init(
        format: OutputFormat = .jpeg, quality: Int = 82, background: RGB = .white, isProgressive: Bool = false,
        metadata: PictureMetadata = PictureMetadata()
    ) {
        self.format = format
        self.quality = min(max(quality, 1), 100)
        self.background = background
        self.isProgressive = isProgressive
        self.metadata = metadata
    }

    /// Memory that an encoder takes for each pixel, about, where it wants the whole picture.
    var bytesPerPixel: Int {
        switch format {
        case .jpeg: isProgressive ? 6 : 0
        case .png: isProgressive ? 4 : 0
        case .gif: 10
        case .webp: 8
        case .avif: 12
        }
    }
}
