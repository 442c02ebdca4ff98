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

/// Leases that a Redis server keeps for all machines: `SET … NX PX`, renewed by a thread as long as they are held. Each
/// has a number, the largest of which is kept beside it: a holder that was away for too long is told by it from a later
/// one.
final class RedisLeases: Sendable {
    private struct State {
        var held: [ObjectIdentifier: RedisLease] = [:]
        var thread: Thread?
        var isClosed = false
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
    /// How often those who wait look: at once for what is quick, rarely enough for a thousand who wait.
    private static let looks: [Duration] = [
        .milliseconds(20), .milliseconds(50), .milliseconds(100), .milliseconds(200),
    ]
    /// How long anybody waits for another machine, as long as for one request; then it does the work itself.
    private static let patience: Duration = .seconds(120)

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

    /// Waits until the lease of a thing is free, and takes it; nil after `patience`. Throws `RemoteFailure`,
    /// `Cancelled`, and what `check` throws.
    func claim(_ name: RemoteName, check: () throws -> Void) throws -> RedisLease? {
        let token = "\(UInt64.random(in: 0...UInt64.max))"
        let begun = SteadyTime.now()
        var looks = 0
        while SteadyTime.now() - begun < Self.patience {
            let reply = try server.command([
                "EVAL", Self.take, "2", Self.key(ofLease: name), Self.key(ofFence: name), token,
                "\(Self.length.milliseconds)",
            ])
            guard case .integer(let fence) = reply else {
                throw RemoteFailure.failed("the Redis server gave no number for a lease")
            }
            if fence > 0 {
                let lease = RedisLease(name, token: token, fence: fence, leases: self)
                keep(lease)
                return lease
            }
            if looks == 0 { log.detail("waiting for another machine that fetches or makes the same") }
            try check()
            try server.interruption.sleep(Self.looks[min(looks, Self.looks.count - 1)])
            looks += 1
        }
        return nil
    }

    /// Renews a lease until it is given back.
    private func keep(_ lease: RedisLease) {
        state.withLock { state in
            if state.isClosed { return }
            state.held[ObjectIdentifier(lease)] = lease
            // Without a thread it lasts for `length`, which is enough for most pictures.
            if state.thread == nil { state.thread = try? Thread.start { [self] in renewAll() } }
        }
    }

    private func renewAll() {
        while true {
            let isClosed = state.wait(atMost: Self.renewal) { $0.isClosed ? true : nil } ?? false
            if isClosed { return }
            do {
                for lease in state.withLock({ Array($0.held.values) }) {
                    if state.withLock({ $0.isClosed }) { return }
                    let reply = try server.command([
                        "EVAL", Self.renew, "1", Self.key(ofLease: lease.name), lease.token,
                        "\(Self.length.milliseconds)",
                    ])
                    if reply != .integer(1) { log.detail("a lease in the remote was lost to another machine") }
                }
            } catch {
                // The others would fail alike, and each would be waited for.
                log.detail("leases in the remote were not renewed: \(failure(of: error).message)")
            }
        }
    }

    func release(_ lease: RedisLease) {
        let wasHeld = state.update { $0.held.removeValue(forKey: ObjectIdentifier(lease)) != nil }
        if !wasHeld { return }
        try? giveBack(lease)
    }

    /// Lets others have the lease, also if the run is being stopped. It ends by itself, too.
    private func giveBack(_ lease: RedisLease) throws {
        _ = try server.command(
            ["EVAL", Self.giveBack, "1", Self.key(ofLease: lease.name), lease.token],
            within: server.timeouts.connect, stoppedBy: Interruption())
    }

    /// Stores a document, unless a later holder of the lease may have done so.
    func write(_ bytes: [UInt8], to key: String, expiry: String, under lease: RedisLease) throws {
        let reply = try server.command(
            ["EVAL", Self.store, "2", key, Self.key(ofFence: lease.name), "\(lease.fence)", expiry], bytes)
        if reply != .integer(1) { log.detail("another machine has the lease of what was to be handed over") }
    }

    /// Gives all leases back, unless one cannot be, and ends their renewal.
    func close() {
        let (held, thread) = state.update { state in
            state.isClosed = true
            defer { (state.held, state.thread) = ([:], nil) }
            return (Array(state.held.values), state.thread)
        }
        thread?.join()
        for lease in held {
            do { try giveBack(lease) } catch { return }
        }
    }
}
