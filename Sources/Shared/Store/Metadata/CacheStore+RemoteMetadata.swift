import Support

/// Metadata that machines share: in the remote it is a document without a file.
extension CacheStore {
    /// Returns the remote's row of this name; nil if it has none that can be used, or is not asked. Keeps nothing.
    /// Throws `Cancelled`.
    ///
    /// - Parameters:
    ///   - byteLimit: how long its document may be.
    ///   - isLasting: whether it need never expire; if not, it expires no later than if it were fetched now.
    public func remoteMetadata(
        _ name: String, in collection: String, atMost byteLimit: Int, isLasting: Bool
    ) throws -> Metadata? {
        guard let remote, settings.memory == nil, remote.reads(scope) else { return nil }
        let answer = try remote.document(
            of: RemoteName(metadata: name, in: collection, of: scope), atMost: byteLimit)
        guard let document = counted(answer), case .inline(let body) = document.content, isPast(document) else {
            return nil
        }
        index.count(in: scope) { $0.add(.remoteHits) }
        let expiresAt = isLasting ? document.expiresAt : latestExpiry(document.expiresAt)
        return Metadata(name: name, body: body, fetchedAt: document.fetchedAt, expiresAt: expiresAt)
    }

    /// Hands metadata over to the remote, on another thread.
    public func offer(_ metadata: Metadata, in collection: String) {
        guard let remote, settings.memory == nil, remote.writes(scope) else { return }
        remote.offer(remoteOffer(of: metadata, in: collection))
    }

    /// What the remote is to get of metadata.
    package func remoteOffer(of metadata: Metadata, in collection: String) -> RemoteOffer {
        let document = RemoteDocument(
            name: RemoteName(metadata: metadata.name, in: collection, of: scope),
            subject: .metadata(name: metadata.name, collection: collection), content: .inline(metadata.body),
            fetchedAt: metadata.fetchedAt, expiresAt: metadata.expiresAt)
        return RemoteOffer(document) { [index, scope] answer in
            index.count(in: scope) { $0.add(offered: answer) }
        }
    }
}
