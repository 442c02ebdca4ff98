import Support

/// Notices that the scope of something under way has been purged, or switched away from, by whichever process.
final class GenerationWatch: Sendable {
    /// The generation of the scope when the work began.
    let generation: Int64
    private let index: Index
    private let next: Monitor<Duration>

    /// How long a look is good for. With the pauses of a transfer (`HTTPEvent.pauseLength`) in between, work that is
    /// stale ends within half a second, and a look costs some microseconds.
    private static let interval: Duration = .milliseconds(200)

    /// Throws `CacheFailure.scopeChanged` where the run's scope is not the current one any more, see
    /// `Index.generation`.
    init(_ index: Index) throws {
        self.index = index
        generation = try index.generation()
        next = Monitor(SteadyTime.now() + Self.interval)
    }

    /// Runs work that needs the scope's files, which a purge removes. Throws what `body` throws, or
    /// `CacheFailure.scopeChanged` if the work is stale by then: that is why it failed.
    func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error where !(error is Cancelled) {
            try index.check(generation: generation)
            throw error
        }
    }

    /// Throws `CacheFailure.scopeChanged` where the work is stale. Cheap enough for every piece that arrives.
    func check() throws {
        let isDue = next.withLock { next in
            let now = SteadyTime.now()
            if now < next { return false }
            next = now + Self.interval
            return true
        }
        if isDue { try index.check(generation: generation) }
    }
}
