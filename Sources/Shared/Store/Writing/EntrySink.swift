import Support

/// Writes an entry of the cache. Holds the entry's lock until it is committed or released, so that concurrent requests
/// for an entry make it once.
final class EntrySink: Sink {
    /// The properties of an entry before its bytes are known.
    struct Subject {
        var name: String
        /// The key of the entry or of its original.
        var key: CacheKey
        /// The source without credentials.
        var url: String?
        /// The original of a variant.
        var original: Entry?
        /// The expiry; nil for `ttl` from now, and for an entry that expires with its original.
        var expiry: Expiry?
        /// The entry that it replaces.
        var old: Entry?
        /// Whether the file of the old entry was missing.
        var wasLost = false
        /// The remote's document, if the bytes come from the remote.
        var document: RemoteDocument?
    }

    private let cache: CacheStore
    private let subject: Subject
    private let watch: GenerationWatch
    private let partial: PartialFile
    private let file: File
    private let body: BodyWriter
    private var lock: KeyLock?
    private let shared: SharedEntry?
    /// The SHA-256 of the complete bytes.
    private var digest: String?

    /// Creates the file. Throws `SystemFailure`, `PartialFile.Lost`.
    ///
    /// - Parameters:
    ///   - lock: nil if the caller holds it.
    ///   - shared: offers the finished entry to the remote.
    init(
        _ cache: CacheStore, _ subject: Subject, lock: KeyLock?, watch: GenerationWatch, shared: SharedEntry? = nil
    ) throws {
        self.cache = cache
        self.subject = subject
        self.lock = lock
        self.shared = shared
        self.watch = watch
        let root = cache.index.root
        partial = PartialFile(
            name: CacheRoot.partial(subject.name, in: cache.scope, generation: watch.generation), root: root)
        file = try partial.open()
        body = BodyWriter(file, use: cache.settings.memory?.use)
        // Discard the bytes of a killed process.
        try partial.restart(file)
    }

    deinit {
        if (try? partial.root.has(file, as: partial.name)) == true { partial.root.remove(partial.name) }
    }

    /// Writes the next bytes. Throws `SystemFailure`, and `CacheFailure`: `memoryFull`, or `scopeChanged` if the scope
    /// was purged or another scope became current.
    func write(_ bytes: RawSpan) throws { try watch.explaining { try body.write(bytes) } }

    /// The bytes so far, for inspection. Throws `PartialFile.Lost` if the file is gone.
    func written() throws -> File { try partial.reopen(file) }

    /// Puts the entry in place and releases its lock. Throws like `write`.
    func commit(_ picture: FileFacts) throws -> MadeFile {
        do {
            return try watch.explaining {
                guard try partial.root.has(file, as: partial.name) else { throw PartialFile.Lost() }
                return MadeFile(try keep(picture), isNew: true)
            }
        } catch is PartialFile.Lost {
            throw CacheFailure.io(detail: "its folder was removed", root: cache.root)
        }
    }

    /// Syncs the bytes. Throws `RemoteDamage` unless they have the digest in the document.
    func requireDigest(of document: RemoteDocument) throws {
        guard try finish() == document.sha256 else { throw RemoteDamage.anotherDigest }
    }

    private func finish() throws -> String {
        let digest = try digest ?? body.finish()
        self.digest = digest
        return digest
    }

    /// Puts an entry in place whose partial file exists. Throws `PartialFile.Lost` if the root was removed.
    func keep(_ picture: FileFacts) throws -> Entry {
        let sha256 = try finish()
        let now = cache.clock.now()
        let original = subject.original
        let document = subject.document
        let new = NewEntry(
            name: subject.name, key: subject.key.text, kind: original == nil ? .original : .variant,
            parent: original?.name,
            parentSHA256: original?.sha256, url: document.map(\.url) ?? subject.url,
            file: try BlobStore.file(subject.name + (original == nil ? "" : CacheRoot.variantMark), picture),
            bytes: body.count, sha256: sha256, picture: picture, validators: document?.validators ?? Validators(),
            fetchedAt: original?.fetchedAt ?? document?.fetchedAt ?? now,
            expiresAt: original?.expiresAt ?? document?.expiresAt
                ?? (subject.expiry ?? .after(cache.settings.ttl)).end(from: now),
            lastUsed: now, leaseUntil: cache.lease.end(from: now),
            directives: document?.directives ?? CacheDirectives(),
            isPrivate: original?.isPrivate ?? (document == nil), vary: document?.vary)
        if document == nil { count(now) }
        var entry = try cache.keep(partial.name, as: new, replacing: subject.old, generation: watch.generation)
        entry.isFromRemote = document != nil
        shared?.offer(entry)
        lock = nil
        return entry
    }

    /// Counts an entry that was made or stored here.
    private func count(_ now: Timestamp) {
        cache.index.count(in: cache.scope) {
            if subject.original != nil { return $0.add(.variantsMade) }
            $0.add(miss: MissReason(replacing: subject.old, at: now, elseIf: subject.wasLost, isStored: true))
            $0.add(.stored)
        }
    }
}
