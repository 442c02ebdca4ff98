import HTTP
import Support

extension ImageCache {
    /// Gives the picture at an address: from the cache where it is fresh, else from its server, which is asked once
    /// however many threads and processes want the same key.
    ///
    /// What arrives is inspected before it is stored. An expired entry is revalidated where its server gave something
    /// to do so by, and handed out as `stale`, with a warning, where the server fails for a time. A transfer that
    /// broke off is continued by the next call where the server allows that (`If-Range` with a strong ETag, RFC 9110
    /// §13.1.5). Memory does not grow with the body. Where the scope is purged meanwhile, or switched away from, it ends
    /// within half a second with `CacheFailure.scopeChanged`.
    ///
    /// - Parameters:
    ///   - request: its headers are sent and not stored.
    ///   - key: by default that of the request's address.
    ///   - inspect: by default the cache's own inspection.
    /// Throws `FetchFailure`, what the inspection throws, `CacheFailure`, `SystemFailure`, `Cancelled`.
    public func fetch(
        _ request: HTTPRequest, key: CacheKey? = nil, client: HTTPClient, inspect: Inspection? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        let key = key ?? CacheKey(url: request.url)
        do {
            let wishes = Freshness.Wishes(
                isOffline: settings.isOffline, refreshes: settings.refreshes, askedAt: clock.now())
            if let ready = try serve(try sound(key), key: key, wishes: wishes) { return ready }
            try requireWriting()
            return try interruption.during {
                let watch = try GenerationWatch(index)
                let lock = try lock(key.name, whileWaiting: watch.check)
                defer { withExtendedLifetime(lock) {} }
                return try fetchAlone(
                    request, key: key, client: client.watched(by: watch.check), inspect: inspect ?? self.inspect,
                    wishes: wishes, generation: watch.generation, hasWaited: lock.wasContended)
            }
        } catch {
            if !(error is Cancelled) { index.count { $0.add(failure: failure(of: error)) } }
            throw error
        }
    }

    /// Hands out the entry if nobody needs to be asked about it.
    private func serve(
        _ entry: Entry?, key: CacheKey, wishes: Freshness.Wishes
    ) throws -> (entry: Entry, status: CacheStatus)? {
        switch Freshness.decide(entry, now: clock.now(), wishes: wishes) {
        case .serve(let status):
            guard let entry, let handed = try handOut(entry) else { return nil }
            count(status, handed)
            return (handed, status)
        case .unavailable: throw CacheFailure.offline(key: key.text)
        case .revalidate, .fetch: return nil
        }
    }

    /// To be called with the key's lock held. Looks again first: whoever held the lock before may have done the work.
    private func fetchAlone(
        _ request: HTTPRequest, key: CacheKey, client: HTTPClient, inspect: Inspection, wishes: Freshness.Wishes,
        generation: Int64, hasWaited: Bool
    ) throws -> (entry: Entry, status: CacheStatus) {
        let entry = try sound(key, isLocked: true)
        if let ready = try serve(entry, key: key, wishes: wishes) {
            if hasWaited { index.count { $0.add(.coalesced) } }
            return ready
        }
        let partial = PartialFile(path: index.root.partial(key.name, in: scope, generation: generation), root: index.root)
        do {
            var validators: Validators?
            // Under a key of the user's own may lie what another server gave.
            if case .revalidate(let known) = Freshness.decide(entry, now: clock.now(), wishes: wishes),
                entry?.url == request.url.redacted
            {
                validators = known
            }
            let download = Download(request: request, into: partial, validators: validators)
            switch try download.run(client: client, inspect: inspect) {
            case .unchanged(let renewed, _):
                if let entry, let kept = try refresh(entry, validators: renewed, generation: generation) {
                    count(.revalidated, kept)
                    return (kept, .revalidated)
                }
                // Trimmed while the server was asked: it must be asked for the bytes.
                let anew = Download(request: request, into: partial, validators: nil)
                guard case .body(let body) = try anew.run(client: client, inspect: inspect) else {
                    throw CacheFailure.fault(detail: "an answer of 304 to a request without conditions")
                }
                return (try keep(body, partial, request, key, replacing: nil, generation), .miss)
            case .body(let body):
                return (try keep(body, partial, request, key, replacing: entry, generation), .miss)
            }
        } catch let failure as FetchFailure where failure.isTransient {
            guard let entry, settings.servesStale, let handed = try handOut(entry) else { throw failure }
            log.warning("\(failure.message); the copy of \(handed.fetchedAt.iso8601) is used")
            index.count { $0.add(failure: failure) }
            count(.stale, handed)
            return (handed, .stale)
        }
    }

    private func refresh(_ entry: Entry, validators: Validators, generation: Int64) throws -> Entry? {
        let now = clock.now()
        return try index.refresh(
            entry, validators: validators, expiresAt: now + settings.ttl,
            leaseUntil: max(entry.leaseUntil, lease.end(from: now)), generation: generation, now: now)
    }

    private func keep(
        _ body: Download.Body, _ partial: PartialFile, _ request: HTTPRequest, _ key: CacheKey,
        replacing old: Entry?, _ generation: Int64
    ) throws -> Entry {
        defer { partial.remove() }
        let now = clock.now()
        let new = NewEntry(
            name: key.name, key: key.text, url: request.url.redacted,
            file: try BlobStore.file(key.name, body.picture), bytes: body.bytes, sha256: body.sha256,
            picture: body.picture, validators: body.validators, fetchedAt: now, expiresAt: now + settings.ttl,
            lastUsed: now, leaseUntil: lease.end(from: now))
        index.count {
            $0.add(.misses)
            $0.add(.bytesFetched, body.received)
        }
        return try keep(partial.path, as: new, replacing: old, generation: generation)
    }
}
