import HTTP
import Support

extension ImageCache {
    /// Gives the picture at an address: from the cache where it is fresh, else from its server, which is asked once
    /// however many threads and processes want the same key.
    ///
    /// What arrives is inspected before it is stored. An expired entry is revalidated where its server gave something
    /// to do so by, and handed out as `stale`, with a warning, where the server fails for a time. A transfer that
    /// broke off is continued by the next attempt or call where the server allows that (see `Download`). Memory does
    /// not grow with the body. Where the scope is purged meanwhile, or switched away from, it ends within half a second
    /// with `CacheFailure.scopeChanged`.
    ///
    /// A definite failure is remembered, and given again for a while (`NegativeTTL`), unless `refreshes` is set; not of
    /// a request with credentials or fields of its own.
    ///
    /// - Parameters:
    ///   - request: its headers are sent and not stored.
    ///   - key: by default that of the request's address.
    ///   - inspect: by default the cache's own inspection.
    ///   - watcher: sees the body while it arrives; not where there is nothing to fetch, or somebody else does so.
    /// Throws `FetchFailure`, what the inspection throws, `NegativeAnswer`, `CacheFailure`, `SystemFailure`,
    /// `Cancelled`.
    public func fetch(
        _ request: HTTPRequest, key: CacheKey? = nil, client: HTTPClient, inspect: Inspection? = nil,
        watcher: (any BodyWatcher)? = nil
    ) throws -> (entry: Entry, status: CacheStatus) {
        let key = key ?? CacheKey(url: request.url)
        return try observed(.fetch, key, url: request.url) {
            try fetchCounted(request, key: key, client: client, inspect: inspect ?? self.inspect, watcher: watcher)
        }
    }

    private func fetchCounted(
        _ request: HTTPRequest, key: CacheKey, client: HTTPClient, inspect: @escaping Inspection,
        watcher: (any BodyWatcher)?
    ) throws -> (entry: Entry, status: CacheStatus) {
        var wasLost = false
        do {
            let wishes = settings.wishes(now: clock.now())
            if let known = recalled(key.name), let ready = try serve(known, key: key, wishes: wishes) { return ready }
            let ready = try againIfRemoved {
                let version = index.version()
                let ready = try serve(try sound(key) { wasLost = true }, key: key, wishes: wishes)
                if let ready { remember(ready.entry, version: version) }
                return ready
            }
            if let ready { return ready }
            try repeatFailure(request, key: key, wishes: wishes)
            try requireWriting()
            return try withstanding {
                let watch = try GenerationWatch(index)
                let lock = try lock(key.name, whileWaiting: watch.check)
                defer { withExtendedLifetime(lock) {} }
                var wishes = wishes
                wishes.hasWaited = lock.wasContended
                do {
                    return try fetchAlone(
                        request, key: key, client: client.watched(by: watch.check), inspect: inspect, watcher: watcher,
                        wishes: wishes, wasLost: wasLost, generation: watch.generation)
                } catch let error where Self.isOfRemoval(error) {
                    // Files go with a purge, too; that is no reason to fetch again.
                    try index.check(generation: watch.generation)
                    throw error
                }
            }
        } catch {
            // A failure that is given again was counted when it came.
            if !(error is Cancelled || error is NegativeAnswer) { index.count { $0.add(failure: failure(of: error)) } }
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
        _ request: HTTPRequest, key: CacheKey, client: HTTPClient, inspect: Inspection,
        watcher: (any BodyWatcher)?, wishes: Freshness.Wishes, wasLost: Bool, generation: Int64
    ) throws -> (entry: Entry, status: CacheStatus) {
        let entry = try sound(key, isLocked: true)
        if let ready = try serve(entry, key: key, wishes: wishes) {
            if wishes.hasWaited { index.count { $0.add(.coalesced) } }
            return ready
        }
        try repeatFailure(request, key: key, wishes: wishes)
        let partial = PartialFile(
            name: CacheRoot.partial(key.name, in: scope, generation: generation), root: index.root)
        var mayRemember = true
        do {
            var validators: Validators?
            // Under a key of the user's own may lie what another server gave.
            if case .revalidate(let known) = Freshness.decide(entry, now: clock.now(), wishes: wishes),
                entry?.url == request.url.redacted
            {
                validators = known
            }
            func download(_ validators: Validators?) throws -> Download.Outcome {
                try Download(
                    request: request, into: partial, validators: validators,
                    bypass: wishes.respectsServer ? bypass : nil, watcher: watcher, use: settings.memory?.use
                ).run(client: client, inspect: inspect)
            }
            var old = entry
            var outcome = try download(validators)
            if case .unchanged(let renewed, let headers) = outcome {
                partial.remove()
                if let entry,
                    let kept = try refresh(
                        entry, validators: renewed, headers: headers, generation: generation)
                {
                    count(.revalidated, kept)
                    return (kept, .revalidated)
                }
                // Trimmed while the server was asked: it must be asked for the bytes.
                old = nil
                outcome = try download(nil)
            }
            switch outcome {
            case .body(let body):
                let reason = MissReason(replacing: old, at: clock.now(), elseIf: wasLost)
                return (try keep(body, partial, request, key, replacing: old, generation, reason), .miss)
            case .aside(let file):
                mayRemember = false
                return try handOut(file, request, key, inspect)
            case .unchanged:
                throw CacheFailure.fault(detail: "an answer of 304 to a request without conditions")
            }
        } catch let failure as FetchFailure where failure.isTransient {
            guard let entry, Freshness.mayServeStale(entry, wishes: wishes), let handed = try handOut(entry) else {
                throw failure
            }
            log.warning("\(failure.message); the copy of \(handed.fetchedAt.iso8601) is used")
            index.count { $0.add(failure: failure) }
            count(.stale, handed)
            return (handed, .stale)
        } catch {
            if mayRemember { remember(error, of: request, key: key) }
            throw error
        }
    }

    private func refresh(
        _ entry: Entry, validators: Validators, headers: HTTPHeaders, generation: Int64
    ) throws -> Entry? {
        let now = clock.now()
        let retention = retention(of: headers, now: now)
        return try index.refresh(
            entry, validators: validators, expiresAt: retention.expiresAt, mustRevalidate: retention.mustRevalidate,
            leaseUntil: max(entry.leaseUntil, lease.end(from: now)), generation: generation, now: now)
    }

    /// A picture that its server wants nobody to keep.
    private func handOut(
        _ file: BypassFile, _ request: HTTPRequest, _ key: CacheKey, _ inspect: Inspection
    ) throws -> (entry: Entry, status: CacheStatus) {
        index.count {
            $0.add(miss: .policy)
            $0.add(.bytesFetched, file.count)
        }
        let entry = try withoutActuallyEscaping(inspect) { inspect in
            try bypass.finish(file, key: key, url: request.url.redacted, inspect: inspect)
        }
        return (entry, .bypass)
    }

    private func retention(of headers: HTTPHeaders, now: Timestamp) -> Retention {
        Retention(of: headers, now: now, ttl: settings.ttl, respectsServer: settings.respectsCacheControl)
    }

    private func keep(
        _ body: Download.Body, _ partial: PartialFile, _ request: HTTPRequest, _ key: CacheKey,
        replacing old: Entry?, _ generation: Int64, _ reason: MissReason
    ) throws -> Entry {
        defer { partial.remove() }
        // Whoever is killed from here on leaves nothing beside an entry that nobody would look for there.
        partial.removeNote()
        let now = clock.now()
        let retention = retention(of: body.headers, now: now)
        let new = NewEntry(
            name: key.name, key: key.text, url: request.url.redacted,
            file: try BlobStore.file(key.name, body.picture), bytes: body.bytes, sha256: body.sha256,
            picture: body.picture, validators: body.validators, fetchedAt: now, expiresAt: retention.expiresAt,
            lastUsed: now, leaseUntil: lease.end(from: now), mustRevalidate: retention.mustRevalidate)
        index.count {
            $0.add(miss: reason)
            $0.add(.bytesFetched, body.received)
        }
        return try keep(partial.name, as: new, replacing: old, generation: generation)
    }
}
