import Support

/// A Redis server, with connections that are kept from one command to the next.
final class RedisServer: Sendable {
    private let address: RemoteAddress.RedisAddress
    let timeouts: RemoteSettings.Timeouts
    let interruption: Interruption
    private let idle = Monitor<[RedisConnection]>([])

    /// Opens and loads nothing.
    init(_ address: RemoteAddress.RedisAddress, timeouts: RemoteSettings.Timeouts, interruption: Interruption) {
        self.address = address
        self.timeouts = timeouts
        self.interruption = interruption
    }

    /// More than are used at once.
    private static let idleLimit = 16

    /// Sends a command, and returns the server's reply. Throws `RemoteFailure`, and `Cancelled` if the run is stopped.
    ///
    /// - Parameter stop: what stops it; the run's own if it is nil.
    func command(
        _ words: [String], _ bytes: [UInt8]? = nil, within limit: Duration? = nil, stoppedBy stop: Interruption? = nil
    ) throws
        -> RedisConnection.Reply
    {
        let limit = limit ?? timeouts.firstByte
        let stop = stop ?? interruption
        if let known = idle.withLock({ $0.popLast() }) {
            do {
                return try send(words, bytes, limit, over: known, stop)
            } catch let lost as RedisConnection.Lost where !lost.isLate {
                // The server may have closed it long ago, and the others, too.
                idle.withLock { $0 = [] }
            }
        }
        do {
            let new = try RedisConnection(address, timeouts: timeouts, interruption: stop)
            return try send(words, bytes, limit, over: new, stop)
        } catch let lost as RedisConnection.Lost {
            throw RemoteFailure.failed("\(address.host):\(address.port): \(lost.reason)")
        }
    }

    private func send(
        _ words: [String], _ bytes: [UInt8]?, _ limit: Duration, over connection: RedisConnection, _ stop: Interruption
    ) throws -> RedisConnection.Reply {
        do {
            let reply = try stop.during(onCancel: { connection.wake() }) {
                try connection.command(words, bytes, within: limit)
            }
            giveBack(connection)
            return reply
        } catch let failure as RemoteFailure {
            giveBack(connection)
            throw failure
        } catch let lost as RedisConnection.Lost {
            try stop.check()
            throw lost
        }
    }

    private func giveBack(_ connection: RedisConnection) {
        idle.withLock { if $0.count < Self.idleLimit { $0.append(connection) } }
    }
}
