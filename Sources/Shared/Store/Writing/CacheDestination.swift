import Libc
import Support

/// A cache as a destination: for variants of an original, or for entries of their own.
///
/// A variant depends on the content of its original: if that changes, the variant is made again in the same place. It
/// is removed with its original; trimming considers each separately.
public struct CacheDestination: Sendable {
    private let cache: CacheStore
    private let original: (key: CacheKey, entry: Entry)?

    /// Stores variants of an entry that was found under `key`.
    public init(_ cache: CacheStore, of original: Entry, key: CacheKey) {
        self.cache = cache
        self.original = (key, original)
    }

    /// Stores entries of their own.
    public init(_ cache: CacheStore) {
        self.cache = cache
        original = nil
    }

    /// Reports existing files and locks the missing ones. Returns a sink for each missing file and nil for the others.
    /// Waits for files that other processes are making. To be called within `Interruption.during`, which also covers
    /// the use of the sinks.
    ///
    /// - Parameters:
    ///   - names: distinct names. Each includes every option that changes the bytes, and the version of the producer;
    ///     without an original, it is the entry's key.
    ///   - there: called with the index of each existing file, before waiting for others.
    ///
    /// Throws `CacheFailure`, `SystemFailure`, `Cancelled`, and the errors of `there`. If the scope is purged or
    /// another scope becomes current, a failure that results is `CacheFailure.scopeChanged`.
    public func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        var subjects = try names.map(subject)
        let version = cache.index.version()
        var found: [(index: Int, file: MadeFile)] = []
        var missing: [Int] = []
        for index in subjects.indices {
            if let file = try known(&subjects[index], version) {
                found.append((index, file))
            } else {
                missing.append(index)
            }
        }
        // The smallest first, in the order of production.
        for (index, file) in found.sorted(by: { $0.file.pixels < $1.file.pixels }) { try there(index, file) }
        var sinks = [(any Sink)?](repeating: nil, count: names.count)
        if missing.isEmpty { return sinks }
        try cache.requireWriting()
        let watch = try GenerationWatch(cache.index, cache.active)
        try watch.explaining {
            // All processes take the locks in the same order, which prevents deadlocks.
            for index in missing.sorted(by: { subjects[$0].name < subjects[$1].name }) {
                sinks[index] = try begin(subjects[index], version, watch) { try there(index, $0) }
            }
        }
        return sinks
    }

    private func subject(_ name: String) throws -> EntrySink.Subject {
        if let (key, entry) = original {
            return EntrySink.Subject(name: key.variantName(name), key: key, url: entry.url, original: entry)
        }
        let key = try CacheKey(printed: name)
        return EntrySink.Subject(name: key.name, key: key)
    }

    /// Returns the file of an existing entry that can be leased without waiting.
    ///
    /// - Parameter version: the present version of the index.
    private func known(_ subject: inout EntrySink.Subject, _ version: Int?) throws -> MadeFile? {
        if let recent = cache.recentEntry(recentName(subject), version: version) { return try handOut(recent, subject) }
        try look(for: &subject)
        return try handOut(subject.old, subject, version: version)
    }

    /// Locks the entry and looks it up again. Reports it and returns nil if it exists by now.
    private func begin(
        _ subject: EntrySink.Subject, _ known: Int?, _ watch: GenerationWatch, there: (MadeFile) throws -> Void
    ) throws -> EntrySink? {
        var subject = subject
        let lock = try cache.lock(
            subject.name, generation: watch.generation, whileWaiting: watch.check)
        if cache.isOutdated(known, under: lock) {
            let version = cache.index.version()
            try look(for: &subject, isLocked: true)
            if let file = try handOut(subject.old, subject, version: version) {
                if lock.wasContended, original != nil {
                    cache.index.count(in: cache.scope) { $0.add(.variantsCoalesced) }
                }
                try there(file)
                return nil
            }
        }
        let shared = SharedEntry(cache, subject)
        if let file = try take(shared, subject, watch) {
            try there(file)
            return nil
        }
        return try EntrySink(cache, subject, lock: lock, watch: watch, shared: shared)
    }

    /// Returns the entry from the remote, waiting for another machine that is making it, or nil if it must be made
    /// here.
    private func take(
        _ shared: SharedEntry?, _ subject: EntrySink.Subject, _ watch: GenerationWatch
    ) throws -> MadeFile? {
        guard let shared else { return nil }
        func take() throws -> Entry? { try shared.take(replacing: subject.old, watch: watch, inspect: cache.inspect) }
        var entry = try take()
        if entry == nil, try shared.claim(check: watch.check) { entry = try take() }
        return entry.map { MadeFile($0, isNew: false) }
    }

    /// Looks up the entry and checks its file, see `CacheStore.validated`.
    private func look(for subject: inout EntrySink.Subject, isLocked: Bool = false) throws {
        var wasLost = false
        subject.old =
            try original == nil
            ? cache.validated(subject.key, isLocked: isLocked) { wasLost = true }
            : cache.validated(subject.name, isLocked: isLocked) { wasLost = true }
        if wasLost { subject.wasLost = true }
    }

    private func recentName(_ subject: EntrySink.Subject) -> String {
        original == nil ? subject.key.text : CacheStore.recentName(ofVariant: subject.name)
    }

    /// Leases an entry if it was made from the original's present content.
    ///
    /// - Parameter version: the version of the index before the row was read; nil if the entry is remembered already.
    private func handOut(
        _ entry: Entry?, _ subject: EntrySink.Subject, version: Int? = nil
    ) throws -> MadeFile? {
        guard let entry, entry.parentSHA256 == original?.entry.sha256,
            let entry = try cache.handOut(entry, version: version)
        else { return nil }
        cache.remember(entry, as: recentName(subject), version: version)
        if original == nil {
            cache.count(cache.status(of: entry), entry)
        } else {
            cache.index.count(in: cache.scope) {
                $0.add(.variantHits)
                $0.add(.bytesServed, entry.bytes)
            }
        }
        cache.metrics.add(cache.event(original == nil ? .lookup : .variant, entry, status: "hit"))
        return MadeFile(entry, isNew: false)
    }
}

extension CacheStore {
    /// Opens an entry's file. Throws `CacheFailure.absent` if it is gone, `SystemFailure`, `UnsafePlace`.
    public func open(_ entry: Entry) throws -> File {
        do {
            let file = try index.root.open(entry.place, O_RDONLY)
            if file.count == entry.bytes { return file }
        } catch let failure as SystemFailure where failure.isMissing {}
        // Remove the row too, so that the entry is not returned again.
        _ = try validated(entry.name)
        throw CacheFailure.absent(key: entry.key ?? entry.name)
    }
}
