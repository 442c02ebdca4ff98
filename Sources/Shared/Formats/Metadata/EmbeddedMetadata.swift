import Support

/// What a picture's file carries beside its pixels, as far as it is kept: EXIF, XMP, and who made it.
///
/// Metadata is often written carelessly: what is odd, cut off or over the limit is left out, and
/// never an error. Not read: extended XMP (over 64 KB in a JPEG), IPTC's own records (APP13), GIF comments.
public struct EmbeddedMetadata: Sendable, Hashable {
    /// Bytes of each part that are taken at most; more is left out. 1 MiB: EXIF of a camera has some 10 to 60 KB.
    public static let byteLimit = 1 << 20

    /// A TIFF structure from its byte order mark on, without a container's `Exif` prefix.
    public var exif: [UInt8]?
    /// A packet of XML, without a container's prefix.
    public var xmp: [UInt8]?
    /// From EXIF's Copyright, else XMP's `dc:rights`, else a PNG's text.
    public var copyright: String?
    /// From EXIF's Artist, else XMP's `dc:creator`, else a PNG's text `Author`.
    public var artist: String?

    public init(exif: [UInt8]? = nil, xmp: [UInt8]? = nil, copyright: String? = nil, artist: String? = nil) {
        self.exif = exif
        self.xmp = xmp
        self.copyright = copyright
        self.artist = artist
    }
}

/// The parts of a file's metadata as a layout comes across them; of each the first counts.
struct FoundParts {
    var metadata = EmbeddedMetadata()
    private let source: any ByteSource

    init(_ source: any ByteSource) { self.source = source }

    /// The parts without an unreadable EXIF block, and with creator and copyright by EXIF, else XMP, else a text.
    var complete: EmbeddedMetadata {
        var complete = metadata
        let exif = metadata.exif.flatMap(ExifBlock.init)
        if exif == nil { complete.exif = nil }
        let packet = metadata.xmp.map(XMPPacket.init)
        complete.copyright = exif?.copyright ?? packet?.rights ?? metadata.copyright
        complete.artist = exif?.artist ?? packet?.creator ?? metadata.artist
        return complete
    }

    /// The bytes of `range`; nil if it is empty, too long, or reaches beyond the end.
    func bytes(_ range: Range<Int>) throws -> [UInt8]? {
        guard !range.isEmpty, range.count <= EmbeddedMetadata.byteLimit, range.upperBound <= source.count else {
            return nil
        }
        let bytes = try source.bytes(range)
        return bytes.count == range.count ? bytes : nil
    }

    /// Takes EXIF that may begin with JPEG's prefix, which some programs write into other formats too.
    mutating func takeExif(_ range: Range<Int>) throws {
        guard metadata.exif == nil, let bytes = try bytes(range) else { return }
        metadata.exif = bytes.starts(with: "Exif\0\0".utf8) ? Array(bytes.dropFirst(6)) : bytes
    }

    /// Takes XMP without zeros behind it, as C programs leave them, which are no text.
    mutating func takeXMP(_ range: Range<Int>) throws {
        guard metadata.xmp == nil, var bytes = try bytes(range) else { return }
        while bytes.last == 0 { bytes.removeLast() }
        if !bytes.isEmpty { metadata.xmp = bytes }
    }
}
