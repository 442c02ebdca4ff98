import Formats

/// A format that pictures are written in.
public enum OutputFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp, avif

    /// IANA media type.
    public var contentType: String { "image/\(rawValue)" }

    /// The usual file extension, without a dot.
    public var fileExtension: String { readable.fileExtension }

    /// Returns nil if the extension, in any case, is of no format that is written.
    public init?(fileExtension: String) {
        guard let format = ImageFormat.named(byExtension: fileExtension.lowercased()) else { return nil }
        self.init(rawValue: format.id)
    }

    /// The name as people write it.
    public var name: String { readable.name }

    /// The same format among the formats that are read, as all written ones are.
    private var readable: ImageFormat { ImageFormat.all.first { $0.id == rawValue }! }

    /// Whether pixels can be transparent in it.
    var hasAlpha: Bool { self != .jpeg }

    /// Whether it loses more at a lower quality.
    var hasQuality: Bool { self != .png && self != .gif }

    /// Columns and rows that fit: libjpeg's JPEG_MAX_DIMENSION, GIF89a §18, VP8's 14 bits, AV1 §5.5.1.
    var maxSide: Int {
        switch self {
        case .jpeg: 65_500
        // PNG could hold 2^31 - 1 (§11.2.2), which nothing can show, but an untrusted record can ask for.
        case .png: 1_000_000
        case .gif, .avif: 65_535
        case .webp: 16_383
        }
    }
}
