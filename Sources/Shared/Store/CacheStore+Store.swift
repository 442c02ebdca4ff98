import Support

extension CacheStore {
    /// Keeps bytes from a file or from memory under a key. Status `hit` where the very same are there already, else
    /// `miss`.
    ///
    /// - Parameters:
    ///   - url: where the bytes come from, without credentials; nil for a local file.
    ///   - inspect: by default the cache's own inspection.
    /// Throws what the inspection throws, `CacheFailure`, `SystemFailure`, `Cancelled`.
    public func store(
        _ source: some ByteSource, key: CacheKey, url: String? = nil, inspect: Inspection? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        try observed(.store, key) {
            do {
                try requireWriting()
                return try withstanding {
                    let watch = try GenerationWatch(index, active)
                    let lock = try lock(key.name, whileWaiting: watch.check)
                    defer { withExtendedLifetime(lock) {} }
                    return try storeAlone(
                        source, key: key, url: url, inspect: inspect ?? self.inspect, generation: watch.generation)
                }
            } catch {
                if !(error is Cancelled) { index.count(in: scope) { $0.add(failure: failure(of: error)) } }
                throw error
            }
        }
    }

    /// To be called with the key's lock held.
    private func storeAlone(
        _ source: some ByteSource, key: CacheKey, url: String?, inspect: Inspection, generation: Int64
    ) throws -> (entry: Entry, status: CacheStatus) {
        var wasLost = false
        let old = try sound(key, isLocked: true) { wasLost = true }
        if let old, old.bytes == source.count, try BlobStore.sha256(of: source) == old.sha256 {
            let now = clock.now()
            let kept = try index.refresh(
                old, in: active, validators: old.validators, expiresAt: now + settings.ttl,
                leaseUntil: max(old.leaseUntil, lease.end(from: now)), generation: generation, now: now)
            if let kept {
                count(.hit, kept)
                return (kept, .hit)
            }
        }
        let partial = PartialFile(
            name: CacheRoot.partial(key.name, in: scope, generation: generation), root: index.root)
        defer { partial.remove() }
        let file = try partial.open()
        try partial.restart(file)
        let body = BodyWriter(file, use: settings.memory?.use)
        try BlobStore.copy(source) { piece in
            try interruption.check()
            try body.write(piece)
        }
        let picture = try inspect(try partial.reopen(file))
        let sha256 = try body.finish()
        let now = clock.now()
        let new = NewEntry(
            name: key.name, key: key.text, url: url, file: try BlobStore.file(key.name, picture), bytes: body.count,
            sha256: sha256, picture: picture, fetchedAt: now, expiresAt: now + settings.ttl, lastUsed: now,
            leaseUntil: lease.end(from: now))
        index.count(in: scope) {
            $0.add(miss: MissReason(replacing: old, at: now, elseIf: wasLost, isStored: true))
            $0.add(.stored)
        }
        return (try keep(partial.name, as: new, replacing: old, generation: generation), .miss)
    }
}
