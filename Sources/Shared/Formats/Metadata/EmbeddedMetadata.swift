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

    /// Reads the metadata of a JPEG, PNG, GIF or WebP; nothing for other bytes.
    ///
    /// Costs a few small reads and one for each part; a GIF is walked through. Throws what the source throws.
    public static func read(_ source: some ByteSource) throws -> EmbeddedMetadata {
        var window = SourceWindow.forHeader(source)
        guard window.count > 0, let head = try window.bytes(at: 0, min(window.count, 16)),
            let format = ImageFormat(magic: head)
        else { return EmbeddedMetadata() }
        var found = FoundParts(source)
        switch format {
        case .jpeg: try JPEGLayout.findMetadata(&window, &found)
        case .png: try PNGLayout.findMetadata(&window, &found)
        case .gif: try GIFLayout.findMetadata(&window, &found)
        case .webp: try WebPLayout.findMetadata(&window, &found)
        case .tiff, .avif, .heic, .jpegXL: break
        }
        var metadata = found.metadata
        let exif = metadata.exif.flatMap(ExifBlock.init)
        if exif == nil { metadata.exif = nil }
        let packet = metadata.xmp.map(XMPPacket.init)
        metadata.copyright = exif?.copyright ?? packet?.rights ?? metadata.copyright
        metadata.artist = exif?.artist ?? packet?.creator ?? metadata.artist
        return metadata
    }
}

/// The parts of a file's metadata as a layout comes across them; of each the first counts.
struct FoundParts {
    var metadata = EmbeddedMetadata()
    private let source: any ByteSource

    init(_ source: any ByteSource) { self.source = source }

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

extension JPEGLayout {
    static let xmpName: StaticString = "http://ns.adobe.com/xap/1.0/\0"

    /// EXIF (CIPA DC-008 4.7.2) and XMP (XMP part 3, §1.1.3) in APP1 segments before the first scan.
    static func findMetadata(_ window: inout SourceWindow, _ found: inout FoundParts) throws {
        var markers = JPEGMarkers(at: 2)
        while let segment = try window.nextSegment(&markers), segment.code != JPEGMarkers.startOfScan,
            segment.code != JPEGMarkers.endOfImage
        {
            guard segment.code == app1 else { continue }
            let body = segment.body
            if try window.has("Exif\0\0", at: body.lowerBound), body.count > 6 {
                try found.takeExif(body)
            } else if try window.has(xmpName, at: body.lowerBound), body.count > xmpName.utf8CodeUnitCount {
                try found.takeXMP(body.dropFirst(xmpName.utf8CodeUnitCount))
            }
        }
    }
}

extension WebPLayout {
    static func findMetadata(_ window: inout SourceWindow, _ found: inout FoundParts) throws {
        var offset = 12
        for _ in 0..<hopLimit {
            guard let chunk = try nextChunk(&window, at: offset) else { break }
            if chunk.type == "EXIF" { try found.takeExif(chunk.body) }
            if chunk.type == "XMP " { try found.takeXMP(chunk.body) }
            offset = chunk.end
        }
    }
}

extension GIFLayout {
    /// XMP in its application extension (XMP part 3, §1.1.2). The packet stands there as it is, its letters taken for
    /// lengths of sub-blocks; behind it 258 bytes lead any reader that hops through it to the end.
    static func findMetadata(_ window: inout SourceWindow, _ found: inout FoundParts) throws {
        let trailer = 258
        do {
            var offset = try screen(&window).end
            while let introducer = try window.byte(at: offset), let label = try window.byte(at: offset + 1) {
                if introducer == 0x2C {
                    guard let flags = try window.byte(at: offset + 9) else { return }
                    offset = try skipSubBlocks(&window, at: offset + 11 + 3 * paletteCount(flags))
                } else if introducer == 0x21 {
                    let end = try skipSubBlocks(&window, at: offset + 2)
                    let packet = offset + 14
                    if label == 0xFF, try window.has("\u{B}XMP DataXMP", at: offset + 2), end - packet > trailer,
                        try window.bigEndian(at: end - trailer, 2) == 0x01FF
                    {
                        try found.takeXMP(packet..<end - trailer)
                        return
                    }
                    offset = end
                } else {
                    return
                }
            }
        } catch is FormatFailure {
            // A walk that ends early has found what there was.
        }
    }
}
