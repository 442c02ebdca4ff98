import Support

/// Writes an entry of the cache. Holds the entry's lock until it is committed or released, so that an entry is made once
/// however many threads and processes want it.
final class EntrySink: Sink {
    /// What is known of an entry before its bytes are.
    struct Subject {
        var name: String
        /// Its key, or that of its original.
        var key: CacheKey
        /// Where the bytes come from, without credentials.
        var url: String?
        /// What it is made of; nil for an entry that is an original.
        var original: Entry?
        /// When it expires; nil for `ttl` after it was made, and for an entry that expires with its original.
        var expiry: Expiry?
        /// The entry that it replaces.
        var old: Entry?
        /// Whether there was one whose file was gone.
        var wasLost = false
        /// What the remote says of it, if that is where the bytes come from.
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
    /// The digest of the bytes, once they are complete.
    private var digest: String?

    /// Begins the file, whose lock is `lock`. Throws `SystemFailure`, `PartialFile.Lost`.
    ///
    /// - Parameters:
    ///   - lock: nil if the caller holds it.
    ///   - watch: the generation that the entry is for.
    ///   - shared: hands the entry over to the remote once it is kept.
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
        // What a killed maker has left goes.
        try partial.restart(file)
    }

    deinit {
        if (try? partial.root.has(file, as: partial.name)) == true { partial.root.remove(partial.name) }
    }

    /// Writes the next bytes. Throws `SystemFailure`, and `CacheFailure`: `memoryFull`, or `scopeChanged` if the scope
    /// was purged or switched away from meanwhile.
    func write(_ bytes: RawSpan) throws { try watch.explaining { try body.write(bytes) } }

    /// The bytes so far, to be inspected. Throws `PartialFile.Lost` if the file is not there any more.
    func written() throws -> File { try partial.reopen(file) }

    /// Puts the entry in its place, and lets go of its lock. Throws `SystemFailure`, and `CacheFailure`: `scopeChanged`
    /// if the scope was purged or switched away from meanwhile.
    func commit(_ picture: FileFacts) throws -> MadeFile {
        do {
            return try watch.explaining {
                guard try partial.root.has(file, as: partial.name) else { throw PartialFile.Lost() }
                return MadeFile(try keep(picture), isNew: true)
            }
        } catch is PartialFile.Lost {
            throw CacheFailure.io(detail: "its folder was removed meanwhile", root: cache.root)
        }
    }

    /// Waits until all bytes are on the disk. Throws `RemoteDamage` unless they are those that the document is about.
    func requireDigest(of document: RemoteDocument) throws {
        guard try finish() == document.sha256 else { throw RemoteDamage.anotherDigest }
    }

    private func finish() throws -> String {
        let digest = try digest ?? body.finish()
        self.digest = digest
        return digest
    }

    /// The same, for a file that was seen to be there. Throws `PartialFile.Lost` if the root was removed meanwhile.
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
