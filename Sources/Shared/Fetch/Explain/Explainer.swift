import HTTP
import Libc
import Store
import Support

/// Predicts the decision of a fetch, with its reason. Takes no lease, changes no counters or files, and does not create
/// a missing root. Migrates an index of an older layout, like every command that opens it.
public struct Explainer: Sendable {
    private let caches: Caches
    private let client: HTTPClient
    private let clock: Clock

    /// - Parameters:
    ///   - remote: queried only for the document, not for the bytes.
    ///   - client: its address guard checks the addresses of the host. No connection is opened.
    public init(
        settings: CacheSettings, remote: (any RemoteTier)? = nil, client: HTTPClient, clock: Clock = .system,
        log: Log = .silent, interruption: Interruption
    ) {
        caches = Caches(settings: settings, remote: remote, clock: clock, log: log, interruption: interruption)
        self.client = client
        self.clock = clock
    }

    /// The remote's answer about the key; nil if a fetch would not query the remote.
    private func shared(_ request: HTTPRequest, _ key: CacheKey) throws -> Explanation.Shared? {
        let scope = try caches.scope()
        guard let remote = caches.remote, remote.reads(scope), key.isShared(from: request.url.redacted),
            !request.carriesCredentials
        else { return nil }
        switch try remote.document(of: RemoteName(originalOf: key, in: scope), atMost: RemoteDocument.smallByteLimit) {
        case .found(let document):
            return Explanation.Shared(
                status: .hit, fetchedAt: document.fetchedAt, expiresAt: document.expiresAt, bytes: document.count)
        case .absent: return Explanation.Shared(status: .miss)
        case .damaged, .failed, .notAsked: return Explanation.Shared(status: .error)
        }
    }

    /// Predicts the decision of a fetch of this request now. Resolves the host's name, unless the run is offline.
    public func explain(_ request: HTTPRequest, key: CacheKey, expiry: Expiry? = nil) throws -> Explanation {
        let now = clock.now()
        let settings = caches.settings
        let rule = settings.policies.rule(for: request.url.normalized)
        let policy = rule?.policy ?? settings.policies.standard
        var facts = Explanation.Facts()
        if policy == .disabled {
            facts.isEphemeral = true
        } else if let cache = try caches.existing(inMemory: policy == .memory) {
            facts = try cache.facts(of: request, key: key, expiry: expiry, now: now)
        }
        facts.refusal = request.cleartextFailure?.message
        if !settings.isOffline { facts.addresses = try client.judgedAddresses(of: request.url) }
        let rules = settings.freshnessRules(for: request, now: now, revalidatesLater: true)
        var (decision, reason) = facts.decide(now: now, rules: rules)
        if policy == .enabled, [.fetch, .revalidate].contains(decision) {
            facts.shared = try shared(request, key)
            (decision, reason) = facts.decide(now: now, rules: rules)
        }
        return Explanation(
            url: request.url.redacted, key: key.text, scope: try caches.scope().text, policy: policy,
            rule: rule?.pattern.description, decision: decision, reason: reason, facts: facts)
    }
}

extension CacheSettings {
    func freshnessRules(for request: HTTPRequest, now: Timestamp, revalidatesLater: Bool = false) -> Freshness.Rules {
        Freshness.Rules(
            isOffline: isOffline, refreshes: refreshes, servesStale: servesStale,
            respectsServer: respectsCacheControl, askedAt: now, fields: request.userFields,
            acceptedMaxAge: request.acceptedMaxAge, revalidatesLater: revalidatesLater)
    }
}

extension CacheStore {
    /// Whether a fetch would now send a request, according to the current state of the cache. Changes nothing.
    public func wouldAsk(_ request: HTTPRequest, key: CacheKey, expiry: Expiry? = nil) throws -> Bool {
        let now = clock.now()
        let facts = try facts(of: request, key: key, expiry: expiry, now: now)
        switch facts.decide(now: now, rules: settings.freshnessRules(for: request, now: now)).decision {
        case .remote, .fetch, .revalidate: return true
        case .hit, .stale, .offlineMiss, .rememberedFailure, .refused: return false
        }
    }

    /// Collects the facts about a request and its key. Changes nothing: even the row of a missing file stays.
    func facts(of request: HTTPRequest, key: CacheKey, expiry: Expiry?, now: Timestamp) throws -> Explanation.Facts {
        var facts = Explanation.Facts()
        // Look up a cached failure even if a fetch would ignore it.
        let found = try index.perform {
            try $0.look(key.name, in: scope, address: rememberedAddress(of: request), now: now)
        }
        facts.kept = try (found.entry ?? legacyEntry(key)).map { entry in
            let entry = entry.expiring(expiry ?? settings.expiry, respectsServer: settings.respectsCacheControl)
            return Explanation.Kept(
                entry: entry, isExpired: entry.isExpired(at: now), isDatedAhead: entry.isDatedAhead(of: now),
                isWhole: try index.root.isWhole(entry), age: max(now - entry.fetchedAt, .zero))
        }
        facts.isOfAnotherAddress = facts.kept.map { !$0.entry.isOf(request) } ?? false
        facts.negative = found.negative
        let generation = try index.perform { try $0.scopes.generation(of: active) }
        let partial = PartialFile(
            name: CacheRoot.partial(key.name, in: scope, generation: generation), root: index.root)
        facts.leftover = try partial.leftover(for: Download.address(of: request))
        if facts.kept == nil, let rest = try postponement(of: key), !rest.isOver { facts.restsUntil = rest.until }
        facts.isLocked = try KeyLock.isHeld(root: index.root, CacheRoot.lock(key.name, in: scope))
        return facts
    }
}

extension PartialFile {
    fileprivate func leftover(for address: String) throws -> Explanation.Leftover? {
        guard let file = try root.openIfPresent(name), file.count > 0 else { return nil }
        let note = try readNote()
        return Explanation.Leftover(
            bytes: file.count, total: note?.total, validator: note?.validator, canContinue: note?.address == address)
    }
}
