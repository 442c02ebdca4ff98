import HTTP
import Store
import Support

/// What fetching one address would do now, and why: `put` without doing it.
public struct Explanation: Sendable, Equatable {
    public enum Decision: String, Sendable, CaseIterable {
        /// Hand out what is there.
        case hit
        /// Ask the server whether what is there is still right.
        case revalidate
        /// Take what other machines have fetched.
        case remote
        /// Get everything, or what is missing of it.
        case fetch
        /// Serve the expired entry: offline, or before its server revalidates it.
        case stale
        /// Nothing can be handed out, and nobody may be asked.
        case offlineMiss = "offline-miss"
        /// Fail as a short while ago.
        case rememberedFailure = "remembered-failure"
        /// Fail without asking: the address must not be connected to.
        case refused
    }

    /// What is kept under the key.
    public struct Kept: Sendable, Equatable {
        public let entry: Entry
        public let isExpired: Bool
        /// Whether it was fetched before the clock was set back, so that its dates mean nothing.
        public let isDatedAhead: Bool
        /// Whether its file is there with the size that the index says; else it counts as absent.
        public let isWhole: Bool
        public let age: Duration
    }

    /// What an earlier download has left, or one under way has so far.
    public struct Leftover: Sendable, Equatable {
        public let bytes: Int
        /// How many there will be, where that is known.
        public let total: Int?
        /// What `If-Range` would say; nil if nothing names the bytes.
        public let validator: String?
        /// Whether a download would go on behind these bytes.
        public let canContinue: Bool
    }

    /// What the remote has under the key, as far as it would be asked.
    public struct Shared: Sendable, Equatable {
        public enum Status: String, Sendable {
            case hit, miss, error
        }

        public let status: Status
        public let fetchedAt: Timestamp?
        public let expiresAt: Timestamp?
        public let bytes: Int?
    }

    /// The address, without its secrets.
    public let url: String
    public let key: String
    public let scope: String
    public let policy: Policy
    /// The pattern of the rule that chose the policy; nil if none did.
    public let rule: String?
    public let decision: Decision
    /// A clause: "it is fresh until …".
    public let reason: String
    public let kept: Kept?
    public let negative: NegativeAnswer?
    public let leftover: Leftover?
    /// Nil if a fetch would not ask the remote.
    public let shared: Shared?
    /// Whether somebody holds the key's lock: a fetch would wait for that first.
    public let isLocked: Bool
    /// What the host's name stands for; nil if nobody asked.
    public let addresses: [JudgedAddress]?
    /// Until when other addresses of the same picture go before this one, because it failed for a time; nil if none
    /// does.
    public let restsUntil: Timestamp?
}

/// What is known of an address and its key, from which the explanation follows.
struct ExplainedFacts {
    var kept: Explanation.Kept?
    var negative: NegativeAnswer?
    var leftover: Explanation.Leftover?
    var isLocked = false
    /// Whether the picture is kept nowhere.
    var isBypassed = false
    /// Whether what is kept came from another address, so that its validators mean nothing to this one's server.
    var isOfAnotherAddress = false
    var addresses: [JudgedAddress]?
    var shared: Explanation.Shared?
    /// Until when it is left in peace, if others serve.
    var restsUntil: Timestamp?
    /// Why the request would not be sent, whatever its host stands for.
    var refusal: String?

    /// The decision with its reason, in the order in which a fetch decides. Pure.
    func decide(now: Timestamp, rules: Freshness.Rules) -> (decision: Explanation.Decision, reason: String) {
        let entry = kept.flatMap { $0.isWhole ? $0.entry : nil }
        switch Freshness.decide(entry, now: now, rules: rules) {
        case .serve(.stale):
            let why = rules.isOffline ? "nobody may be asked" : "its server lets it be used while it is revalidated"
            return (.stale, "\(entry?.expiryWords(at: now) ?? ""), and \(why)")
        case .serve: return (.hit, "it is fresh until \(entry?.expiresAt.iso8601 ?? "")")
        case .unavailable:
            guard let entry else { return (.offlineMiss, absence) }
            return (
                .offlineMiss,
                rules.selects(entry) == false
                    ? "its server gave it for other request fields"
                    : "it has expired and must not be used without asking"
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
            ? (.fetch, "\(why), and its server gave nothing to revalidate it by")
            : (.revalidate, "\(why), and its server gave something to revalidate it by")
    }

    private var absence: String {
        if isBypassed { return "it is kept nowhere, as its policy says" }
        if let restsUntil { return "it failed lately, and others go before it until \(restsUntil.iso8601)" }
        return kept == nil ? "nothing is kept under this key" : "its file is gone or has another size"
    }

    private var continuation: String {
        guard let leftover, leftover.canContinue else { return "" }
        return "; an earlier download left \(leftover.bytes) bytes to continue"
    }
}
