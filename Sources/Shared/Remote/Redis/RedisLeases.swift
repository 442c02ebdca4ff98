import Store
import Support

/// The right to fetch or make a thing, until it is given back or its holder does not renew it any more.
final class RedisLease: RemoteClaim {
    let name: RemoteName
    /// What makes it this holder's.
    let token: String
    /// Grows with each lease of the same thing.
    let fence: Int
    private let leases: RedisLeases

    init(_ name: RemoteName, token: String, fence: Int, leases: RedisLeases) {
        (self.name, self.token, self.fence, self.leases) = (name, token, fence, leases)
    }

    func release() { leases.release(self) }
}

/// Leases that a Redis server keeps for all machines: `SET … NX PX`, renewed and given back by a thread of their own,
/// so that no record waits for that. Each has a number, the largest of which is kept beside it: a holder that was away
/// for too long is told by it from a later one.
final class RedisLeases: Sendable {
    private struct State {
        var held: [ObjectIdentifier: RedisLease] = [:]
        /// Those to give back.
        var released: [RedisLease] = []
        var thread: Thread?
        /// When the thread has to end; nil while the run goes on.
        var end: Duration?
    }

    private let server: RedisServer
    private let log: Log
    private let state = Monitor(State())

    init(_ server: RedisServer, log: Log) {
        self.server = server
        self.log = log
    }

    /// How long a lease lasts if its holder dies: others wait for that long at most.
    static let length: Duration = .seconds(10)
    /// Often enough for three renewals to get lost.
    private static let renewal: Duration = .milliseconds(2500)

    private static func key(ofLease name: RemoteName) -> String { RedisStorage.key("lease/\(name.digest)") }
    private static func key(ofFence name: RemoteName) -> String { RedisStorage.key("fence/\(name.digest)") }

    /// Takes the lease, if it is free, and returns its number; else 0. The number is forgotten a day after the last lease.
    private static let take = """
        if not redis.call('SET',KEYS[1],ARGV[1],'NX','PX',ARGV[2]) and redis.call('GET',KEYS[1])~=ARGV[1] then return 0 end \
        local fence=redis.call('INCR',KEYS[2]) redis.call('PEXPIRE',KEYS[2],86400000) return fence
        """
    private static let renew =
        "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('PEXPIRE',KEYS[1],ARGV[2]) end return 0"
    private static let giveBack =
        "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0"
    /// Stores a document, unless a later lease was given. A number that is forgotten says that there was none.
    private static let store = """
        if (redis.call('GET',KEYS[2]) or ARGV[1])~=ARGV[1] then return 0 end \
        redis.call('PSETEX',KEYS[1],ARGV[2],ARGV[3]) return 1
        """

    /// Takes the lease of a thing if it is free; nil if it is not. Throws `RemoteFailure`, and what the operation throws.
    func claim(_ name: RemoteName, token: String, _ operation: RemoteOperation) throws -> RedisLease? {
        let fence = try server.number(
            [
                "EVAL", Self.take, "2", Self.key(ofLease: name), Self.key(ofFence: name), token,
                "\(Self.length.milliseconds)",
            ], operation)
        guard fence > 0 else { return nil }
        let lease = RedisLease(name, token: token, fence: fence, leases: self)
        state.withLock { state in
            if state.end != nil { return }
            state.held[ObjectIdentifier(lease)] = lease
            // Without a thread it lasts for `length`, which is enough for most pictures.
            if state.thread == nil { state.thread = try? Thread.start { [self] in work() } }
        }
        return lease
    }

    func release(_ lease: RedisLease) {
        state.update { state in
            if state.held.removeValue(forKey: ObjectIdentifier(lease)) != nil { state.released.append(lease) }
        }
    }

    /// Gives leases back as they are released, and renews the others, until the end.
    private func work() {
        var due = SteadyTime.now() + Self.renewal
        while true {
            let isWoken: Bool? = state.wait(atMost: due - SteadyTime.now()) {
                $0.end != nil || !$0.released.isEmpty ? true : nil
            }
            let (released, isAtEnd) = state.withLock { state in
                defer { state.released = [] }
                return (state.released, state.end != nil)
            }
            send(Self.giveBack, for: released) { [$0.token] }
            if isAtEnd { return }
            if isWoken == nil {
                let held = state.withLock { Array($0.held.values) }
                send(Self.renew, for: held) { [$0.token, "\(Self.length.milliseconds)"] }
                due = SteadyTime.now() + Self.renewal
            }
        }
    }

    /// Runs a script for each lease. After a failure the others are left alone: they would fail alike, and each would
    /// be waited for; leases end by themselves.
    private func send(_ script: String, for leases: [RedisLease], arguments: (RedisLease) -> [String]) {
        do {
            for lease in leases {
                let operation = RemoteOperation(.asking(server.timeouts)) { [state] in
                    if let end = state.withLock({ $0.end }), SteadyTime.now() >= end { throw RemoteFailure.givenUp }
                }
                let words = ["EVAL", script, "1", Self.key(ofLease: lease.name)] + arguments(lease)
                if try server.number(words, operation) != 1 {
                    log.detail("a lease in the remote was lost to another machine")
                }
            }
        } catch {
            log.detail("leases in the remote were not renewed or given back: \(failure(of: error).code)")
        }
    }

    /// Stores a document, unless a later holder of the lease may have done so.
    func write(
        _ bytes: [UInt8], to key: String, expiry: String, under lease: RedisLease, _ operation: RemoteOperation
    ) throws {
        let words = ["EVAL", Self.store, "2", key, Self.key(ofFence: lease.name), "\(lease.fence)", expiry]
        if try server.number(words, operation, sending: bytes) != 1 {
            log.detail("another machine has the lease of what was to be handed over")
        }
    }

    /// Gives all leases back, as far as that succeeds within `limit`, and ends their renewal.
    func close(within limit: Duration) {
        let thread = state.update { state in
            state.end = SteadyTime.now() + limit
            state.released += state.held.values
            defer { (state.held, state.thread) = ([:], nil) }
            return state.thread
        }
        thread?.join()
    }
}
