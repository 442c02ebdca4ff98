import Store
import Support

/// The right to fetch or make a thing, until it is given back or its holder does not renew it any more.
final class RedisLease: RemoteClaim {
    let key: String
    /// A number that is larger than those of all earlier leases, and what makes it this holder's.
    let fence: Int
    let token: String
    private let leases: RedisLeases

    init(key: String, fence: Int, token: String, leases: RedisLeases) {
        (self.key, self.fence, self.token, self.leases) = (key, fence, token, leases)
    }

    func release() { leases.release(self) }
}

/// Leases that a Redis server keeps for all machines: `SET … NX PX`, renewed by a thread as long as they are held, with
/// a number by which a holder that was away for too long is told from the present one.
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

    /// Waits until the lease of a thing is free, and takes it; nil after `patience`. Throws `RemoteFailure`,
    /// `Cancelled`, and what `check` throws.
    func claim(_ name: RemoteName, check: () throws -> Void) throws -> RedisLease? {
        guard case .integer(let fence) = try server.command(["INCR", RedisStorage.key("fence")]) else {
            throw RemoteFailure.failed("the Redis server gave no number for a lease")
        }
        let key = RedisStorage.key("lease/\(name.digest)")
        let token = "\(fence) \(UInt64.random(in: 0...UInt64.max))"
        let begun = SteadyTime.now()
        var looks = 0
        while SteadyTime.now() - begun < Self.patience {
            let reply = try server.command(["SET", key, token, "NX", "PX", "\(Self.length.milliseconds)"])
            if reply != .none {
                let lease = RedisLease(key: key, fence: fence, token: token, leases: self)
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
            for lease in state.withLock({ Array($0.held.values) }) {
                do {
                    let script =
                        "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('PEXPIRE',KEYS[1],ARGV[2]) end return 0"
                    let reply = try server.command(
                        ["EVAL", script, "1", lease.key, lease.token, "\(Self.length.milliseconds)"])
                    if reply != .integer(1) { log.detail("a lease in the remote was lost to another machine") }
                } catch {
                    log.detail("a lease in the remote was not renewed: \(failure(of: error).message)")
                }
            }
        }
    }

    func release(_ lease: RedisLease) {
        let wasHeld = state.update { $0.held.removeValue(forKey: ObjectIdentifier(lease)) != nil }
        if !wasHeld { return }
        let script = "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0"
        // It ends by itself, too.
        _ = try? server.command(["EVAL", script, "1", lease.key, lease.token])
    }

    /// Stores a document, unless a later holder of the lease has done so already.
    func write(_ bytes: [UInt8], to key: String, of name: RemoteName, expiry: String, under lease: RedisLease) throws {
        let script = """
            if tonumber(redis.call('GET',KEYS[2]) or '0')>tonumber(ARGV[1]) then return 0 end \
            redis.call('SET',KEYS[2],ARGV[1],'PX',ARGV[2]) redis.call('SET',KEYS[1],ARGV[3],'PX',ARGV[2]) return 1
            """
        let reply = try server.command(
            ["EVAL", script, "2", key, RedisStorage.key("fence/\(name.digest)"), "\(lease.fence)", expiry], bytes)
        if reply != .integer(1) { log.detail("another machine has handed over something newer") }
    }

    /// Gives all leases back, and ends their renewal.
    func close() {
        let (held, thread) = state.update { state in
            state.isClosed = true
            defer { state.thread = nil }
            return (Array(state.held.values), state.thread)
        }
        held.forEach(release)
        thread?.join()
    }
}
