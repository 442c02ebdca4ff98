import Support

/// A Redis server with a pool of idle connections.
final class RedisServer: Sendable {
    private let address: RemoteAddress.RedisAddress
    let timeouts: RemoteSettings.Timeouts
    private let interruption: Interruption
    private let idle = Monitor<[RedisConnection]>([])

    init(_ address: RemoteAddress.RedisAddress, timeouts: RemoteSettings.Timeouts, interruption: Interruption) {
        self.address = address
        self.timeouts = timeouts
        self.interruption = interruption
    }

    /// The maximum number of idle connections: more than the number of threads that use the server at the same time.
    private static let idleLimit = 16

    /// Sends a command as `RedisConnection.command` does. Also throws `RemoteFailure` for an error reply.
    func command(
        _ words: [String], _ operation: RemoteOperation, sending bytes: [UInt8]? = nil, atMost bulkLimit: Int = 0,
        receive: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws -> RedisReply {
        let connection: RedisConnection
        let reply: RedisReply
        do {
            connection =
                try takeIdle()
                ?? RedisConnection(address, within: timeouts.connect, operation, interruption: interruption)
            reply = try connection.command(words, operation, sending: bytes, atMost: bulkLimit, receive: receive)
        } catch let failure as SystemFailure {
            throw RemoteFailure.failed("\(address.host):\(address.port): \(failure.message)")
        }
        idle.withLock { if $0.count < Self.idleLimit { $0.append(connection) } }
        if case .refusal(let text) = reply { throw RedisConnection.failure(ofRefusal: text) }
        return reply
    }

    private func takeIdle() -> RedisConnection? {
        while let known = idle.withLock({ $0.popLast() }) {
            if known.isUsable { return known }
        }
        return nil
    }

    /// Sends a command whose reply is "OK". Throws as `command` does.
    func store(_ words: [String], _ bytes: [UInt8], _ operation: RemoteOperation) throws {
        guard case .status("OK") = try command(words, operation, sending: bytes) else { throw Self.unexpected }
    }

    /// Sends a command whose reply is a number. Throws as `command` does.
    func number(_ words: [String], _ operation: RemoteOperation, sending bytes: [UInt8]? = nil) throws -> Int {
        guard case .integer(let number) = try command(words, operation, sending: bytes) else { throw Self.unexpected }
        return number
    }

    static let unexpected = RemoteFailure.failed("the Redis server sent a reply of an unexpected type")
}
