import HTTP
import Store
import Support

/// Fetches a picture unless the cache has a fresh entry: looks up the entry, locks its key, queries the remote and the
/// server, and stores the answer.
struct FetchTask {
    typealias Outcome = (entry: Entry, status: CacheStatus)

    let cache: CacheStore
    let fetch: FetchRequest
    let key: CacheKey
    let client: HTTPClient
    let watcher: (any BodyWatcher)?

    private var request: HTTPRequest { fetch.http }
    private var inspect: Inspection { fetch.inspect ?? cache.inspect }
    /// Nil to keep the expiry of an existing entry.
    private var expiry: Expiry? { fetch.expiry ?? cache.settings.expiry }

    /// Returns the entry and its cache status. Throws `FetchFailure`, the errors of the inspection, `NegativeAnswer`,
    /// `CacheFailure`, `SystemFailure`, `Cancelled`.
    func run() throws -> Outcome {
        let rules = cache.settings.freshnessRules(
            for: request, now: cache.clock.now(), revalidatesLater: fetch.revalidatesLater)
        if let known = cache.recentEntry(key.text, version: cache.index.version()),
            case .ready(let outcome) = try step(known, rules)
        {
            return outcome
        }
        let first = try cache.index.againIfRemoved { try cache.look(subject, failureOf: address) }
        switch try step(first.entry, rules) {
        case .ready(let outcome):
            cache.remember(outcome.entry, as: key.text, version: first.version)
            return outcome
        case .ask: try repeatFailure(first)
        }
        try cache.index.requireWriting()
        return try cache.withstanding { try runAlone(first, rules) }
    }

    /// Whether all users get the same answer. Otherwise the answer is not shared with other machines.
    private var isShared: Bool { fetch.sharesWithCredentials || !request.carriesCredentials }

    private var subject: EntryFlight.Subject {
        var subject = EntryFlight.Subject(key, url: request.url.redacted)
        subject.isShared = isShared
        return subject
    }

    /// The digest of the address whose cached failure ends the fetch; nil if cached failures are ignored.
    private var address: String? { cache.negativeAddress(of: request) }

    /// Waits for any other thread or process that is fetching the same key. If a usable entry is still missing, queries
    /// the remote and the server.
    private func runAlone(_ known: LookupResult, _ rules: Freshness.Rules) throws -> Outcome {
        let flight = try EntryFlight(cache, subject, known: known, for: .download, failureOf: address)
        var rules = rules
        rules.hasWaited = flight.hasWaited
        do {
            switch try step(flight.found.entry, rules) {
            case .ready(let outcome):
                if rules.hasWaited { cache.index.count(in: cache.scope) { $0.add(.coalesced) } }
                return outcome
            case .ask(var validators):
                try repeatFailure(flight.found)
                let taken = try flight.takeFromRemote(waitsFirst: rules.refreshes, inspect: inspect) {
                    entry -> Outcome? in
                    switch try step(entry, rules) {
                    case .ready(let outcome): return outcome
                    case .ask(let renewed):
                        validators = renewed
                        return nil
                    }
                }
                return try taken ?? ask(validators, flight, rules)
            }
        } catch let error where Index.isOfRemoval(error) {
            // If a purge removed the file, throw `scopeChanged`, so that the picture is not fetched again.
            try flight.watch.checkNow()
            throw error
        }
    }

    // MARK: Deciding

    private enum Step {
        case ready(Outcome)
        /// Send a request, conditional if there are validators.
        case ask(Validators?)
    }

    private func step(_ known: Entry?, _ rules: Freshness.Rules) throws -> Step {
        let entry = known?.expiring(expiry, respectsServer: rules.respectsServer)
        switch Freshness.decide(entry, now: cache.clock.now(), rules: rules) {
        case .serve(let status):
            guard let entry, let handed = try cache.extendLease(of: entry) else { return .ask(nil) }
            if entry.expiresAt != known?.expiresAt { try cache.expire(handed) }
            cache.count(status, handed)
            return .ready((handed, status))
        case .unavailable: throw CacheFailure.offline(key: key.text)
        case .fetch: return .ask(nil)
        // The entry of a key chosen by the user may come from another server.
        case .revalidate(let validators): return .ask(entry?.isOf(request) == true ? validators : nil)
        }
    }

    private func repeatFailure(_ look: LookupResult) throws {
        guard let failure = look.negative else { return }
        cache.index.count(in: cache.scope) { $0.add(.negativeHits) }
        throw failure
    }

    // MARK: Asking the server

    /// Requests the picture from the server, and uploads the answer to the remote unless the answer is private.
    private func ask(_ validators: Validators?, _ flight: EntryFlight, _ rules: Freshness.Rules) throws -> Outcome {
        cache.log.detail("\(request.url.redacted): \(reasonToAsk(flight.found, rules))")
        var mayRemember = true
        do {
            func download(_ validators: Validators?) throws -> Download.Outcome {
                try Download(
                    request: request, into: flight.body, validators: validators,
                    ephemeralStore: rules.respectsServer ? cache.ephemeralStore : nil, watcher: watcher,
                    use: cache.settings.memory?.use
                ).run(client: client.watched(by: flight.watch.check), inspect: inspect)
            }
            var found = flight.found
            var outcome = try download(validators)
            if case .unchanged(let renewed, let headers) = outcome {
                flight.body.remove()
                if let entry = found.entry,
                    let kept = try renew(entry, renewed, headers, rules.fields, flight.watch.generation)
                {
                    cache.count(.revalidated, kept)
                    flight.offer(kept)
                    return (kept, .revalidated)
                }
                // The entry was trimmed during the request, so request its bytes.
                found.entry = nil
                outcome = try download(nil)
            }
            switch outcome {
            case .body(let body):
                let reason = Counter.miss(replacing: found, at: cache.clock.now())
                return (try keep(body, Vary(of: body.headers, fields: rules.fields), flight, reason), .miss)
            case .noStoreBody(let file):
                mayRemember = false
                return try finish(file)
            case .unchanged: preconditionFailure("a download without validators is never unchanged")
            }
        } catch let failure as any Failure where Self.isPassing(failure) {
            guard let entry = flight.found.entry, Freshness.mayServeStale(entry, now: cache.clock.now(), rules: rules),
                let handed = try cache.extendLease(of: entry)
            else { throw failure }
            // Only the messages of `FetchFailure` name the picture.
            let subject = failure is FetchFailure ? "" : "\(request.url.redacted): "
            cache.log.warning("\(subject)\(failure.message); using the copy from \(handed.fetchedAt.iso8601)")
            cache.index.count(in: cache.scope) { $0.add(failure: failure) }
            cache.count(.stale, handed)
            return (handed, .stale)
        } catch {
            if mayRemember { cache.remember(error, of: request, key: key) }
            throw error
        }
    }

    private func reasonToAsk(_ found: LookupResult, _ rules: Freshness.Rules) -> String {
        guard let entry = found.entry?.expiring(expiry, respectsServer: rules.respectsServer) else {
            return found.wasLost
                ? "its cached file is missing or has a different size" : "not in the cache: never fetched, or evicted"
        }
        return Freshness.reason(entry, now: cache.clock.now(), rules: rules)
    }

    /// Whether the failure is temporary and due to the server: the server could not be reached, or its answer was
    /// unusable.
    private static func isPassing(_ failure: any Failure) -> Bool {
        failure.isTransient && !(failure is Cancelled || failure is CacheFailure || failure is SystemFailure)
    }

    /// Records the revalidation of an entry.
    ///
    /// - Parameter fields: the header fields that the user added to the request.
    private func renew(
        _ entry: Entry, _ validators: Validators, _ headers: HTTPHeaders, _ fields: [String: String],
        _ generation: Int64
    ) throws -> Entry? {
        let now = cache.clock.now()
        let retention = retention(of: headers, now: now)
        var renewed = entry
        renewed.validators = validators
        (renewed.fetchedAt, renewed.lastUsed, renewed.expiresAt) = (now, now, retention.expiresAt)
        renewed.leaseUntil = max(entry.leaseEnd(at: now), cache.lease.end(from: now))
        renewed.directives = retention.directives
        // A private entry stays private, even if the new answer permits sharing.
        renewed.isPrivate = entry.isPrivate || isPrivate(headers)
        let known = entry.vary.map { Vary(text: $0).renewed(by: fields) }
        renewed.vary = (headers["Vary"] == nil ? known : Vary(of: headers, fields: fields))?.text
        return try cache.renew(renewed, generation: generation)
    }

    private func isPrivate(_ headers: HTTPHeaders) -> Bool { !isShared || !Retention.allowsSharing(headers) }

    private func finish(_ file: EphemeralFile) throws -> Outcome {
        cache.index.count(in: cache.scope) {
            $0.add(miss: .missesPolicy)
            $0.add(.bytesFetched, file.count)
        }
        return (try cache.ephemeralStore.finish(file, key: key, url: request.url.redacted, inspect: inspect), .bypass)
    }

    private func retention(of headers: HTTPHeaders, now: Timestamp) -> Retention {
        Retention(
            of: headers, now: now, expiry: expiry ?? .after(cache.settings.ttl),
            respectsServer: cache.settings.respectsCacheControl)
    }

    private func keep(
        _ body: Download.Body, _ vary: Vary?, _ flight: EntryFlight, _ reason: Counter
    ) throws -> Entry {
        // Remove the note first: if the process is killed later, no useless note stays behind.
        flight.body.removeNote()
        let retention = retention(of: body.headers, now: cache.clock.now())
        cache.index.count(in: cache.scope) {
            $0.add(miss: reason)
            $0.add(.bytesFetched, body.received)
        }
        return try flight.keep(body.picture) { new in
            new.validators = body.validators
            new.expiresAt = retention.expiresAt
            new.directives = retention.directives
            new.isPrivate = isPrivate(body.headers)
            new.vary = vary?.text
        }
    }
}

extension Entry {
    /// Whether the entry came from the address of the request. An entry whose key the user chose may have come from
    /// another address.
    func isOf(_ request: HTTPRequest) -> Bool { url?.hasSameBytes(as: request.url.redacted) ?? false }
}
