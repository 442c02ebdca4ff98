import Support

/// The metadata of a picture that its variants can keep: EXIF, XMP, creator and copyright. Ignores parts that are
/// invalid, incomplete or too large, because metadata is often malformed. Not supported: extended XMP (over 64 KB in a
/// JPEG), IPTC records (APP13), GIF comments.
public struct EmbeddedMetadata: Sendable, Hashable {
    /// The maximum size of each part in bytes. The EXIF of a camera has 10 to 60 KB.
    public static let byteLimit = 1 << 20

    /// A TIFF structure, without the `Exif` prefix of a container.
    public var exif: [UInt8]?
    /// An XML packet, without the prefix of a container.
    public var xmp: [UInt8]?
    /// EXIF's Copyright, else XMP's `dc:rights`, else a PNG's text `Copyright`.
    public var copyright: String?
    /// EXIF's Artist, else XMP's `dc:creator`, else a PNG's text `Author`.
    public var artist: String?

    public init() {}
}

/// The date, title, description and camera of a picture in its metadata.
public struct EmbeddedCaption: Sendable, Hashable {
    /// The day when the picture was taken, `YYYY-MM-DD`: EXIF's DateTimeOriginal or DateTimeDigitized, else XMP's
    /// `exif:DateTimeOriginal`, `photoshop:DateCreated` or `xmp:CreateDate`.
    public let day: String?
    /// XMP's `dc:title`.
    public let title: String?
    /// XMP's `dc:description`, else EXIF's ImageDescription unless it only names the camera; with its line breaks.
    public let text: String?
    /// `ExifBlock.camera`.
    public let camera: String?

    public init(_ metadata: EmbeddedMetadata) {
        let exif = metadata.exif.flatMap(ExifBlock.init)
        let packet = metadata.xmp.map(XMPPacket.init)
        day = [exif?.dateTaken, packet?.dateTaken].lazy.compactMap { $0.flatMap(Self.day) }.first
        title = packet?.title
        camera = exif?.camera
        let description = exif?.imageDescription
        let names = ["DIGITAL CAMERA", "SONY DSC", "EXIF_JPEG", "DCIM"]
        let isOfCamera = description.map { text in names.contains { text.uppercased().contains(text: $0) } } ?? false
        self.text = packet?.description ?? (isOfCamera ? nil : description)
    }

    /// Returns the day of a time such as `2024:02:03 10:00:00` or `2024-02-03T10:00:00`. Returns nil for an invalid
    /// time, such as a year 0000 from a camera whose clock was not set.
    private static func day(_ text: String) -> String? {
        let bytes = Array(text.utf8.prefix(10))
        guard bytes.count == 10,
            [4, 7].allSatisfy({ bytes[$0] == UInt8(ascii: ":") || bytes[$0] == UInt8(ascii: "-") }),
            bytes.indices.allSatisfy({ $0 == 4 || $0 == 7 || (0x30...0x39).contains(bytes[$0]) }), bytes[0] != 0x30
        else { return nil }
        return String(decoding: bytes.map { $0 == UInt8(ascii: ":") ? UInt8(ascii: "-") : $0 }, as: UTF8.self)
    }
}

/// Collects the parts of a file's metadata. Keeps the first part of each kind.
struct FoundParts {
    var metadata = EmbeddedMetadata()
    private let source: any ByteSource

    init(_ source: any ByteSource) { self.source = source }

    /// The parts that were found, without an invalid EXIF block. Adds creator and copyright from EXIF and XMP.
    var complete: EmbeddedMetadata {
        var complete = metadata
        let exif = metadata.exif.flatMap(ExifBlock.init)
        if exif == nil { complete.exif = nil }
        let packet = metadata.xmp.map(XMPPacket.init)
        complete.copyright = exif?.copyright ?? packet?.rights ?? metadata.copyright
        complete.artist = exif?.artist ?? packet?.creator ?? metadata.artist
        return complete
    }

    /// Returns the bytes of `range`, or nil if it is empty, too long, or extends beyond the end.
    func bytes(_ range: Range<Int>) throws -> [UInt8]? {
        guard !range.isEmpty, range.count <= EmbeddedMetadata.byteLimit, range.upperBound <= source.count else {
            return nil
        }
        let bytes = try source.bytes(range)
        return bytes.count == range.count ? bytes : nil
    }

    /// Stores an EXIF block without JPEG's prefix, which some programs write into other formats too.
    mutating func takeExif(_ range: Range<Int>) throws {
        guard metadata.exif == nil, let bytes = try bytes(range) else { return }
        metadata.exif = bytes.starts(with: "Exif\0\0".utf8) ? Array(bytes.dropFirst(6)) : bytes
    }

    /// Stores an XMP packet without the zeros that C programs append.
    mutating func takeXMP(_ range: Range<Int>) throws {
        guard metadata.xmp == nil, var bytes = try bytes(range) else { return }
        while bytes.last == 0 { bytes.removeLast() }
        if !bytes.isEmpty { metadata.xmp = bytes }
    }
}
