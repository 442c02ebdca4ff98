import Support

/// The apparent kind of a file that is not a picture of a supported format. For error messages.
public enum BodyKind: Sendable, Equatable, CaseIterable {
    case html, json, xml, text
    case svg, bmp, icon, jpeg2000, photoshop
    case pdf, zip, gzip, video
    case other

    /// Examines the first 512 bytes, which suffice for the error pages of web servers.
    public init(head: some Collection<UInt8>) {
        let bytes = Array(head.prefix(512))
        if let kind = Self.signatures.first(where: { bytes.starts(with: $0.pattern) })?.kind {
            self = kind
        } else {
            self = Self.containerKind(bytes) ?? Self.textKind(bytes) ?? .other
        }
    }

    /// Whether the bytes are a picture of an unsupported format.
    public var isPicture: Bool { [.svg, .bmp, .icon, .jpeg2000, .photoshop].contains(self) }

    /// The phrase for messages, such as `an HTML page`.
    public var phrase: String {
        switch self {
        case .html: "an HTML page"
        case .json: "JSON"
        case .xml: "XML"
        case .text: "plain text"
        case .svg: "an SVG picture"
        case .bmp: "a BMP picture"
        case .icon: "an ICO picture"
        case .jpeg2000: "a JPEG 2000 picture"
        case .photoshop: "a Photoshop document"
        case .pdf: "a PDF document"
        case .zip: "a ZIP archive"
        case .gzip: "gzip-compressed data"
        case .video: "a video"
        case .other: "data of an unknown type"
        }
    }

    /// Signatures from the specifications of the formats: ICONDIR, ISO 15444-1 annexes A and I, ISO 32000 §7.5.2, RFC
    /// 1952, EBML.
    private static let signatures: [(kind: BodyKind, pattern: [UInt8])] = [
        (.icon, [0x00, 0x00, 0x01, 0x00]),
        (.jpeg2000, [0xFF, 0x4F, 0xFF, 0x51]),
        (.jpeg2000, [0x00, 0x00, 0x00, 0x0C, 0x6A, 0x50, 0x20, 0x20, 0x0D, 0x0A, 0x87, 0x0A]),
        (.photoshop, Array("8BPS".utf8)), (.pdf, Array("%PDF-".utf8)),
        (.zip, [0x50, 0x4B, 0x03, 0x04]), (.gzip, [0x1F, 0x8B]),
        (.video, [0x1A, 0x45, 0xDF, 0xA3]),
    ]

    /// Detects formats that need more than a signature. `BM` may also begin ordinary text, so the reserved words of a
    /// BMP's BITMAPFILEHEADER must be zero too. An ISO base media file (ISO 14496-12 §4.3) that is not a picture is a
    /// movie.
    private static func containerKind(_ bytes: [UInt8]) -> BodyKind? {
        if bytes.count >= 10, bytes.starts(with: Array("BM".utf8)), bytes[6..<10].allSatisfy({ $0 == 0 }) {
            return .bmp
        }
        return bytes.count >= 12 && Array(bytes[4..<8]) == Array("ftyp".utf8) ? .video : nil
    }

    /// Classifies text by its beginning, after a byte-order mark and white space. Returns nil for binary data.
    private static func textKind(_ bytes: [UInt8]) -> BodyKind? {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        guard let first = rest.first else { return bytes.isEmpty ? nil : .text }
        guard rest.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0C, 0x0D].contains($0) }) else { return nil }
        let text = String(decoding: rest, as: UTF8.self).lowercased()
        if first == UInt8(ascii: "<") {
            if text.contains(text: "<svg") { return .svg }
            if text.hasPrefix("<!doctype html") || text.contains(text: "<html") || text.contains(text: "<head")
                || text.contains(text: "<body")
            {
                return .html
            }
            return text.hasPrefix("<?xml") ? .xml : .html
        }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return .json }
        // Bytes beyond ASCII that are not valid UTF-8 are binary data.
        return String(validating: rest, as: UTF8.self) != nil || rest.allSatisfy({ $0 < 0x80 }) ? .text : nil
    }
}
