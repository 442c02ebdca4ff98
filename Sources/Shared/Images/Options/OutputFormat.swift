import Formats

/// A format for writing pictures.
public enum OutputFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp, avif

    public var contentType: String { "image/\(rawValue)" }

    /// The usual file extension, without a dot.
    public var fileExtension: String { readable.fileExtension }

    /// Returns the format for a file extension, ignoring case, or nil for any other extension.
    public init?(fileExtension: String) {
        guard let format = ImageFormat.named(byExtension: fileExtension.lowercased()) else { return nil }
        self.init(rawValue: format.id)
    }

    public var name: String { readable.name }

    /// The same format among the input formats, which include all output formats.
    private var readable: ImageFormat { ImageFormat.all.first { $0.id == rawValue }! }

    var hasAlpha: Bool { self != .jpeg }

    /// Whether the quality has an effect on a still picture.
    var hasQuality: Bool { self != .png && self != .gif }

    /// The maximum width and height: libjpeg's JPEG_MAX_DIMENSION, GIF89a §18, VP8's 14 bits, AV1 §5.5.1.
    var maxSide: Int {
        switch self {
        case .jpeg: 65_500
        // PNG allows 2^31 - 1 (§11.2.2). No viewer can show such a picture, but untrusted input could request it.
        case .png: 1_000_000
        case .gif, .avif: 65_535
        case .webp: 16_383
        }
    }
}
