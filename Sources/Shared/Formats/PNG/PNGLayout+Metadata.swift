extension PNGLayout {
    /// Finds EXIF (§11.3.3.4), XMP and texts (§11.3.4) before or after the image data.
    static func findMetadata(_ window: inout SourceWindow, _ found: inout FoundParts) throws {
        var offset = 8
        for _ in 0..<metadataChunkLimit {
            guard let chunk = try readableChunk(&window, at: offset), chunk.type != "IEND" else { break }
            switch chunk.type {
            case "eXIf": try found.takeExif(chunk.body)
            case "tEXt", "zTXt", "iTXt":
                if let bytes = try found.bytes(chunk.body) { take(PNGText(chunk.type, bytes), &found) }
            default: break
            }
            offset = chunk.end
        }
    }

    private static func take(_ text: PNGText?, _ found: inout FoundParts) {
        guard let text else { return }
        switch text.keyword {
        case "XML:com.adobe.xmp": if found.metadata.xmp == nil, text.isUTF8 { found.metadata.xmp = text.bytes }
        case "Copyright": if found.metadata.copyright == nil { found.metadata.copyright = text.string }
        case "Author": if found.metadata.artist == nil { found.metadata.artist = text.string }
        default: break
        }
    }
}

private struct PNGText {
    let keyword: String
    /// The decompressed text, not empty, at most `EmbeddedMetadata.byteLimit`.
    let bytes: [UInt8]
    /// `iTXt` chunks contain UTF-8, the other chunks ISO 8859-1.
    let isUTF8: Bool

    var string: String? { isUTF8 ? MetadataText.cleaned(bytes) : MetadataText.cleaned(latin1: bytes) }

    /// Returns nil for an invalid text, and for a keyword that is not used, without decompressing its text.
    init?(_ type: FourCC, _ chunk: [UInt8]) {
        guard let end = chunk.prefix(80).firstIndex(of: 0) else { return nil }
        keyword = String(decoding: chunk[..<end], as: UTF8.self)
        guard ["XML:com.adobe.xmp", "Copyright", "Author"].contains(keyword) else { return nil }
        var rest = chunk[(end + 1)...]
        isUTF8 = type == "iTXt"
        var isCompressed = type == "zTXt"
        if isUTF8 {
            // Compression flag and method, then language and translated keyword, both terminated by a zero.
            guard rest.count >= 4 else { return nil }
            isCompressed = rest.removeFirst() == 1
            let method = rest.removeFirst()
            guard !isCompressed || method == 0 else { return nil }
            for _ in 0..<2 {
                guard let end = rest.firstIndex(of: 0) else { return nil }
                rest = rest[(end + 1)...]
            }
        } else if isCompressed {
            guard rest.popFirst() == 0 else { return nil }
        }
        let text = isCompressed ? Inflater.contents(of: rest, limit: EmbeddedMetadata.byteLimit) : Array(rest)
        guard let text, !text.isEmpty else { return nil }
        bytes = text
    }
}
