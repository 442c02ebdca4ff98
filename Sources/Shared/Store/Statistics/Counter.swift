import Support

/// The counters of a scope. Names are stored in the index, so they are only added, never reused.
public enum Counter: String, Sendable, CaseIterable {
    case hits
    case misses
    case missesAbsent = "misses_absent"
    case missesExpired = "misses_expired"
    case missesRefresh = "misses_refresh"
    case missesLost = "misses_lost"
    case missesPolicy = "misses_policy"
    case negativeHits = "negative_hits"
    case stale
    case revalidated
    case coalesced
    case stored
    case variantsMade = "variants_made"
    case variantHits = "variant_hits"
    case variantsCoalesced = "variants_coalesced"
    case bytesServed = "bytes_served"
    case bytesFetched = "bytes_fetched"
    case bytesWritten = "bytes_written"
    case evictions
    case bytesEvicted = "bytes_evicted"
    case removed
    case bytesRemoved = "bytes_removed"
    case healed
    case remoteHits = "remote_hits"
    case remoteMisses = "remote_misses"
    case remoteErrors = "remote_errors"
    case remoteDamaged = "remote_damaged"
    case remoteStored = "remote_stored"
    case bytesFromRemote = "bytes_from_remote"
    case bytesToRemote = "bytes_to_remote"
    case remoteMillisecondsSaved = "remote_ms_saved"
    case kept
    case lostWrites = "lost_writes"

    /// The definition of the counter, which the manual quotes.
    public var meaning: String {
        switch self {
        case .hits: "Pictures that were asked for, found, and fresh."
        case .misses:
            "Pictures that were asked for and not found, or not fit to be handed out; the sum of the next five."
        case .missesAbsent: "Misses of what was not there."
        case .missesExpired:
            "Misses of what was there and is another one by now: it had expired, or a file had changed."
        case .missesRefresh: "Misses of what was fresh, but was to be asked for anew, and had changed."
        case .missesLost: "Misses of what the index knew and whose file was gone or another one."
        case .missesPolicy: "Misses of what a policy keeps out of the cache."
        case .negativeHits: "Failures that were remembered, so that no server was asked."
        case .stale: "Pictures that were handed out although they had expired."
        case .revalidated:
            "Pictures that had expired or were to be refreshed, and that their server reported as unchanged."
        case .coalesced: "Pictures that another thread or process fetched while this one waited; each is a hit, too."
        case .stored: "Pictures that were stored from a file or from memory."
        case .variantsMade: "Variants that were made."
        case .variantHits: "Variants that were asked for and found."
        case .variantsCoalesced:
            "Variants that another thread or process made while this one waited; each is a hit, too."
        case .bytesServed: "Bytes of the files that were handed out of the cache."
        case .bytesFetched: "Bytes of bodies that came from servers and were kept."
        case .bytesWritten: "Bytes of the files that were put into the cache, variants included."
        case .evictions: "Entries that were given up to keep below the capacity."
        case .bytesEvicted: "Bytes of the entries that were given up."
        case .removed: "Entries that rm and clean removed, variants included."
        case .bytesRemoved: "Bytes of the entries that were removed."
        case .healed: "Entries dropped because their file was missing or changed."
        case .remoteHits: "Pictures, variants and metadata that the remote had."
        case .remoteMisses: "Pictures, variants and metadata that the remote was asked for and did not have."
        case .remoteErrors: "Requests to the remote that failed; the run went on without it."
        case .remoteDamaged: "Pictures and variants of the remote that were damaged, and were not used."
        case .remoteStored: "Pictures, variants and metadata that were handed over to the remote."
        case .bytesFromRemote: "Bytes of pictures and variants that came from the remote."
        case .bytesToRemote: "Bytes of pictures and variants that were sent to the remote."
        case .remoteMillisecondsSaved:
            "Milliseconds saved: what fetching or making took elsewhere, less what the remote took."
        case .lostWrites: "Of these, entries whose bytes were not on the disk after a restart."
        case .kept: "Pictures that nothing was asked for, since the files made of them were there, unchanged."
        }
    }

    public var countsBytes: Bool { rawValue.hasPrefix("bytes_") }
}

/// The reason for a miss.
package enum MissReason: Sendable {
    case absent, expired, refresh, lost, policy

    var counter: Counter {
        switch self {
        case .absent: .missesAbsent
        case .expired: .missesExpired
        case .refresh: .missesRefresh
        case .lost: .missesLost
        case .policy: .missesPolicy
        }
    }

    /// The reason for replacing an entry.
    package init(replacing found: LookupResult, at now: Timestamp, isStored: Bool = false) {
        guard let entry = found.entry else {
            self = found.wasLost ? .lost : .absent
            return
        }
        self = isStored || entry.isExpired(at: now) ? .expired : .refresh
    }
}

/// Pending counts of a scope.
package struct Tally: Sendable, Equatable {
    /// Each counter occurs once. A search is fast, as a run uses few counters.
    private var amounts: [Amount] = []
    private var failures: [String: Int] = [:]

    private struct Amount: Sendable, Equatable {
        let counter: Counter
        var value: Int
    }

    static let failurePrefix = "failure:"

    package mutating func add(_ counter: Counter, _ amount: Int = 1) {
        if let place = amounts.firstIndex(where: { $0.counter == counter }) {
            amounts[place].value += amount
        } else {
            amounts.append(Amount(counter: counter, value: amount))
        }
    }

    package mutating func add(failure: any Failure) { failures[failure.code, default: 0] += 1 }

    package mutating func add(miss reason: MissReason) {
        add(.misses)
        add(reason.counter)
    }

    /// The amounts by the counters' names in the index.
    var counts: [(name: String, amount: Int)] {
        amounts.map { ($0.counter.rawValue, $0.value) } + failures.map { (Self.failurePrefix + $0, $1) }
    }
}

/// Pending counts of all scopes.
struct Tallies: Sendable {
    /// Each scope occurs once. Few runs use more than one scope.
    private(set) var all: [(scope: ScopeName, tally: Tally)] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func change(_ scope: ScopeName, _ change: (inout Tally) -> Void) {
        // Usually the last scope.
        if let place = all.lastIndex(where: { $0.scope == scope }) { return change(&all[place].tally) }
        all.append((scope, Tally()))
        change(&all[all.count - 1].tally)
    }
}
