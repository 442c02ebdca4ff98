import HTTP
import Support
import TestSupport
import Testing

@testable import Remote
@testable import Store

/// A Redis server that answers nonsense or not at all.
@Suite struct RedisServerTests {
    private let timeouts = RemoteSettings.Timeouts(connect: .seconds(60))

    /// A server that sends a reply after each command, and closes the connection after the last reply.
    private func replying(_ replies: String...) throws -> LoopbackServer {
        try LoopbackServer(serve: { connection in
            for reply in replies {
                if try connection.receive(atMost: 1 << 16).isEmpty { return }
                try connection.send(Array(reply.utf8))
            }
            _ = try connection.receive(atMost: 1 << 16)
        })
    }

    private func address(_ text: String) throws -> RemoteAddress.RedisAddress {
        guard case .redis(let address) = try RemoteAddress(text) else { throw RemoteFailure.badAddress(text) }
        return address
    }

    private func redis(_ address: String) throws -> RedisServer {
        RedisServer(try self.address(address), timeouts: timeouts, interruption: Interruption())
    }

    /// Returns the failure of a command.
    private func failure(of redis: RedisServer) -> String? {
        summary { _ = try redis.command(["GET", "a"], RemoteOperation(.asking(timeouts)) {}) }
    }

    @Test func connectionClosedInPlaceOfAReplyIsAFailure() throws {
        let server = try replying()
        let redis = try redis("redis://127.0.0.1:\(server.port)")
        #expect(failure(of: redis) == "75 remote-failed: the Redis server closed the connection")
    }

    @Test(arguments: ["redis://:word@", "redis://"]) func unexpectedReplyToTheLoginIsAFailure(_ start: String) throws {
        let server = try replying(":1\r\n")
        let redis = try redis("\(start)127.0.0.1:\(server.port)/2")
        #expect(failure(of: redis) == "75 remote-failed: the Redis server sent an unexpected reply")
    }

    @Test func hostWithoutAnAddressIsAFailure() throws {
        let address = try address("redis://redis.example")
        let operation = RemoteOperation(.asking(timeouts)) {}
        #expect(
            summary {
                _ = try RedisConnection(address, within: .seconds(60), operation, interruption: Interruption()) {
                    _, _, _ in []
                }
            } == "75 remote-failed: cannot find the address of redis.example")
    }

    @Test func claimThatCannotBeReleasedIsOnlyLogged() throws {
        let server = try replying(":1\r\n", "-ERR no\r\n")
        let lines = Monitor<[String]>([])
        let log = Log(tool: "test", threshold: .detail, write: { line in lines.withLock { $0.append(line) } })
        let claims = RedisClaims(try redis("redis://127.0.0.1:\(server.port)"), log: log)
        let name = try RemoteDocument.original("https://pictures.example/moon.png", [1]).name
        let claim = try #require(try claims.claim(name, token: "t", RemoteOperation(.asking(timeouts)) {}))
        claim.release()
        claims.close(within: .seconds(60))
        #expect(
            lines.withLock { $0 } == ["test: claims in the remote were not renewed or released: remote-failed\n"])
    }
}
