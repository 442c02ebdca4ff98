import Libc
import Support

/// A cache as the place of what is made of one of its originals, or of nothing: entries that stand under names.
///
/// A variant belongs to the content that its original had: if that changes, the variant is made anew in the same place.
/// It goes with its original when that is removed; trimming takes each by its own last use.
public struct CacheDestination: Sendable {
    private let cache: CacheStore
    private let original: (key: CacheKey, entry: Entry)?

    /// Keeps what is made as variants of an entry of this cache, which was found under `key`.
    public init(_ cache: CacheStore, of original: Entry, key: CacheKey) {
        self.cache = cache
        self.original = (key, original)
    }

    /// Keeps what is made as entries of their own.
    public init(_ cache: CacheStore) {
        self.cache = cache
        original = nil
    }

    /// Gives what is there, and takes the right to make the rest: a sink for each name that has no file, nil for the
    /// others. A file that somebody else makes at this moment is waited for. To be called within `Interruption.during`,
    /// which also covers the use of the sinks.
    ///
    /// - Parameters:
    ///   - names: no two equal. Each names every option that changes the bytes, and the version of what makes them;
    ///     without an original, it is the entry's key.
    ///   - there: is told the index of each file that is there, before another one is waited for.
    ///
    /// Throws `CacheFailure`, `SystemFailure`, `Cancelled`, and what `there` throws. If the scope is purged or switched
    /// away from meanwhile, whatever fails for it is `CacheFailure.scopeChanged`.
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
        // The smallest first, as they are made.
        for (index, file) in found.sorted(by: { $0.file.pixels < $1.file.pixels }) { try there(index, file) }
        var sinks = [(any Sink)?](repeating: nil, count: names.count)
        if missing.isEmpty { return sinks }
        try cache.requireWriting()
        let watch = try GenerationWatch(cache.index, cache.active)
        try watch.explaining {
            // Everyone takes the locks in the same order, so that no two wait for each other.
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

    /// The file of an entry that is there and can be handed out without waiting for anybody.
    ///
    /// - Parameter version: that of the index at this moment.
    private func known(_ subject: inout EntrySink.Subject, _ version: Int?) throws -> MadeFile? {
        if let recent = cache.recalled(recentName(subject), version: version) { return try handOut(recent, subject) }
        try look(for: &subject)
        return try handOut(subject.old, subject, version: version)
    }

    /// Waits for the process that makes the entry, and looks once more; nil if it is there then.
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

    /// What the remote has of the entry, or gets from another machine that makes it at this moment; nil if it is to be
    /// made here.
    private func take(
        _ shared: SharedEntry?, _ subject: EntrySink.Subject, _ watch: GenerationWatch
    ) throws -> MadeFile? {
        guard let shared else { return nil }
        func take() throws -> Entry? { try shared.take(replacing: subject.old, watch: watch, inspect: cache.inspect) }
        var entry = try take()
        if entry == nil, try shared.claim(check: watch.check) { entry = try take() }
        return entry.map { MadeFile($0, isNew: false) }
    }

    /// Notes the entry that is there, if its file is as the index says; see `CacheStore.sound`.
    private func look(for subject: inout EntrySink.Subject, isLocked: Bool = false) throws {
        var wasLost = false
        subject.old =
            try original == nil
            ? cache.sound(subject.key, isLocked: isLocked) { wasLost = true }
            : cache.sound(subject.name, isLocked: isLocked) { wasLost = true }
        if wasLost { subject.wasLost = true }
    }

    private func recentName(_ subject: EntrySink.Subject) -> String {
        original == nil ? subject.key.text : CacheStore.recentName(ofVariant: subject.name)
    }

    /// Hands out an entry if it is made of the original's present content.
    ///
    /// - Parameter version: that of the index before the entry's row was read; nil if it is remembered already.
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
    /// Opens an entry's file. Throws `CacheFailure.absent` if it is not there any more, `SystemFailure`, `UnsafePlace`.
    public func open(_ entry: Entry) throws -> File {
        do {
            let file = try index.root.open(entry.place, O_RDONLY)
            if file.count == entry.bytes { return file }
        } catch let failure as SystemFailure where failure.isMissing {}
        // The row goes too, so that nobody is given the entry again.
        _ = try sound(entry.name)
        throw CacheFailure.absent(key: entry.key ?? entry.name)
    }
}
