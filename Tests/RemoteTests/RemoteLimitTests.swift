import HTTP
import Support
import TestSupport
import Testing

@testable import Remote

@Suite struct RemoteOperationTests {
    private let now = Monitor(Duration.seconds(1000))
    private let timeouts = RemoteSettings.Timeouts(connect: .milliseconds(250))

    private func operation(_ limits: RemoteOperation.Limits) -> RemoteOperation {
        RemoteOperation(limits, now: { [now] in now.withLock { $0 } }) {}
    }

    /// Adds pieces to an operation, each after a pause. Returns the time after which the operation failed, or nil if it
    /// did not fail.
    private func end(
        _ limits: RemoteOperation.Limits, pieces: Int, of bytes: Int, every pause: Duration
    ) -> Duration? {
        let operation = operation(limits)
        do {
            for _ in 0..<pieces {
                now.withLock { $0 += pause }
                try operation.add(bytes)
            }
            return nil
        } catch {
            return now.withLock { $0 } - operation.begun
        }
    }

    @Test func silentServerEndsTheOperationAtTheAnswerTimeout() throws {
        let operation = operation(.reading(atMost: 100, timeouts, patience: .seconds(4)))
        now.withLock { $0 += .milliseconds(999) }
        try operation.check()
        now.withLock { $0 += .milliseconds(1) }
        #expect(message { try operation.check() } == "75 no response within 1s")
    }

    @Test func slowTransferAndReachedDeadlineHaveTheirMessages() throws {
        let operation = operation(.reading(atMost: 1 << 30, timeouts, patience: .seconds(4)))
        try operation.add(1)
        now.withLock { $0 += .seconds(2) }
        #expect(message { try operation.check() } == "75 the transfer was slower than 32.8 kB per second")
        now.withLock { $0 += .seconds(2) }
        #expect(message { try operation.check() } == "75 the request took longer than 4s")
    }

    @Test func transferBelowTheMinimumRateFails() {
        let limits = RemoteOperation.Limits.reading(atMost: 1 << 30, timeouts, patience: nil)
        #expect(end(limits, pieces: 1000, of: 4, every: .milliseconds(500)) == .seconds(2))
        #expect(end(limits, pieces: 1000, of: 33 << 10, every: .milliseconds(900)) == nil)
        // A write may take four times as long, since the system buffers some bytes for a while.
        let writing = RemoteOperation.Limits.writing(1 << 30, timeouts)
        #expect(end(writing, pieces: 1000, of: 4, every: .milliseconds(500)) == .seconds(8))
    }

    @Test func patienceLimitsTheTimeOfARead() {
        let limits = RemoteOperation.Limits.reading(atMost: 1 << 30, timeouts, patience: .seconds(3))
        #expect(end(limits, pieces: 1000, of: 1 << 20, every: .milliseconds(500)) == .seconds(3))
    }

    @Test func operationFailsIfMoreBytesArriveThanExpected() throws {
        let operation = operation(.reading(atMost: 100, timeouts, patience: nil))
        try operation.add(100)
        for count in [1, .max] {
            #expect(message { try operation.add(count) } == "65 damaged entry: it has more than 100 B")
        }
    }
}

@Suite struct LostTimeTests {
    private func total(_ spans: [Range<Int64>]) -> Duration {
        var lost = LostTime()
        for span in spans { lost.add(.seconds(span.lowerBound) ..< .seconds(span.upperBound)) }
        return lost.total
    }

    @Test func concurrentWaitsCountOnce() {
        #expect(total([]) == .zero)
        #expect(total([0..<1, 2..<3]) == .seconds(2))
        #expect(total([0..<2, 1..<3, 0..<3]) == .seconds(3))
        // Waits are added when they end, so the long wait comes after the shorter waits that it contains.
        #expect(total([1..<2, 3..<4, 0..<5, 7..<8]) == .seconds(6))
        #expect(total((0..<1000).map { 2 * $0..<2 * $0 + 1 }) == .seconds(1000))
    }
}

@Suite struct RedisReplyTests {
    /// Parses `text` in pieces of this size. Returns the reply, or nil if it is incomplete, and the bytes of a bulk
    /// string.
    private func read(_ text: String, piece: Int = .max, limit: Int = 10) throws -> (RedisReply?, String) {
        var reader = RedisReplyReader(atMost: limit)
        var passed: [UInt8] = []
        var reply: RedisReply?
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let next = Array(rest.prefix(piece))
            rest = rest.dropFirst(next.count)
            reply = try next.withUnsafeBytes { try reader.add($0) { passed += $0 } }
        }
        return (reply, String(decoding: passed, as: UTF8.self))
    }

    @Test(arguments: [
        ("+OK\r\n", RedisReply.status("OK"), ""), (":-12\r\n", .integer(-12), ""), ("$-1\r\n", .none, ""),
        ("-ERR no\r\n", .refusal("ERR no"), ""), ("$0\r\n\r\n", .bytes(0), ""),
        ("$4\r\na\r\nb\r\n", .bytes(4), "a\r\nb"), ("$10\r\n0123456789\r\n", .bytes(10), "0123456789"),
    ])
    func repliesAreParsedFromPiecesOfAnySize(_ text: String, _ reply: RedisReply, _ bytes: String) throws {
        for piece in [1, 2, 3, Int.max] {
            let found = try read(text, piece: piece)
            #expect(found.0 == reply && found.1 == bytes)
        }
    }

    @Test(arguments: ["+O", "+OK\r", ":1", "$4\r\nabcd", "$4\r\nabcd\r", "$"])
    func incompleteReplyIsNil(_ text: String) throws { #expect(try read(text).0 == nil) }

    @Test(arguments: [
        (["$11\r\n"], "announced 11 bytes, more than were requested"),
        (["$4294967296\r\n"], "announced 4294967296 bytes, more than were requested"),
        (["$-2\r\n", "$99999999999999999999\r\n", "$x\r\n"], "sent an invalid length"),
        ([":1.5\r\n", ":\r\n"], "sent an invalid number"),
        (
            ["*1\r\n", "*-1\r\n", ">3\r\n", "%1\r\n", "_\r\n", "HTTP/1.1 200 OK\r\n", "\r\n"],
            "sent a reply of an unknown type"
        ),
        (["+OK\n", "$1\r\nab\r\n"], "sent invalid data"),
        (["+" + String(repeating: "x", count: RedisReplyReader.lineLimit)], "sent a line that is too long"),
    ])
    func invalidReplyIsRefused(_ texts: [String], _ fault: String) {
        for text in texts {
            for piece in [1, .max] {
                #expect(message { _ = try read(text, piece: piece) } == "75 the Redis server \(fault)", "\(text)")
            }
        }
    }

    @Test func secondReplyIsRefused() {
        #expect(message { _ = try read("+OK\r\n+OK\r\n") } == "75 the Redis server sent more than one reply")
    }
}
