import Libc
import Support

/// Stores the output of a tool in a cache: variants of an original, or independent entries.
///
/// A variant depends on the content of its original: if that content changes, the variant is made again and replaces
/// the earlier entry. Removing an original removes its variants; trimming treats each entry separately.
public struct CacheDestination: Sendable {
    private let cache: CacheStore
    private let original: (key: CacheKey, entry: Entry)?

    /// Stores variants of an entry that was found under `key`.
    public init(_ cache: CacheStore, of original: Entry, key: CacheKey) {
        self.cache = cache
        self.original = (key, original)
    }

    /// Stores independent entries.
    public init(_ cache: CacheStore) {
        self.cache = cache
        original = nil
    }

    /// Reports the files that exist, and locks the entries of missing files. Returns a sink for each missing file and
    /// nil for each existing file. Waits for files that other processes are making. The call and the use of the sinks
    /// must be within `Interruption.during`.
    ///
    /// - Parameters:
    ///   - names: distinct names. The name of a variant includes every option that changes the bytes, and the version
    ///     of the producer. The name of an independent entry is its key.
    ///   - there: called with each existing file and the index of its name, before waiting for missing files.
    ///
    /// Throws `CacheFailure`, `SystemFailure`, `Cancelled`, and the errors of `there`. If the scope was purged or
    /// another scope became current, throws `CacheFailure.scopeChanged` instead of the failure that this caused.
    public func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        let subjects = try names.map(subject)
        let version = cache.index.version()
        var found: [(index: Int, file: MadeFile)] = []
        var missing: [(index: Int, found: LookupResult)] = []
        for (index, subject) in subjects.enumerated() {
            let known = try known(subject, version)
            if let file = known.file { found.append((index, file)) } else { missing.append((index, known.found)) }
        }
        // Report the smallest first. New files are made in the same order.
        for (index, file) in found.sorted(by: { $0.file.pixels < $1.file.pixels }) { try there(index, file) }
        var sinks = [(any Sink)?](repeating: nil, count: names.count)
        if missing.isEmpty { return sinks }
        try cache.index.requireWriting()
        let watch = try GenerationWatch(cache.index, cache.active)
        try watch.explaining {
            // All processes take the locks in the order of the names, which prevents deadlocks.
            for (index, found) in missing.sorted(by: { subjects[$0.index].name < subjects[$1.index].name }) {
                sinks[index] = try begin(subjects[index], found) { try there(index, $0) }
            }
        }
        return sinks
    }

    private func subject(_ name: String) throws -> EntryFlight.Subject {
        if let (key, entry) = original { return EntryFlight.Subject(key.variantName(name), of: entry, key: key) }
        return EntryFlight.Subject(try CacheKey(printed: name))
    }

    /// Returns the file if its entry exists and can be leased without waiting; otherwise only the result of the lookup.
    ///
    /// - Parameter version: the current version of the index.
    private func known(
        _ subject: EntryFlight.Subject, _ version: Int?
    ) throws -> (file: MadeFile?, found: LookupResult) {
        if let recent = cache.recentEntry(recentName(subject), version: version),
            let file = try lease(recent, subject)
        {
            return (file, LookupResult())
        }
        let found = try cache.look(subject)
        return (try lease(found.entry, subject, version: found.version), found)
    }

    /// Locks the entry and looks it up again, in the cache and in the remote. If the entry exists by now, reports its
    /// file and returns nil.
    private func begin(
        _ subject: EntryFlight.Subject, _ known: LookupResult, there: (MadeFile) throws -> Void
    ) throws -> EntryFlight? {
        let flight = try EntryFlight(cache, subject, known: known)
        if let file = try lease(flight.found.entry, subject, version: flight.found.version) {
            if flight.hasWaited, original != nil { cache.index.count(in: cache.scope) { $0.add(.variantsCoalesced) } }
            try there(file)
            return nil
        }
        if let file = try flight.takeFromRemote(inspect: cache.inspect, use: { MadeFile($0, isNew: false) }) {
            try there(file)
            return nil
        }
        try flight.begin()
        return flight
    }

    private func recentName(_ subject: EntryFlight.Subject) -> String {
        original == nil ? subject.key.text : CacheStore.recentName(ofVariant: subject.name)
    }

    /// Leases an entry if it was made from the current content of the original.
    ///
    /// - Parameter version: the version of the index before the row was read; nil for an entry from `recent`.
    private func lease(_ entry: Entry?, _ subject: EntryFlight.Subject, version: Int? = nil) throws -> MadeFile? {
        guard let entry, entry.parentSHA256 == original?.entry.sha256,
            let entry = try cache.extendLease(of: entry, version: version)
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
    /// Opens an entry's file. Throws `CacheFailure.absent` if the file is missing or has another size, `SystemFailure`,
    /// `UnsafePath`.
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
