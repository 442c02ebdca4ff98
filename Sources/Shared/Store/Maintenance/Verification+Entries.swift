import Support

extension Verification {
    /// A part of the entries of the scope in use, whose content somebody knows more about.
    public struct Selection: Sendable {
        public let filter: EntryFilter
        /// Says what is wrong with a file that is as its row has it, in words; nil if all is well.
        public let fault: @Sendable (Entry, File) throws -> String?

        public init(_ filter: EntryFilter, fault: @escaping @Sendable (Entry, File) throws -> String?) {
            self.filter = filter
            self.fault = fault
        }
    }

    /// Calls `body`, which gives how many bytes it has read, for every entry that is looked at, on as many threads as
    /// there are jobs. Entries come a page at a time.
    func forEachEntry(
        _ cache: CacheStore, showing progress: Progress = .none,
        _ body: @escaping @Sendable (Entry, Index.ScopeRow) throws -> Int
    ) throws {
        let source = Monitor(EntryCursor(try cache.scopeRows(inAllScopes: selection == nil)))
        let now = clock.now()
        let work: @Sendable () -> Void = { [self] in
            do {
                while found.withLock({ $0.failure == nil }),
                    let (entry, scope) = try source.withLock({ try $0.next(cache.index) })
                {
                    try interruption.check()
                    if let selection, !selection.filter.accepts(entry, now: now) { continue }
                    let bytes = try body(entry, scope)
                    progress.pass(bytes: bytes)
                    progress.finishRecord(failed: false)
                    found.withLock {
                        $0.step.count += 1
                        $0.step.bytes += bytes
                    }
                }
            } catch {
                found.withLock { $0.failure = $0.failure ?? error }
            }
        }
        let others = try (1..<jobs).map { _ in try Thread.start(work) }
        work()
        for thread in others { thread.join() }
        if let failure = found.withLock({ $0.failure }) { throw failure }
    }
}
