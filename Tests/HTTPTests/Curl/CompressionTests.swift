import Support
import Testing

@testable import HTTP

/// Content codings: bodies are decompressed, and the decompressed bytes count against the limit.
@Suite(.timeLimit(.minutes(2))) struct CompressionTests {
    /// A content coding, with a small encoded body and a decompression bomb.
    struct Coding: Sendable, CustomTestStringConvertible {
        let name: String
        let hello: [UInt8]
        let bomb: [UInt8]

        var testDescription: String { name }
    }

    private static let text = Array("hello, compressed world".utf8)

    static let all = [deflate, gzip, brotli, zstd]

    /// RFC 1950, with a stored block (RFC 1951 §3.2.4).
    private static let deflate = Coding(
        name: "deflate", hello: ([0x78, 0x01] as [UInt8]) + stored + ([0x68, 0xB2, 0x08, 0xDE] as [UInt8]),
        bomb: ([0x78, 0x01] as [UInt8]) + zeros)

    /// RFC 1952.
    private static let gzip: Coding = {
        let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let foot: [UInt8] = [0x08, 0x9E, 0x34, 0x35, 23, 0, 0, 0]
        return Coding(name: "gzip", hello: head + stored + foot, bomb: head + zeros)
    }()

    /// RFC 7932 §9.2. The bomb is a large uncompressed body, because compressed data would require long prefix codes.
    private static let brotli: Coding = {
        let part = metaBlock([UInt8](repeating: 0, count: 65_536))
        let begin = metaBlock(text, isFirst: true)
        var bomb = begin
        for _ in 0..<200 { bomb += part }
        return Coding(name: "br", hello: begin + [0x03], bomb: bomb)
    }()

    /// RFC 8878: a raw block, and blocks that repeat a byte 131,072 times.
    private static let zstd: Coding = {
        let magic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]
        let hello = magic + ([0x20, 23, 1 | 23 << 3, 0, 0] as [UInt8]) + text
        var bomb: [UInt8] = magic + [0x00, 0x58]
        for _ in 0..<4000 { bomb += [0x02, 0x00, 0x10, 0x00] as [UInt8] }
        return Coding(name: "zstd", hello: hello, bomb: bomb)
    }()

    /// The text in a stored, final block.
    private static let stored: [UInt8] = ([1, 23, 0, 0xE8, 0xFF] as [UInt8]) + text

    /// A meta-block of at most 65,536 uncompressed bytes. The first meta-block follows the stream's header, a window
    /// size of 64 KiB.
    private static func metaBlock(_ bytes: [UInt8], isFirst: Bool = false) -> [UInt8] {
        // Not the last (1 bit), MNIBBLES for four nibbles (2 bits), length minus one (16 bits), uncompressed (1 bit).
        let header = ((bytes.count - 1) << 3 | 1 << 19) << (isFirst ? 1 : 0)
        return [UInt8(header & 0xFF), UInt8(header >> 8 & 0xFF), UInt8(header >> 16 & 0xFF)] + bytes
    }

    /// A block in the fixed Huffman code (RFC 1951 §3.2.6) that expands to 300 MB: a zero, then matches of 258 bytes at
    /// distance 1. 8 matches take 13 bytes.
    private static let zeros: [UInt8] = {
        let match: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]
        var bits: [UInt8] = [1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0]
        for _ in 0..<24 { bits += match }
        var bytes: [UInt8] = []
        for start in stride(from: 0, to: 15 * 8, by: 8) {
            bytes.append((start..<start + 8).reduce(0) { byte, place in byte | bits[place] << UInt8(place - start) })
        }
        let period = bytes[2...]
        for _ in 1..<145_000 { bytes += period }
        return bytes
    }()

    private func answer(_ coding: Coding, _ body: [UInt8]) throws -> (server: LoopbackServer, client: HTTPClient) {
        let server = try LoopbackServer { _, peer in
            peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding.name)\r\nContent-Length: \(body.count)\r\n\r\n")
            peer.send(body)
        }
        return (
            server,
            HTTPClient(
                transport: CurlTransport(guard: .allowingAll, environment: [:]), guard: .allowingAll,
                retries: RetrySchedule(retries: 0),
                interruption: Interruption())
        )
    }

    /// Whether the request accepts the coding. libcurl may be built without support for a coding.
    private func isKnown(_ coding: Coding, to server: LoopbackServer) -> Bool {
        let accepted = server.requests.first?.headers["accept-encoding"] ?? ""
        return accepted.split { $0 == "," || $0 == " " }.contains { $0 == coding.name }
    }

    @Test(arguments: all) func bodyArrivesDecompressed(coding: Coding) throws {
        let (server, client) = try answer(coding, coding.hello)
        let result = Result { try client.data(HTTPRequest(url: WebURL(server.url()))).1 }
        guard isKnown(coding, to: server) else {
            #expect(coding.name == "br" || coding.name == "zstd")
            return
        }
        #expect(try result.get() == Self.text)
    }

    @Test(arguments: all) func bombIsRefusedAtTheLimit(coding: Coding) throws {
        let (server, client) = try answer(coding, coding.bomb)
        var request = HTTPRequest(url: try WebURL(server.url()))
        request.byteLimit = 10_000_000
        // `Content-Length` does not exceed the limit, except for the uncompressed bomb.
        #expect((coding.bomb.count < request.byteLimit) == (coding.name != "br"))
        var received = 0
        let failure = #expect(throws: FetchFailure.self) {
            try client.get(request) { event in
                if case .body(let bytes) = event { received += bytes.count }
            }
        }
        guard isKnown(coding, to: server) else { return }
        #expect(failure?.code == "too-large")
        #expect(failure?.exitCode == .notAllowed)
        #expect(failure?.isTransient == false)
        #expect(received <= request.byteLimit)
    }

    @Test(arguments: all) func invalidEncodingIsABadAnswer(coding: Coding) throws {
        let (server, client) = try answer(coding, Array("no such coding at all".utf8))
        let failure = #expect(throws: FetchFailure.self) { try client.data(HTTPRequest(url: WebURL(server.url()))) }
        #expect(failure?.code == "bad-answer")
    }
}
