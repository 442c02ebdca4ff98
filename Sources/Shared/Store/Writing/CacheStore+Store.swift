import Support

extension CacheStore {
    /// Stores bytes from a file or from memory under a key. The status is `hit` if the entry has these bytes already,
    /// else `miss`. Throws the errors of the inspection, `CacheFailure`, `SystemFailure`, `Cancelled`.
    ///
    /// - Parameters:
    ///   - url: the source without credentials; nil for a local file.
    ///   - inspect: by default the inspection of the cache.
    ///   - expiry: by default from the settings.
    public func store(
        _ source: some ByteSource, key: CacheKey, url: String? = nil, inspect: Inspection? = nil, expiry: Expiry? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        try observed(.store, key) {
            do {
                try requireWriting()
                return try withstanding {
                    let watch = try GenerationWatch(index, active)
                    let lock = try lock(
                        key.name, generation: watch.generation, whileWaiting: watch.check)
                    return try storeAlone(
                        source,
                        EntrySink.Subject(
                            name: key.name, key: key, url: url,
                            expiry: expiry ?? settings.expiry ?? .after(settings.ttl)), lock, watch,
                        inspect ?? self.inspect)
                }
            } catch {
                if !(error is Cancelled) { index.count(in: scope) { $0.add(failure: failure(of: error)) } }
                throw error
            }
        }
    }

    private func storeAlone(
        _ source: some ByteSource, _ subject: EntrySink.Subject, _ lock: KeyLock, _ watch: GenerationWatch,
        _ inspect: Inspection
    ) throws -> (entry: Entry, status: CacheStatus) {
        var subject = subject
        subject.old = try validated(subject.key, isLocked: true) { subject.wasLost = true }
        if let old = subject.old, old.bytes == source.count, try BlobStore.sha256(of: source) == old.sha256 {
            let now = clock.now()
            let kept = try index.refresh(
                old, in: active, validators: old.validators,
                expiresAt: (subject.expiry ?? .after(settings.ttl)).end(from: now),
                leaseUntil: max(old.leaseEnd(at: now), lease.end(from: now)), generation: watch.generation, now: now)
            if let kept {
                count(.hit, kept)
                return (kept, .hit)
            }
        }
        let sink = try EntrySink(self, subject, lock: lock, watch: watch)
        try BlobStore.copy(source) { piece in
            try interruption.check()
            try sink.write(piece)
        }
        return (try sink.keep(inspect(sink.written())), .miss)
    }
}
