import Support

/// Unrequested transfers of entries to and from the remote.
extension CacheStore {
    /// A collection of metadata, and whether its rows never expire.
    package typealias SharedCollection = (name: String, isLasting: Bool)

    /// Whether the document's time is credible. A row with a later time would never be replaced.
    func isPast(_ document: RemoteDocument) -> Bool { document.fetchedAt <= clock.now() + Clock.tolerance }

    /// Limits the expiry of a remote entry to the TTL from now.
    func latestExpiry(_ expiresAt: Timestamp?) -> Timestamp {
        let latest = clock.now() + settings.ttl
        return expiresAt.map { min($0, latest) } ?? latest
    }

    /// The directives of a document, with times limited by `latestExpiry`.
    func directives(of document: RemoteDocument) -> CacheDirectives {
        var directives = document.directives
        directives.usableUntil = directives.usableUntil.map { latestExpiry($0) }
        return directives
    }

    /// Returns the remote's copy of an entry, or nil if it is not shared. Throws `CacheFailure` for an invalid key.
    package func remoteOffer(of entry: Entry) throws -> RemoteOffer? {
        guard !entry.isPrivate, entry.kind != .superseded, settings.memory == nil,
            let key = try entry.key.map(CacheKey.init(printed:)), key.isShared(from: entry.url)
        else { return nil }
        let name =
            entry.parentSHA256.map { RemoteName(variant: entry.name, of: $0, in: scope) }
            ?? RemoteName(originalOf: key, in: scope)
        return offer(of: entry, name, key: key, cost: .zero)
    }

    /// Stores the content of an unrequested document. Returns false if it is present already, not usable or not
    /// available. Throws `CacheFailure`, `SystemFailure`, `Cancelled`, and the errors of `begin`.
    ///
    /// - Parameters:
    ///   - collections: the permitted collections of metadata.
    ///   - begin: called before anything is transferred.
    package func take(
        _ document: RemoteDocument, collections: [SharedCollection], begin: () throws -> Void
    ) throws -> Bool {
        switch document.subject {
        case .original(let key):
            guard let key = try? CacheKey(printed: key), document.name == RemoteName(originalOf: key, in: scope),
                let url = document.url
            else { return false }
            return try take(document, EntryFlight.Subject(key, url: url), begin)
        case .variant(let name, let key, let sha256):
            guard let key = try? CacheKey(printed: key),
                document.name == RemoteName(variant: name, of: sha256, in: scope), name.utf8.isName,
                let original = try validated(key.name), original.sha256 == sha256
            else { return false }
            return try take(document, EntryFlight.Subject(name, of: original, key: key), begin)
        case .metadata(let name, let collection):
            guard let collection = collections.first(where: { $0.name == collection }),
                document.name == RemoteName(metadata: name, in: collection.name, of: scope),
                case .inline(let body) = document.content, isPast(document)
            else { return false }
            let old = try metadata(in: collection.name, from: name, through: name).first
            if let old, old.fetchedAt >= document.fetchedAt { return false }
            let expiresAt = collection.isLasting ? document.expiresAt : latestExpiry(document.expiresAt)
            let row = Metadata(name: name, body: body, fetchedAt: document.fetchedAt, expiresAt: expiresAt)
            try begin()
            try keep([row], in: collection.name)
            return true
        case .list: return false
        }
    }

    private func take(
        _ document: RemoteDocument, _ subject: EntryFlight.Subject, _ begin: () throws -> Void
    ) throws -> Bool {
        try requireWriting()
        return try withstanding {
            let flight = try EntryFlight(self, subject)
            return try flight.take(document, begin)
        }
    }
}
