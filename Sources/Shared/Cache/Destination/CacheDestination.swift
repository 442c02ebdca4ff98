import Libc
import Support

/// A cache as the place of what is made of one of its originals, or of nothing: entries that stand under names.
///
/// A variant belongs to the content that its original had: if that changes, the variant is made anew in the same place.
/// It goes with its original when that is removed; trimming takes each by its own last use.
public struct CacheDestination: Sendable {
    private let cache: ImageCache
    private let original: (key: CacheKey, entry: Entry)?

    /// Keeps what is made as variants of an entry of this cache, which was found under `key`.
    public init(_ cache: ImageCache, of original: Entry, key: CacheKey) {
        self.cache = cache
        self.original = (key, original)
    }

    /// Keeps what is made as entries of their own.
    public init(_ cache: ImageCache) {
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
        let subjects = try names.map(subject)
        var found: [(index: Int, file: MadeFile)] = []
        var missing: [Int] = []
        for (index, subject) in subjects.enumerated() {
            if let file = try known(subject) {
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
        let watch = try GenerationWatch(cache.index)
        try watch.explaining {
            // Everyone takes the locks in the same order, so that no two wait for each other.
            for index in missing.sorted(by: { subjects[$0].name < subjects[$1].name }) {
                sinks[index] = try begin(subjects[index], watch) { try there(index, $0) }
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
    private func known(_ subject: EntrySink.Subject) throws -> MadeFile? {
        if let recent = cache.recalled(subject.name) { return try handOut(recent) }
        let version = cache.index.version()
        return try handOut(sound(subject), version: version)
    }

    /// Waits for whoever makes the entry, and looks once more; nil if it is there then.
    private func begin(
        _ subject: EntrySink.Subject, _ watch: GenerationWatch, there: (MadeFile) throws -> Void
    ) throws -> EntrySink? {
        var subject = subject
        let lock = try cache.lock(subject.name, whileWaiting: watch.check)
        let version = cache.index.version()
        subject.old = try sound(subject, isLocked: true) { subject.wasLost = true }
        if let file = try handOut(subject.old, version: version) {
            if lock.wasContended, original != nil { cache.index.count { $0.add(.variantsCoalesced) } }
            try there(file)
            return nil
        }
        return try EntrySink(cache, subject, lock: lock, watch: watch)
    }

    /// The entry, if its file is there as the index says; see `ImageCache.sound`.
    private func sound(
        _ subject: EntrySink.Subject, isLocked: Bool = false, onLoss: () -> Void = {}
    ) throws -> Entry? {
        if original == nil { return try cache.sound(subject.key, isLocked: isLocked, onLoss: onLoss) }
        return try cache.sound(subject.name, isLocked: isLocked, onLoss: onLoss)
    }

    /// Hands out an entry if it is made of the original's present content.
    ///
    /// - Parameter version: that of the index before the entry's row was read; nil if it is remembered already.
    private func handOut(_ entry: Entry?, version: Int? = nil) throws -> MadeFile? {
        guard let entry, entry.parentSHA256 == original?.entry.sha256, let entry = try cache.handOut(entry) else {
            return nil
        }
        cache.remember(entry, version: version)
        if original == nil {
            cache.count(cache.status(of: entry), entry)
        } else {
            cache.index.count {
                $0.add(.variantHits)
                $0.add(.bytesServed, entry.bytes)
            }
        }
        cache.metrics.add(cache.event(original == nil ? .lookup : .variant, entry, status: "hit"))
        return MadeFile(entry, isNew: false)
    }
}

extension ImageCache {
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
