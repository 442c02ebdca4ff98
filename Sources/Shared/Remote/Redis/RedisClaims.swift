import Store
import Support

/// The exclusive right to fetch or make an entry. Ends when the holder releases the claim or stops renewing it.
final class RedisClaim: RemoteClaim {
    let name: RemoteName
    /// Identifies the holder.
    let token: String
    /// The fencing token, which grows with each claim of the same entry.
    let fence: Int
    private let claims: RedisClaims

    init(_ name: RemoteName, token: String, fence: Int, claims: RedisClaims) {
        (self.name, self.token, self.fence, self.claims) = (name, token, fence, claims)
    }

    func release() { claims.release(self) }
}

/// Claims in a Redis server (`SET … NX PX`). A thread renews and releases claims, so that no record waits for the
/// server. The server stores the fencing token of the last claim of each entry, so a holder that was suspended for too
/// long cannot replace the result of a later holder.
final class RedisClaims: Sendable {
    private struct State {
        var held: [ObjectIdentifier: RedisClaim] = [:]
        var released: [RedisClaim] = []
        var thread: Thread?
        /// The deadline for releasing the remaining claims; nil until the run closes the remote.
        var end: Duration?
    }

    private let server: RedisServer
    private let log: Log
    private let state = Monitor(State())

    init(_ server: RedisServer, log: Log) {
        self.server = server
        self.log = log
    }

    /// The time after which a claim expires unless it is renewed. Other machines wait this long for a holder that died.
    static let length: Duration = .seconds(10)
    /// The interval of renewals: a quarter of `length`, so that a claim survives failed renewals.
    private static let renewal: Duration = .milliseconds(2500)

    private static func key(ofClaim name: RemoteName) -> String { RedisStorage.key("lease/\(name.digest)") }
    private static func key(ofFence name: RemoteName) -> String { RedisStorage.key("fence/\(name.digest)") }

    /// A Lua script that returns the fencing token of a new claim, or 0 if another holder has the claim. The token
    /// expires a day after the last claim.
    private static let take = """
        if not redis.call('SET',KEYS[1],ARGV[1],'NX','PX',ARGV[2]) and redis.call('GET',KEYS[1])~=ARGV[1] then return 0 end \
        local fence=redis.call('INCR',KEYS[2]) redis.call('PEXPIRE',KEYS[2],86400000) return fence
        """
    private static let renew =
        "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('PEXPIRE',KEYS[1],ARGV[2]) end return 0"
    private static let release =
        "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0"
    /// A Lua script that stores a document unless the entry has a later claim. An expired token means that there is no
    /// later claim.
    private static let store = """
        if (redis.call('GET',KEYS[2]) or ARGV[1])~=ARGV[1] then return 0 end \
        redis.call('PSETEX',KEYS[1],ARGV[2],ARGV[3]) return 1
        """

    /// Claims an entry, or returns nil if another holder has the claim. Throws `RemoteFailure` and the operation's
    /// errors.
    func claim(_ name: RemoteName, token: String, _ operation: RemoteOperation) throws -> RedisClaim? {
        let keys = [Self.key(ofClaim: name), Self.key(ofFence: name)]
        let fence = try server.number(
            ["EVAL", Self.take, "2"] + keys + [token, "\(Self.length.milliseconds)"], operation)
        guard fence > 0 else { return nil }
        let claim = RedisClaim(name, token: token, fence: fence, claims: self)
        state.withLock { state in
            if state.end != nil { return }
            state.held[ObjectIdentifier(claim)] = claim
            // If no thread can be started, the claim expires after `length`, which is enough for most pictures.
            if state.thread == nil { state.thread = try? Thread.start { [self] in work() } }
        }
        return claim
    }

    func release(_ claim: RedisClaim) {
        state.update { state in
            if state.held.removeValue(forKey: ObjectIdentifier(claim)) != nil { state.released.append(claim) }
        }
    }

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
            send(Self.release, for: released) { [$0.token] }
            if isAtEnd { return }
            if isWoken == nil {
                let held = state.withLock { Array($0.held.values) }
                send(Self.renew, for: held) { [$0.token, "\(Self.length.milliseconds)"] }
                due = SteadyTime.now() + Self.renewal
            }
        }
    }

    /// Runs a script for each claim. Stops at the first failure: further calls would fail too, each after a wait, and
    /// claims expire by themselves.
    private func send(_ script: String, for claims: [RedisClaim], arguments: (RedisClaim) -> [String]) {
        do {
            for claim in claims {
                let operation = RemoteOperation(.asking(server.timeouts)) { [state] in
                    if let end = state.withLock({ $0.end }), SteadyTime.now() >= end { throw RemoteFailure.givenUp }
                }
                let words = ["EVAL", script, "1", Self.key(ofClaim: claim.name)] + arguments(claim)
                if try server.number(words, operation) != 1 {
                    log.detail("a claim in the remote has expired, and another machine may have taken it")
                }
            }
        } catch {
            log.detail("claims in the remote were not renewed or released: \(failure(of: error).code)")
        }
    }

    /// Stores a document unless the entry was claimed again, because the later holder may have stored a newer document.
    func write(
        _ bytes: [UInt8], to key: String, expiry: String, under claim: RedisClaim, _ operation: RemoteOperation
    ) throws {
        let words = ["EVAL", Self.store, "2", key, Self.key(ofFence: claim.name), "\(claim.fence)", expiry]
        if try server.number(words, operation, sending: bytes) != 1 {
            log.detail("not uploading an entry that another machine has claimed")
        }
    }

    /// Ends renewals, and releases as many claims as possible within `limit`.
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
