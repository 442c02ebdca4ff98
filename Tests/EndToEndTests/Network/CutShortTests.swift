import Support
import TestSupport
import Testing

/// Bodies of unknown length that end with a broken connection.
struct CutShortTests {
    private static let picture = DrawnPicture.noise(60, 40, seed: 3).png()

    /// A server that sends `head` and the picture, but only half of the picture for the first `cuts` requests.
    private func server(_ head: String, cuts: Int) throws -> (server: LoopbackServer, asked: Monitor<Int>) {
        let asked = Monitor(0)
        let server = try LoopbackServer { _, connection in
            let number = asked.update { count in
                count += 1
                return count
            }
            var body = Self.picture
            if number <= cuts { body = Array(body.prefix(body.count / 2)) }
            if head.contains("chunked") {
                let size = Array("\(String(body.count, radix: 16))\r\n".utf8)
                body = size + body + Array((number <= cuts ? "\r\n" : "\r\n0\r\n\r\n").utf8)
            }
            try connection.send(Array("\(head)\r\nContent-Type: image/png\r\n\r\n".utf8) + body)
            connection.close()
        }
        return (server, asked)
    }

    @Test(arguments: ["HTTP/1.0 200 OK", "HTTP/1.1 200 OK", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked"])
    func truncatedBodyIsRequestedAgain(_ head: String) throws {
        let (server, asked) = try server(head, cuts: 1)
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        let record = try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=1", "\(server.address)/a.png"]).expect(0)
            .record
        #expect(record.integer("cache.bytes") == Self.picture.count)
        #expect(asked.withLock { $0 } == 2)
    }

    @Test(arguments: ["HTTP/1.0 200 OK", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked"])
    func truncatedBodyFailsTransiently(_ head: String) throws {
        let (server, _) = try server(head, cuts: .max)
        let home = try ToolHome(environment: ["APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8"])
        let record = try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0", "\(server.address)/a.png"])
            .expectFailure(75, code: "cut-short", tool: "img-cache")
        #expect(record.bool("error.transient") == true)
        try home.expectVerified()
    }
}
