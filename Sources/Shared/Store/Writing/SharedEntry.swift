import Libc
import Support

/// Downloads an entry from the remote or uploads it, while the lock of its key is held. Not thread-safe.
///
/// The claim is released after the upload, or with the last reference to this object.
package final class SharedEntry {
    private let cache: CacheStore
    private let remote: any RemoteTier
    private let subject: EntryFlight.Subject
    private let name: RemoteName
    private var claim: (any RemoteClaim)?
    private let begun = SteadyTime.now()

    /// Returns nil if the entry must not be shared: its scope has no remote, it is stored in memory, it did not come
    /// from a server (the same local path may be another file on another machine), or its original is private.
    init?(_ cache: CacheStore, _ subject: EntryFlight.Subject) {
        guard let remote = cache.remote, subject.key.isShared(from: subject.url), cache.settings.memory == nil,
            subject.original?.isPrivate != true,
            remote.reads(cache.scope) || remote.writes(cache.scope)
        else { return nil }
        self.cache = cache
        self.remote = remote
        self.subject = subject
        name =
            subject.original.map { RemoteName(variant: subject.name, of: $0.sha256, in: cache.scope) }
            ?? RemoteName(originalOf: subject.key, in: cache.scope)
    }

    deinit { claim?.release() }

    // MARK: From the remote

    /// Downloads, verifies and stores the remote's entry if it is newer than the entry of the flight. Returns nil if
    /// the remote has no usable entry. Throws `CacheFailure`, `SystemFailure`, `Cancelled`.
    func take(into flight: EntryFlight, inspect: Inspection) throws -> Entry? {
        guard remote.reads(cache.scope),
            let document = cache.index.counted(
                try remote.document(of: name, atMost: RemoteDocument.smallByteLimit), in: cache.scope)
        else { return nil }
        return try take(document, into: flight, inspect: inspect)
    }

    /// Downloads, verifies and stores the content of a document of this entry.
    func take(_ document: RemoteDocument, into flight: EntryFlight, inspect: Inspection) throws -> Entry? {
        let old = flight.found.entry
        guard isNewer(document, than: old) else { return nil }
        if let old, old.sha256 == document.sha256, subject.original == nil,
            let entry = try renew(old, document, flight.watch.generation)
        {
            return entry
        }
        try flight.begin()
        let begun = SteadyTime.now()
        let content = try remote.content(of: document, receive: flight.write)
        guard cache.index.counted(content, in: cache.scope) != nil else { return nil }
        let picture: FileFacts
        do {
            picture = try Self.facts(document, inspect(flight.body.reopened()))
            guard try flight.body.finish() == document.sha256 else { throw RemoteDamage.anotherDigest }
        } catch let failure as any Failure
            where !(failure is Cancelled || failure is SystemFailure || failure is CacheFailure)
        {
            // The fault is in the content, not in this machine or run.
            remote.reportDamage(of: document, after: SteadyTime.now() - begun, failure.message)
            cache.index.count(in: cache.scope) { $0.add(.remoteDamaged) }
            return nil
        }
        let entry = try flight.keep(picture) { [subject] new in
            new.isFromRemote = true
            new.url = document.url
            copyFields(of: document, to: &new)
            if subject.original == nil { new.isPrivate = false }
        }
        let saved = document.cost - (SteadyTime.now() - begun)
        cache.index.count(in: cache.scope) {
            $0.add(.remoteHits)
            $0.add(.bytesFromRemote, entry.bytes)
            $0.add(.remoteMillisecondsSaved, Int(max(saved, .zero).milliseconds))
        }
        return entry
    }

    /// Whether a document is newer than the entry. Always true for a variant.
    func isNewer(_ document: RemoteDocument, than old: Entry?) -> Bool {
        // `RemoteName` of a variant covers its options and its original's SHA-256, so no document has other content.
        guard subject.original == nil else { return true }
        guard document.isPast(at: cache.clock.now()) else { return false }
        return old.map { document.fetchedAt > $0.fetchedAt } ?? true
    }

    /// Renews the entry with the fields of a document that has the same bytes.
    private func renew(_ old: Entry, _ document: RemoteDocument, _ generation: Int64) throws -> Entry? {
        let now = cache.clock.now()
        var entry = old
        copyFields(of: document, to: &entry)
        entry.lastUsed = document.fetchedAt
        entry.leaseUntil = max(old.leaseEnd(at: now), cache.lease.end(from: now))
        guard var kept = try cache.renew(entry, generation: generation) else { return nil }
        kept.isFromRemote = true
        cache.index.count(in: cache.scope) { $0.add(.remoteHits) }
        return kept
    }

    /// Copies the validators, directives and `Vary` and, for an original, the times. Limits expiry times to
    /// `settings.ttl` from now.
    private func copyFields(of document: RemoteDocument, to entry: inout Entry) {
        func latest(_ time: Timestamp?) -> Timestamp { cache.settings.latestExpiry(time, now: cache.clock.now()) }
        entry.validators = document.validators
        entry.vary = document.vary
        entry.directives = document.directives
        entry.directives.staleWhileRevalidateUntil = document.directives.staleWhileRevalidateUntil.map(latest)
        guard subject.original == nil else { return }
        entry.fetchedAt = document.fetchedAt
        entry.expiresAt = latest(document.expiresAt)
    }

    /// Returns the facts in the document, including `details`. Throws if they contradict the result of the inspection.
    private static func facts(_ document: RemoteDocument, _ found: FileFacts) throws -> FileFacts {
        guard let told = document.picture, told.contentType == found.contentType,
            told.fileExtension == found.fileExtension, told.width == found.width, told.height == found.height
        else { throw RemoteDamage.anotherPicture }
        return told
    }

    // MARK: To the remote

    /// Waits until this machine has the exclusive right to fetch or make the entry. Returns whether the right was
    /// granted; another machine may have stored the entry in the meantime. Throws `Cancelled` and the errors of
    /// `check`.
    package func claim(check: () throws -> Void) throws -> Bool {
        guard remote.writes(cache.scope) else { return false }
        claim = try remote.claim(name, check: check)
        return claim != nil
    }

    /// Starts the upload of an entry that was just fetched or made.
    package func offer(_ entry: Entry) {
        guard remote.writes(cache.scope) else { return }
        let claim = claim
        self.claim = nil
        remote.offer(
            cache.offer(of: entry, name, key: subject.key, cost: SteadyTime.now() - begun, claim: claim))
    }
}

extension CacheStore {
    /// Returns an offer to upload an entry.
    ///
    /// - Parameter cost: the time it took to fetch or make the entry.
    func offer(
        of entry: Entry, _ name: RemoteName, key: CacheKey, cost: Duration, claim: (any RemoteClaim)? = nil
    ) -> RemoteUpload {
        let document = RemoteDocument(
            name: name,
            subject: entry.parentSHA256.map { .variant(name: entry.name, key: key.text, of: $0) }
                ?? .original(key: key.text),
            content: .bytes(sha256: entry.sha256, count: entry.bytes),
            picture: entry.facts, url: entry.url, validators: entry.validators, fetchedAt: entry.fetchedAt,
            expiresAt: entry.expiresAt, directives: entry.directives, vary: entry.vary, cost: cost)
        let root = index.root
        return RemoteUpload(document, claim: claim, open: { try root.open(entry.place, O_RDONLY) }) {
            [index, scope] answer in
            index.count(in: scope) { $0.add(offered: answer) }
        }
    }
}

extension CacheKey {
    /// Whether an entry with this key and address may be shared: it came from a server, its key has the same meaning on
    /// every machine, and neither the key nor the address contains a secret.
    package func isShared(from url: String?) -> Bool {
        guard let url else { return false }
        return ![Self.truncatedPrefix, Self.placeholderPrefix, "file:"].contains(where: text.hasPrefix)
            && ![text, url].contains(where: AddressSecrets.areIn)
    }
}

extension Tally {
    mutating func add(offered answer: RemoteAnswer<Int>) {
        switch answer {
        case .found(let sent):
            add(.remoteStored)
            add(.bytesToRemote, sent)
        case .damaged, .failed: add(.remoteErrors)
        case .absent, .notAsked: break
        }
    }
}

/// The reason why content from the remote was rejected.
enum RemoteDamage: Failure {
    case anotherDigest
    case anotherPicture

    var code: String { "remote-damaged" }
    var exitCode: ExitCode { .data }
    var message: String {
        switch self {
        case .anotherDigest: "the bytes have a different SHA-256"
        case .anotherPicture: "the picture differs from its document"
        }
    }
}
