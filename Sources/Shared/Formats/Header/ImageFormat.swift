/// A picture format that the tools read.
public enum ImageFormat: String, Sendable, CaseIterable {
    case jpeg, png, gif, webp, tiff, avif, heic
    case jpegXL = "jxl"

    /// IANA media type.
    public var contentType: String { "image/\(rawValue)" }

    /// The usual file extension, without a dot.
    public var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    /// The format that the first bytes claim: JPEG SOI and a marker (ITU T.81 B.1.1), the PNG signature (PNG §5.2),
    /// `GIF87a`/`GIF89a` (GIF89a §17), a RIFF container of the form `WEBP`, TIFF's order of bytes and 42, or 43 for
    /// BigTIFF, the brands of AVIF and HEIC, a JPEG XL codestream (ISO/IEC 18181-1 annex D) or its container. Twelve
    /// bytes are enough, but for an AVIF that calls itself a picture of no kind first; nil for anything else.
    public init?(magic bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(64))
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
        } else if Self.tiffMarks.contains(where: { begins($0) }) {
            self = .tiff
        } else if begins([0xFF, 0x0A]) || begins(Self.jpegXLContainer) {
            self = .jpegXL
        } else if let format = Self.format(ofBrands: head) {
            self = format
        } else {
            return nil
        }
    }

    static let tiffMarks: [[UInt8]] = [
        Array("II*\0".utf8), Array("MM\0*".utf8), Array("II+\0".utf8), Array("MM\0+".utf8),
    ]
    static let jpegXLContainer: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]

    /// What a file type box says (ISO/IEC 14496-12 §4.3): its major brand, or, if that is the one of pictures of any
    /// kind, the first of the compatible ones that tells.
    private static func format(ofBrands head: [UInt8]) -> ImageFormat? {
        guard head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
        func format(_ offset: Int) -> ImageFormat? {
            switch String(decoding: head[offset..<offset + 4], as: UTF8.self) {
            case "avif", "avis": .avif
            case "heic", "heix", "heim", "heis", "hevc", "hevx": .heic
            default: nil
            }
        }
        if let format = format(8) { return format }
        guard ["mif1", "msf1"].contains(String(decoding: head[8..<12], as: UTF8.self)) else { return nil }
        let end = min(head[0..<4].reduce(0) { $0 << 8 | Int($1) }, head.count)
        return stride(from: 16, through: end - 4, by: 4).lazy.compactMap { format($0) }.first ?? .heic
    }
}
