import HTTP
import Store
import Support

/// Fetches a picture unless the cache has a fresh entry: looks it up, locks its key, asks the remote and the server,
/// and stores the answer.
struct FetchTask {
    typealias Outcome = (entry: Entry, status: CacheStatus)

    let cache: CacheStore
    let request: HTTPRequest
    let key: CacheKey
    let client: HTTPClient
    let inspect: Inspection
    /// The expiry of a new or existing entry; nil to keep the existing expiry.
    let expiry: Expiry?
    /// Observes the body.
    let watcher: (any BodyWatcher)?
    /// Whether the remote gets the answer to a request with credentials, because it is the same for all users.
    var sharesWithCredentials = false
    /// See `Freshness.Rules.revalidatesLater`.
    var revalidatesLater = false

    /// Returns the entry and its cache status. Throws `FetchFailure`, the errors of the inspection, `NegativeAnswer`,
    /// `CacheFailure`, `SystemFailure`, `Cancelled`.
    func run() throws -> Outcome {
        let rules = cache.settings.freshnessRules(
            for: request, now: cache.clock.now(), revalidatesLater: revalidatesLater)
        if let known = cache.recentEntry(key.text, version: cache.index.version()),
            case .ready(let outcome) = try step(known, rules)
        {
            return outcome
        }
        var wasLost = false
        let first = try cache.againIfRemoved { try look { wasLost = true } }
        switch try step(first.entry, rules) {
        case .ready(let outcome):
            cache.remember(outcome.entry, as: key.text, version: first.version)
            return outcome
        case .ask: try repeatFailure(first)
        }
        try cache.requireWriting()
        return try cache.withstanding { try runAlone(first, rules, &wasLost) }
    }

    /// Waits for the process that fetches the same key, and asks the server if the entry is still missing.
    ///
    /// - Parameter known: the result of the last lookup.
    private func runAlone(_ known: Look, _ rules: Freshness.Rules, _ wasLost: inout Bool) throws -> Outcome {
        let watch = try GenerationWatch(cache.index, cache.active, knownBy: known)
        let lock = try cache.lock(
            key.name, for: .download, generation: watch.generation, whileWaiting: watch.check)
        defer { withExtendedLifetime(lock) {} }
        var rules = rules
        rules.hasWaited = lock.wasContended
        var current = known
        // Other processes may have fetched it since the lookup. This lookup is authoritative.
        if cache.isOutdated(known.version, under: lock) { current = try look(isLocked: true) { wasLost = true } }
        do {
            switch try step(current.entry, rules) {
            case .ready(let outcome):
                if rules.hasWaited { cache.index.count(in: cache.scope) { $0.add(.coalesced) } }
                return outcome
            case .ask(let validators):
                try repeatFailure(current)
                guard let shared else {
                    return try ask(validators, about: current.entry, rules, watch, wasLost: wasLost)
                }
                return try askRemoteFirst(shared, validators, about: current.entry, rules, watch, wasLost: wasLost)
            }
        } catch let error where CacheStore.isOfRemoval(error) {
            // A purge removes files too. In this case, do not fetch again.
            try cache.index.check(watch.generation, of: cache.active)
            throw error
        }
    }

    // MARK: Deciding

    /// The next step for a cached or missing entry.
    private enum Step {
        case ready(Outcome)
        /// Asks the server, conditionally if there are validators.
        case ask(Validators?)
    }

    /// Looks the entry up and checks its file.
    private func look(isLocked: Bool = false, onLoss: () -> Void) throws -> Look {
        var look = try cache.index.look(
            key.name, in: cache.active, address: cache.negativeAddress(of: request), now: cache.clock.now())
        look.entry = try cache.validated(look.entry, of: key, isLocked: isLocked, onLoss: onLoss)
        return look
    }

    private func step(_ known: Entry?, _ rules: Freshness.Rules) throws -> Step {
        let entry = known?.expiring(expiry, respectsServer: rules.respectsServer)
        switch Freshness.decide(entry, now: cache.clock.now(), rules: rules) {
        case .serve(let status):
            guard let entry, let handed = try cache.handOut(entry) else { return .ask(nil) }
            if entry.expiresAt != known?.expiresAt { try cache.expire(handed) }
            cache.count(status, handed)
            return .ready((handed, status))
        case .unavailable: throw CacheFailure.offline(key: key.text)
        case .fetch: return .ask(nil)
        // The entry of a user's own key may come from another server.
        case .revalidate(let validators): return .ask(entry?.isOf(request) == true ? validators : nil)
        }
    }

    private func repeatFailure(_ look: Look) throws {
        guard let failure = look.negative else { return }
        cache.index.count(in: cache.scope) { $0.add(.negativeHits) }
        throw failure
    }

    // MARK: Asking the remote

    /// The transfer of this entry from and to the remote; nil if it is not shared. An answer to credentials is not
    /// shared, unless the caller knows that it is the same for all users.
    private var shared: SharedEntry? {
        guard sharesWithCredentials || !request.carriesCredentials else { return nil }
        return SharedEntry(cache, originalOf: key, url: request.url.redacted)
    }

    /// Uses the remote's entry, else asks the server, with a claim among all machines if the remote supports claims.
    /// The caller holds the key's lock.
    private func askRemoteFirst(
        _ shared: SharedEntry, _ validators: Validators?, about entry: Entry?, _ rules: Freshness.Rules,
        _ watch: GenerationWatch, wasLost: Bool
    ) throws -> Outcome {
        var (validators, entry) = (validators, entry)
        func take() throws -> Outcome? {
            guard let taken = try shared.take(replacing: entry, watch: watch, inspect: inspect) else { return nil }
            entry = taken
            switch try step(taken, rules) {
            case .ready(let outcome): return outcome
            case .ask(let found):
                validators = found
                return nil
            }
        }
        if !rules.refreshes, let outcome = try take() { return outcome }
        if try shared.claim(check: watch.check), let outcome = try take() { return outcome }
        return try ask(validators, about: entry, rules, watch, wasLost: wasLost, shared)
    }

    // MARK: Asking the server

    /// Asks the server. The caller holds the key's lock.
    ///
    /// - Parameter shared: offers the answer to the remote, unless it is private.
    private func ask(
        _ validators: Validators?, about entry: Entry?, _ rules: Freshness.Rules, _ watch: GenerationWatch,
        wasLost: Bool, _ shared: SharedEntry? = nil
    ) throws -> Outcome {
        let partial = PartialFile(
            name: CacheRoot.partial(key.name, in: cache.scope, generation: watch.generation), root: cache.index.root)
        cache.log.detail("\(request.url.redacted): \(reasonToAsk(about: entry, rules, wasLost: wasLost))")
        var mayRemember = true
        do {
            func download(_ validators: Validators?) throws -> Download.Outcome {
                try Download(
                    request: request, into: partial, validators: validators,
                    bypass: rules.respectsServer ? cache.bypass : nil, watcher: watcher, use: cache.settings.memory?.use
                ).run(client: client.watched(by: watch.check), inspect: inspect)
            }
            var old = entry
            var outcome = try download(validators)
            if case .unchanged(let renewed, let headers) = outcome {
                partial.remove()
                if let entry,
                    let kept = try refresh(
                        entry, validators: renewed, headers: headers, rules.fields, watch.generation)
                {
                    cache.count(.revalidated, kept)
                    if !kept.isPrivate { shared?.offer(kept) }
                    return (kept, .revalidated)
                }
                // The entry was trimmed during the request. Request its bytes.
                old = nil
                outcome = try download(nil)
            }
            switch outcome {
            case .body(let body):
                let reason = MissReason(replacing: old, at: cache.clock.now(), elseIf: wasLost)
                let vary = Vary(of: body.headers, fields: rules.fields)
                let kept = try keep(body, vary, partial, replacing: old, watch.generation, reason)
                if !kept.isPrivate { shared?.offer(kept) }
                return (kept, .miss)
            case .aside(let file):
                mayRemember = false
                return try handOut(file)
            case .unchanged:
                throw CacheFailure.fault(detail: "an answer of 304 to a request without conditions")
            }
        } catch let failure as any Failure where Self.isPassing(failure) {
            guard let entry, Freshness.mayServeStale(entry, now: cache.clock.now(), rules: rules),
                let handed = try cache.handOut(entry)
            else { throw failure }
            // Failures of the inspection do not name the picture.
            let subject = failure is FetchFailure ? "" : "\(request.url.redacted): "
            cache.log.warning("\(subject)\(failure.message); the copy of \(handed.fetchedAt.iso8601) is used")
            cache.index.count(in: cache.scope) { $0.add(failure: failure) }
            cache.count(.stale, handed)
            return (handed, .stale)
        } catch {
            if mayRemember { cache.remember(error, of: request, key: key) }
            throw error
        }
    }

    private func reasonToAsk(about entry: Entry?, _ rules: Freshness.Rules, wasLost: Bool) -> String {
        guard let entry = entry?.expiring(expiry, respectsServer: rules.respectsServer) else {
            return wasLost
                ? "its file in the cache is gone or has another size" : "not in the cache: never fetched, or evicted"
        }
        return Freshness.reason(entry, now: cache.clock.now(), rules: rules)
    }

    /// Whether a later request may succeed: the server could not be reached or sent an unusable answer.
    private static func isPassing(_ failure: any Failure) -> Bool {
        failure.isTransient && !(failure is Cancelled || failure is CacheFailure || failure is SystemFailure)
    }

    /// - Parameter fields: the user's fields in the request.
    private func refresh(
        _ entry: Entry, validators: Validators, headers: HTTPHeaders, _ fields: [String: String], _ generation: Int64
    ) throws -> Entry? {
        let now = cache.clock.now()
        let retention = retention(of: headers, now: now)
        let known = entry.vary.map { Vary(text: $0).renewed(by: fields) }
        let vary = headers["Vary"] == nil ? known : Vary(of: headers, fields: fields)
        return try cache.index.refresh(
            entry, in: cache.active, validators: validators, expiresAt: retention.expiresAt,
            directives: retention.directives, isPrivate: isPrivate(headers), vary: vary?.text,
            leaseUntil: max(entry.leaseEnd(at: now), cache.lease.end(from: now)), generation: generation, now: now)
    }

    /// Whether the answer is for this machine only.
    private func isPrivate(_ headers: HTTPHeaders) -> Bool {
        !(sharesWithCredentials || !request.carriesCredentials) || !Retention.allowsSharing(headers)
    }

    /// Returns a picture with `no-store`.
    private func handOut(_ file: BypassFile) throws -> Outcome {
        cache.index.count(in: cache.scope) {
            $0.add(miss: .policy)
            $0.add(.bytesFetched, file.count)
        }
        return (try cache.bypass.finish(file, key: key, url: request.url.redacted, inspect: inspect), .bypass)
    }

    private func retention(of headers: HTTPHeaders, now: Timestamp) -> Retention {
        Retention(
            of: headers, now: now, expiry: expiry ?? .after(cache.settings.ttl),
            respectsServer: cache.settings.respectsCacheControl)
    }

    private func keep(
        _ body: Download.Body, _ vary: Vary?, _ partial: PartialFile, replacing old: Entry?, _ generation: Int64,
        _ reason: MissReason
    ) throws -> Entry {
        // If the process is killed from here on, no unused note stays beside the entry.
        partial.removeNote()
        let now = cache.clock.now()
        let retention = retention(of: body.headers, now: now)
        let new = NewEntry(
            name: key.name, key: key.text, url: request.url.redacted,
            file: try BlobStore.file(key.name, body.picture), bytes: body.bytes, sha256: body.sha256,
            picture: body.picture, validators: body.validators, fetchedAt: now, expiresAt: retention.expiresAt,
            lastUsed: now, leaseUntil: cache.lease.end(from: now), directives: retention.directives,
            isPrivate: isPrivate(body.headers), vary: vary?.text)
        cache.index.count(in: cache.scope) {
            $0.add(miss: reason)
            $0.add(.bytesFetched, body.received)
        }
        do {
            return try cache.keep(partial.name, as: new, replacing: old, generation: generation)
        } catch {
            partial.remove()
            throw error
        }
    }
}

extension Entry {
    /// Whether the entry answers the request's address. A user's own key may have the answer of another address.
    func isOf(_ request: HTTPRequest) -> Bool { url?.hasSameBytes(as: request.url.redacted) ?? false }
}
