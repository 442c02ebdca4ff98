import Support

/// Keeps files past the cache: each is a file in the private run-time folder that lasts for its lease. Nothing is
/// looked up, nothing is remembered or counted, and nobody waits for anybody: the same picture asked for twice is
/// fetched twice.
///
/// All calls block, and may come from any number of threads.
public final class Bypass: Sendable {
    /// What records say; nothing here depends on it.
    public let scope: ScopeName
    package let settings: CacheSettings
    package let inspect: Inspection
    private let clock: Clock
    package let interruption: Interruption
    private let folder = Monitor<(path: String, use: MemoryUse?, sweptAt: Timestamp)?>(nil)

    /// How often a long run removes what has ended meanwhile.
    private static let sweepInterval: Duration = .seconds(60)

    /// Looks at nothing yet.
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

    /// Copies bytes from a file or from memory. Throws what the inspection throws, `CacheFailure`, `SystemFailure`,
    /// `Cancelled`.
    ///
    /// - Parameter inspect: by default a whole picture.
    public func store(_ source: some ByteSource, key: CacheKey, inspect: Inspection? = nil) throws -> Entry {
        try interruption.during {
            let file = try begin()
            try BlobStore.copy(source) { piece in
                try interruption.check()
                try file.write(piece)
            }
            return try finish(file, key: key, url: nil, inspect: inspect)
        }
    }

    /// Begins a file; its bytes are for `finish`. Throws `CacheFailure.noRuntimeFolder`, `SystemFailure`.
    package func begin() throws -> BypassFile {
        let now = clock.now()
        // One that adds to the folder also keeps it small, whatever the other runs had time for.
        let (path, use, isDue) = try folder.withLock { folder throws -> (String, MemoryUse?, Bool) in
            let (path, use) = try folder.map { ($0.path, $0.use) } ?? bounded(settings.places.bypassFolder())
            let isDue = folder.map { $0.sweptAt + Self.sweepInterval <= now || $0.sweptAt > now } ?? true
            if isDue { folder = (path, use, now) }
            return (path, use, isDue)
        }
        if isDue { RuntimePlaces.sweep(path, now: now) }
        do {
            return try BypassFile(folder: path, lease: settings.lease, clock: clock, use: use)
        } catch let failure as SystemFailure where failure.isMissing {
            // The folder was removed under a running tool.
            let (path, use) = try bounded(settings.places.bypassFolder())
            return try BypassFile(folder: path, lease: settings.lease, clock: clock, use: use)
        }
    }

    /// A folder with what bounds it, which is nothing on a disk.
    private func bounded(_ folder: Folder) -> (path: String, use: MemoryUse?) {
        let isInMemory = PrivateFolder.isInMemory(folder)
        return (
            folder.path,
            isInMemory ? MemoryUse(limit: settings.memoryCapacity, places: settings.places, clock: clock) : nil
        )
    }

    /// Inspects a file that has all its bytes, and hands it out.
    ///
    /// - Parameters:
    ///   - url: where the bytes come from, without credentials; nil for a local file.
    ///   - inspect: by default a whole picture.
    package func finish(_ file: BypassFile, key: CacheKey, url: String?, inspect: Inspection? = nil) throws -> Entry {
        let picture = try (inspect ?? self.inspect)(try file.reopened())
        let made = try file.commit(picture)
        let now = clock.now()
        let end = file.leaseUntil ?? now
        return Entry(
            key: key.text, scope: scope, kind: .original, path: made.path, url: url, bytes: made.bytes,
            contentType: made.contentType, sha256: file.sha256, width: made.width, height: made.height,
            details: made.details, fetchedAt: now, expiresAt: end, lastUsed: now, leaseUntil: end, isPinned: false,
            validators: Validators(), id: 0, name: key.name, file: "", place: "", parentSHA256: nil,
            isUnsettled: false)
    }

    /// Begins files of their own for all `names`, since nothing is remembered. To be called within
    /// `Interruption.during`, which also covers the use of the sinks. Throws `CacheFailure.noRuntimeFolder`,
    /// `SystemFailure`.
    public func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        try names.map { _ in try begin() }
    }
}
