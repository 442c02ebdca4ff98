import HTTP
import Store
import Support

/// The predicted decision of a fetch, with its reason: a dry run of `put`.
public struct Explanation: Sendable, Equatable {
    public enum Decision: String, Sendable, CaseIterable {
        case hit
        /// Ask the server whether the entry is still valid.
        case revalidate
        /// Use the entry of the remote.
        case remote
        /// Download the body, or its missing part.
        case fetch
        /// Serve the expired entry, because the run is offline or because the server permits use during revalidation.
        case stale
        /// There is no usable entry, and the run is offline.
        case offlineMiss = "offline-miss"
        case rememberedFailure = "remembered-failure"
        /// Fail without a request, because the request or the address is blocked.
        case refused
    }

    public struct Kept: Sendable, Equatable {
        public let entry: Entry
        public let isExpired: Bool
        /// Whether the entry was fetched before the clock was set back, so that its dates are meaningless.
        public let isDatedAhead: Bool
        /// Whether the file exists and has the size in the index. Otherwise the entry is treated as absent.
        public let isWhole: Bool
        public let age: Duration
    }

    /// An interrupted download, or a download in progress.
    public struct Leftover: Sendable, Equatable {
        public let bytes: Int
        /// The length of the complete body, if known.
        public let total: Int?
        /// The value of `If-Range`, if any.
        public let validator: String?
        /// Whether a download would resume after these bytes.
        public let canContinue: Bool
    }

    public struct Shared: Sendable, Equatable {
        public enum Status: String, Sendable {
            case hit, miss, error
        }

        public let status: Status
        public var fetchedAt: Timestamp?
        public var expiresAt: Timestamp?
        public var bytes: Int?
    }

    /// The address without its secrets.
    public let url: String
    public let key: String
    public let scope: String
    public let policy: Policy
    /// The pattern of the rule that determined the policy, if any.
    public let rule: String?
    public let decision: Decision
    /// A clause such as "it is fresh until …".
    public let reason: String
    public let facts: Facts

    /// The facts about an address and its key that determine the decision.
    public struct Facts: Sendable, Equatable {
        public internal(set) var kept: Kept?
        public internal(set) var negative: NegativeAnswer?
        public internal(set) var leftover: Leftover?
        /// Nil if a fetch would not query the remote.
        public internal(set) var shared: Shared?
        /// Whether the key's lock is held. A fetch would first wait for its release.
        public internal(set) var isLocked = false
        /// The addresses of the host, or nil if they were not resolved.
        public internal(set) var addresses: [JudgedAddress]?
        /// After a temporary failure of this address, other addresses of the same picture have priority until this
        /// time.
        public internal(set) var restsUntil: Timestamp?
        var isEphemeral = false
        /// Whether the entry came from another address, so that its validators are meaningless to this server.
        var isOfAnotherAddress = false
        /// The reason why the request would be refused, regardless of the host's addresses.
        var refusal: String?
    }
}

extension Explanation.Facts {
    /// Returns the decision and its reason. Checks conditions in the same order as a fetch.
    func decide(now: Timestamp, rules: Freshness.Rules) -> (decision: Explanation.Decision, reason: String) {
        let entry = kept.flatMap { $0.isWhole ? $0.entry : nil }
        switch Freshness.decide(entry, now: now, rules: rules) {
        case .serve(.stale):
            let why = rules.isOffline ? "the run is offline" : "its server allows use during revalidation"
            return (.stale, "\(entry?.expiryWords(at: now) ?? ""), and \(why)")
        case .serve: return (.hit, "it is fresh until \(entry?.expiresAt.iso8601 ?? "")")
        case .unavailable:
            guard let entry else { return (.offlineMiss, absence) }
            return (
                .offlineMiss,
                rules.selects(entry) == false
                    ? "it was fetched with other request headers (Vary)"
                    : "it has expired and must be revalidated before use"
            )
        case .revalidate, .fetch: break
        }
        if let negative, !rules.refreshes { return (.rememberedFailure, negative.message) }
        if let refusal { return (.refused, refusal) }
        if let addresses, let refused = addresses.first, addresses.allSatisfy({ $0.verdict != .allowed }),
            case .refused(let kind) = refused.verdict
        {
            return (.refused, "\(refused.address) is \(kind.phrase)")
        }
        if let shared, shared.status == .hit, let end = shared.expiresAt, end > now, !rules.refreshes,
            shared.fetchedAt ?? now > entry?.fetchedAt ?? Timestamp(milliseconds: .min)
        {
            return (.remote, "the remote has it, fresh until \(end.iso8601)")
        }
        guard let entry else { return (.fetch, absence + continuation) }
        let why = Freshness.reason(entry, now: now, rules: rules)
        if leftover?.canContinue == true { return (.fetch, why + continuation) }
        if isOfAnotherAddress { return (.fetch, "\(why), and it came from another address") }
        return entry.validators.isEmpty
            ? (.fetch, "\(why), and it has no validators")
            : (.revalidate, "\(why), and it has validators")
    }

    private var absence: String {
        if isEphemeral { return "its policy is disabled, so it is not stored" }
        if let restsUntil { return "it failed recently, and other addresses are preferred until \(restsUntil.iso8601)" }
        return kept == nil ? "there is no entry with this key" : "its file is missing or has a different size"
    }

    private var continuation: String {
        guard let leftover, leftover.canContinue else { return "" }
        return "; resuming an earlier download after \(leftover.bytes) bytes"
    }
}
