import Support

/// Notices that the scope of something under way has been purged, or switched away from, by whichever process.
package final class GenerationWatch: Sendable {
    /// The generation of the scope when the work began.
    package let generation: Int64
    private let index: Index
    private let scope: ActiveScope
    private let next: Monitor<Duration>

    /// How long a look is good for. With the pauses of a transfer (`HTTPEvent.pauseLength`) in between, work that is
    /// stale ends within half a second, and a look costs some microseconds.
    private static let interval: Duration = .milliseconds(200)

    /// Throws `CacheFailure.scopeChanged` if the run's scope is not the current one any more, see `Index.generation`.
    ///
    /// - Parameter look: spares a look at the scope's row as long as nothing has changed since.
    package init(_ index: Index, _ scope: ActiveScope, knownBy look: Look? = nil) throws {
        let isCurrent = look.map { $0.version != nil && $0.version == index.version() } ?? false
        let generation = isCurrent ? look?.generation : nil
        self.index = index
        self.scope = scope
        self.generation = try generation ?? index.generation(of: scope)
        next = Monitor(SteadyTime.now() + Self.interval)
    }

    /// Runs work that needs the scope's files, which a purge removes. Throws what `body` throws, or
    /// `CacheFailure.scopeChanged` if the work is stale by then: that is why it failed.
    package func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where !(error is Cancelled) {
            try index.check(generation, of: scope)
            throw error
        }
    }

    /// Throws `CacheFailure.scopeChanged` where the work is stale. Cheap enough for every piece that arrives.
    package func check() throws {
        let isDue = next.withLock { next in
            let now = SteadyTime.now()
            if now < next { return false }
            next = now + Self.interval
            return true
        }
        if isDue { try index.check(generation, of: scope) }
    }
}
