import Support

/// Transfers of entries to and from the remote by a push or pull, without a request from a record.
extension CacheStore {
    /// Returns an offer to upload an entry, or nil if the entry must not be shared. Throws `CacheFailure` for an
    /// invalid key.
    package func remoteOffer(of entry: Entry) throws -> RemoteUpload? {
        guard !entry.isPrivate, entry.kind != .superseded, settings.memory == nil,
            let key = try entry.key.map(CacheKey.init(printed:)), key.isShared(from: entry.url)
        else { return nil }
        let name =
            entry.parentSHA256.map { RemoteName(variant: entry.name, of: $0, in: scope) }
            ?? RemoteName(originalOf: key, in: scope)
        return offer(of: entry, name, key: key, cost: .zero)
    }

    /// Downloads and stores the content of a document. Returns false if the content is already in the cache, unusable
    /// or not available. Throws `CacheFailure`, `SystemFailure`, `Cancelled`, and the errors of `begin`.
    ///
    /// - Parameters:
    ///   - collections: the permitted collections of metadata.
    ///   - begin: called before anything is transferred.
    package func take(
        _ document: RemoteDocument, collections: [CacheMetadata.SharedCollection], begin: () throws -> Void
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
                document.name == RemoteName(metadata: name, in: collection.name, of: scope)
            else { return false }
            return try metadata.take(document, name, in: collection, begin: begin)
        case .list: return false
        }
    }

    private func take(
        _ document: RemoteDocument, _ subject: EntryFlight.Subject, _ begin: () throws -> Void
    ) throws -> Bool {
        try index.requireWriting()
        return try withstanding { try EntryFlight(self, subject).take(document, begin) }
    }
}
