import Libc
import Support
import TestSupport
import Testing

@testable import HTTP

/// HEAD and PUT, with a server in this process.
@Suite(.timeLimit(.minutes(2))) struct UploadTests {
    private func client(retries: Int = 0) -> HTTPClient {
        HTTPClient(
            transport: CurlTransport(guard: .allowingAll, environment: Environment([:])), guard: .allowingAll,
            retries: RetrySchedule(retries: retries), interruption: Interruption(), sleep: { _ in })
    }

    private func request(_ url: String) throws -> HTTPRequest { HTTPRequest(url: try WebURL(url)) }

    /// Bytes with a period that is not a power of two, so that no two blocks are equal.
    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 % 251) } }

    @Test(arguments: [0, 1, 65_536, 3_000_001]) func bodyArrivesUnchanged(count: Int) throws {
        let server = try LoopbackServer { _, peer in peer.respond(201) }
        #expect(try client().put(MemorySource(bytes(count)), at: request(server.url("/cas/1"))).status == 201)
        let seen = try #require(server.requests.first)
        #expect(seen.method == "PUT" && seen.target == "/cas/1")
        #expect(seen.headers["content-length"] == "\(count)")
        #expect(seen.headers["transfer-encoding"] == nil && seen.headers["expect"] == nil)
        #expect(seen.body == bytes(count))
    }

    @Test func fileIsSentFromTheStartEvenIfPartlyRead() throws {
        let server = try LoopbackServer { _, peer in peer.respond(204) }
        let folder = try TemporaryFolder()
        let file = try File.open(try folder.write("file", bytes(700_000)), O_RDONLY)
        var start = [UInt8](repeating: 0, count: 1000)
        #expect(try start.withUnsafeMutableBytes { try file.read(into: $0) } == 1000)
        #expect(try client().put(file, at: request(server.url())).status == 204)
        #expect(server.requests.map(\.body) == [bytes(700_000)])
    }

    @Test func everyAttemptSendsTheWholeBody() throws {
        let server = try LoopbackServer { request, peer in
            peer.respond(request.connection == 1 ? 503 : 200)
            peer.close()
        }
        #expect(try client(retries: 2).put(MemorySource(bytes(200_000)), at: request(server.url())).status == 200)
        #expect(server.requests.map(\.body) == [bytes(200_000), bytes(200_000)])
    }

    @Test func closedConnectionIsReplaced() throws {
        let server = try LoopbackServer { request, peer in
            // The server closes the connection instead of answering the second request.
            if request.connection == 1, request.target == "/2" { return peer.close() }
            peer.respond()
        }
        let client = client()
        for path in ["/1", "/2"] {
            #expect(try client.put(MemorySource(bytes(100_000)), at: request(server.url(path))).status == 200)
        }
        #expect(server.requests.map(\.target) == ["/1", "/2", "/2"])
        #expect(server.requests.map(\.body.count) == [100_000, 100_000, 100_000])
    }

    @Test(arguments: [301, 302, 307, 308]) func redirectIsFollowedWithTheBody(status: Int) throws {
        let server = try LoopbackServer { request, peer in
            if request.target == "/a" { return peer.respond(status, ["Location: /b"]) }
            peer.respond(201)
        }
        #expect(try client().put(MemorySource(bytes(10)), at: request(server.url("/a"))).status == 201)
        #expect(server.requests.map(\.method) == ["PUT", "PUT"])
        #expect(server.requests.map(\.body) == [bytes(10), bytes(10)])
    }

    @Test func status303IsFollowedWithGET() throws {
        let server = try LoopbackServer { request, peer in
            if request.target == "/a" { return peer.respond(303, ["Location: /b"]) }
            peer.respond(200, [], "done")
        }
        #expect(try client().put(MemorySource(bytes(10)), at: request(server.url("/a"))).status == 200)
        #expect(server.requests.map(\.method) == ["PUT", "GET"])
    }

    @Test(arguments: [(401, "unauthorized"), (405, "http-405"), (413, "http-413"), (507, "server-error")])
    func refusedUploadIsAFailure(status: Int, code: String) throws {
        let server = try LoopbackServer { _, peer in peer.respond(status, [], "no room") }
        let failure = #expect(throws: FetchFailure.self) {
            try client().put(MemorySource(bytes(10)), at: request(server.url()))
        }
        #expect(failure?.code == code)
    }

    @Test func unreadableBodyEndsTheRequest() throws {
        let server = try LoopbackServer { _, peer in peer.respond() }
        let folder = try TemporaryFolder()
        // Opened for writing only.
        let file = try File.open(try folder.write("file", bytes(100)), O_WRONLY)
        #expect(throws: SystemFailure.self) { try client().put(file, at: request(server.url())) }
        #expect(server.requests.isEmpty)
    }

    @Test func bodyOfInvalidLengthIsNotSent() throws {
        struct InvalidSource: ByteSource {
            let count = -2
            func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int { 0 }
        }
        let url = "http://127.0.0.1:1/"
        #expect(
            message { _ = try client().put(InvalidSource(), at: request(url)) }
                == "70 libcurl could not fetch \(url): it cannot send a request body")
    }

    @Test func secretsAreNotUploadedUnencrypted() throws {
        var secret = try request("http://example.org/")
        secret.headers = [HTTPHeader("Authorization", "Bearer x")]
        let failure = #expect(throws: FetchFailure.self) { try client().put(MemorySource([1]), at: secret) }
        #expect(failure?.code == "exposed-secret")
    }

    @Test func headRequestReadsNoBody() throws {
        let server = try LoopbackServer { _, peer in
            peer.send("HTTP/1.1 200 X\r\nContent-Length: 999999999999\r\nContent-Encoding: gzip\r\n\r\n")
        }
        let client = client()
        for _ in 0..<2 {
            let response = try client.head(request(server.url("/x")))
            #expect(response.headers.contentLength == 999_999_999_999)
        }
        #expect(server.requests.map(\.method) == ["HEAD", "HEAD"])
        // The client does not wait for a body, and reuses the connection.
        #expect(server.accepted == 1)
    }

    @Test func headOfAMissingResourceFails() throws {
        let server = try LoopbackServer { _, peer in peer.send("HTTP/1.1 404 X\r\nContent-Length: 5\r\n\r\n") }
        let failure = #expect(throws: FetchFailure.self) { try client().head(request(server.url())) }
        #expect(failure?.code == "not-found")
    }
}
