import Support

/// Where a PNG has its pixels: the header, and the chunks without which they cannot be read.
public struct PNGImageData: Sendable {
    public let header: PNGHeader
    /// The bodies of PLTE and tRNS; nil if there is none.
    public private(set) var palette: Range<Int>?
    public private(set) var transparency: Range<Int>?
    /// The bodies of the IDAT chunks, in order.
    public private(set) var data: [Range<Int>] = []

    /// Bytes of all these chunks but the header, with what each has beside its body.
    public var byteCount: Int { ([palette, transparency].compactMap(\.self) + data).reduce(0) { $0 + $1.count + 12 } }

    /// Finds them. Throws `FormatFailure` if the chunks do not lead to the end, and what the source throws.
    public init(_ source: some ByteSource) throws {
        var window = SourceWindow.forHeader(source)
        guard let bytes = try window.bytes(at: 16, 13) else { throw FormatFailure.truncated(.png) }
        header = try PNGHeader(Array(bytes))
        var offset = 8
        for _ in 0..<PNGLayout.hopLimit {
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
