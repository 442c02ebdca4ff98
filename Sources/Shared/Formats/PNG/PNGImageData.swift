import Support

/// The header of a PNG, and the ranges of the chunks that contain its pixels, palette and transparency.
public struct PNGImageData: Sendable {
    public let header: PNGHeader
    /// The body of PLTE.
    public private(set) var palette: Range<Int>?
    /// The body of tRNS.
    public private(set) var transparency: Range<Int>?
    /// The bodies of the IDAT chunks, in order.
    public private(set) var data: [Range<Int>] = []

    /// The total size in bytes of the chunks PLTE, tRNS and IDAT, including their lengths, types and checksums.
    public var byteCount: Int { ([palette, transparency].compactMap(\.self) + data).reduce(0) { $0 + $1.count + 12 } }

    /// Throws the errors of the source, and `FormatFailure` if no IEND chunk is found.
    public init(_ source: some ByteSource) throws {
        var window = SourceWindow.forHeader(source)
        guard let bytes = try window.bytes(at: 16, 13) else { throw FormatFailure.truncated(.png) }
        header = try PNGHeader(Array(bytes))
        var offset = 8
        for _ in 0..<PNGLayout.metadataChunkLimit {
            guard let chunk = try PNGLayout.readableChunk(&window, at: offset), chunk.end <= window.count else { break }
            switch chunk.type {
            case "PLTE": palette = chunk.body
            case "tRNS": transparency = chunk.body
            case "IDAT": data.append(chunk.body)
            case "IEND": return
            default: break
            }
            offset = chunk.end
        }
        throw FormatFailure.truncated(.png)
    }
}
