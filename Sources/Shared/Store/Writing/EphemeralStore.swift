import Support

/// Stores files outside the cache, in a private runtime folder, for the duration of a lease. Has no lookups, counters
/// or key locks: a picture requested twice is fetched twice.
///
/// All methods block and are thread-safe.
public final class EphemeralStore: Sendable {
    /// The scope to report in records.
    public let scope: ScopeName
    package let settings: CacheSettings
    package let inspect: Inspection
    private let clock: Clock
    package let interruption: Interruption
    private let folder = Monitor<(path: String, use: MemoryUse?, sweptAt: Timestamp)?>(nil)

    /// The interval at which a long run removes expired files.
    private static let sweepInterval: Duration = .seconds(60)

    /// Makes no system call.
    package init(
        settings: CacheSettings, scope: ScopeName, inspect: @escaping Inspection, clock: Clock,
        interruption: Interruption
    ) {
        self.settings = settings
        self.scope = scope
        self.inspect = inspect
        self.clock = clock
        self.interruption = interruption
    }

    /// Copies bytes from a file or from memory. Throws the errors of the inspection, `CacheFailure`, `SystemFailure`,
    /// `Cancelled`.
    ///
    /// - Parameter inspect: nil to use the store's inspection.
    public func store(_ source: some ByteSource, key: CacheKey, inspect: Inspection? = nil) throws -> Entry {
        try interruption.during {
            let file = try begin()
            try source.copy(to: file, check: interruption.check)
            return try finish(file, key: key, url: nil, inspect: inspect)
        }
    }

    /// Creates an empty file, to be passed to `finish`. Throws `CacheFailure.noRuntimeFolder`, `SystemFailure`.
    package func begin() throws -> EphemeralFile {
        let now = clock.now()
        // A run that adds files also removes expired files.
        let (path, use, isDue) = try folder.withLock { folder throws -> (String, MemoryUse?, Bool) in
            let (path, use) = try folder.map { ($0.path, $0.use) } ?? bounded(settings.places.ephemeralFolder())
            let isDue = folder.map { $0.sweptAt + Self.sweepInterval <= now || $0.sweptAt > now } ?? true
            if isDue { folder = (path, use, now) }
            return (path, use, isDue)
        }
        if isDue { RuntimePlaces.sweep(path, now: now) }
        do {
            return try EphemeralFile(folder: path, lease: settings.lease, clock: clock, use: use)
        } catch let failure as SystemFailure where failure.isMissing {
            // The folder was removed during the run.
            let (path, use) = try bounded(settings.places.ephemeralFolder())
            return try EphemeralFile(folder: path, lease: settings.lease, clock: clock, use: use)
        }
    }

    /// Returns the path of a folder and, if it is in memory, the memory limit.
    private func bounded(_ folder: Folder) -> (path: String, use: MemoryUse?) {
        guard PrivateFolder.isInMemory(folder) else { return (folder.path, nil) }
        return (folder.path, MemoryUse(limit: settings.memoryCapacity, places: settings.places, clock: clock))
    }

    /// Inspects a completely written file and begins its lease.
    ///
    /// - Parameters:
    ///   - url: the address of the source without credentials; nil for a local file.
    ///   - inspect: nil to use the store's inspection.
    package func finish(_ file: EphemeralFile, key: CacheKey, url: String?, inspect: Inspection? = nil) throws -> Entry
    {
        let picture = try (inspect ?? self.inspect)(try file.reopened())
        let made = try file.commit(picture)
        let now = clock.now()
        var entry = Entry(name: key.name, scope: scope)
        entry.key = key.text
        entry.url = url
        entry.path = made.path
        entry.bytes = made.bytes
        entry.sha256 = try file.finish()
        entry.facts = picture
        let end = file.leaseUntil ?? now
        (entry.fetchedAt, entry.lastUsed, entry.expiresAt, entry.leaseUntil) = (now, now, end, end)
        return entry
    }

    /// Creates a file for each name. The call and the use of the sinks must be within `Interruption.during`. Throws
    /// `CacheFailure.noRuntimeFolder`, `SystemFailure`.
    public func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        try names.map { _ in try begin() }
    }
}
