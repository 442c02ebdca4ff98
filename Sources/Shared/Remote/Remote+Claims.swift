import Store
import Support

extension Remote {
    /// The pauses between attempts: short at first, for entries that are made quickly, then long enough for a server
    /// with a thousand waiting machines. The last pause is repeated.
    private static let tries: [Duration] = [
        .milliseconds(20), .milliseconds(50), .milliseconds(100), .milliseconds(200),
    ]

    public func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)? {
        let token = "\(UInt64.random(in: 0...UInt64.max))"
        var tries = 0
        while let patience = patience(for: [\.reading, \.writing]), claimTimeLeft > .zero {
            let begun = SteadyTime.now()
            do {
                let limits = RemoteOperation.Limits.asking(settings.timeouts, patience: patience)
                let answer = try run(limits) { try storage.claim(name, token: token, $0) }
                noteLost(since: begun, unlessWithin: settings.timeouts.free)
                switch answer {
                case .granted(let claim): return claim
                case .none: return nil
                case .held: break
                }
            } catch {
                try interruption.check()
                note(failure(of: error), .writing)
                noteLost(since: begun)
                return nil
            }
            if tries == 0 { log.detail("waiting for another machine that is fetching or making this entry") }
            try check()
            try interruption.sleep(min(Self.tries[min(tries, Self.tries.count - 1)], max(claimTimeLeft, .zero)))
            tries += 1
            noteWaited(begun..<SteadyTime.now())
        }
        return nil
    }

    private var claimTimeLeft: Duration { settings.timeouts.claims - state.withLock { $0.claims.total } }

    /// Counts time spent waiting for other machines, and warns once when the limit is reached.
    private func noteWaited(_ span: Range<Duration>) {
        let limit = settings.timeouts.claims
        let isUsedUp = state.withLock { state in
            let before = state.claims.total
            state.claims.add(span)
            return before < limit && state.claims.total >= limit
        }
        if isUsedUp {
            log.warning(
                "the remote \(settings.address): waiting for other machines has taken "
                    + "\(TimeSpan.description(limit)) in total; this run no longer waits for them")
        }
    }
}
