import Support

/// Detects, during a download or other long work, that the scope was purged or that another scope became current.
package final class GenerationWatch: Sendable {
    /// The generation of the scope at the beginning of the work.
    package let generation: Int64
    private let index: Index
    private let scope: ActiveScope
    private let next: Monitor<Duration>

    /// The minimum time between queries of the index. Together with the pauses between the events of a transfer
    /// (`HTTPEvent.pauseLength`), this interval ensures that outdated work ends within half a second. A query costs a
    /// few microseconds.
    private static let interval: Duration = .milliseconds(200)

    /// Throws `CacheFailure.scopeChanged` if the run uses the current scope and another scope has become current.
    package init(_ index: Index, _ scope: ActiveScope) throws {
        self.index = index
        self.scope = scope
        generation = try index.perform { try $0.scopes.generation(of: scope) }
        next = Monitor(SteadyTime.now() + Self.interval)
    }

    /// Runs `body`, which uses the scope's files. If `body` fails after the scope was purged or another scope became
    /// current, throws `CacheFailure.scopeChanged` instead of the error of `body`.
    package func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where !(error is Cancelled) {
            try checkNow()
            throw error
        }
    }

    /// Throws `CacheFailure.scopeChanged` if the scope was purged or another scope became current. Cheap enough to be
    /// called for every received chunk.
    package func check() throws {
        let isDue = next.withLock { next in
            let now = SteadyTime.now()
            if now < next { return false }
            next = now + Self.interval
            return true
        }
        if isDue { try checkNow() }
    }

    package func checkNow() throws { try index.perform { try $0.scopes.check(generation, of: scope) } }
}
