/// A picture format that the tools read.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg, png, gif, webp

    /// IANA media type.
    public var contentType: String { "image/\(rawValue)" }

    /// The usual file extension, without a dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The format that the first bytes claim: JPEG SOI and a marker (ITU T.81 B.1.1), the PNG signature (PNG §5.2),
    /// `GIF87a`/`GIF89a` (GIF89a §17), a RIFF container of the form `WEBP`. Twelve bytes are enough; nil for anything
    /// else.
    public init?(magic bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(12))
        func begins(_ pattern: [UInt8], at offset: Int = 0) -> Bool {
            head.count >= offset + pattern.count && Array(head[offset..<offset + pattern.count]) == pattern
        }
        if begins([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
            self = .gif
        } else if begins(Array("RIFF".utf8)) && begins(Array("WEBP".utf8), at: 8) {
            self = .webp
        } else {
            return nil
        }
    }
}
