import Support

/// The counters of a scope. Their names are stored in the index, so they are never changed or reused.
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

    /// The definition of the counter, as quoted in the manual.
    public var meaning: String {
        switch self {
        case .hits: "Requested pictures that were found and fresh."
        case .misses: "Requested pictures that were not found or not usable; the sum of the next five counters."
        case .missesAbsent: "Misses without an entry."
        case .missesExpired: "Misses that replaced an expired entry, or the entry of a changed local file."
        case .missesRefresh: "Misses that replaced a fresh entry, because a refresh was requested."
        case .missesLost: "Misses whose entry's file was missing or had been changed."
        case .missesPolicy: "Misses of pictures that a policy does not cache."
        case .negativeHits: "Cached failures that were returned instead of sending a request."
        case .stale: "Expired pictures that were served."
        case .revalidated: "Expired or refreshed pictures that their server reported as unchanged."
        case .coalesced: "Pictures that another thread or process was already fetching; each is also a hit."
        case .stored: "Pictures that were stored from a file or from memory."
        case .variantsMade: "Variants that were made."
        case .variantHits: "Requested variants that were found."
        case .variantsCoalesced:
            "Variants that another thread or process was already making; each is also a hit."
        case .bytesServed: "Bytes of the files that were served from the cache."
        case .bytesFetched: "Bytes of the bodies that were downloaded and stored."
        case .bytesWritten: "Bytes of the files that were written to the cache, including variants."
        case .evictions: "Entries that were evicted to keep the cache below its capacity."
        case .bytesEvicted: "Bytes of the evicted entries."
        case .removed: "Entries that rm and clean removed, including variants."
        case .bytesRemoved: "Bytes of the entries that rm and clean removed."
        case .healed: "Entries that were removed because their file was missing or changed."
        case .remoteHits: "Pictures, variants and metadata that were found in the remote."
        case .remoteMisses: "Pictures, variants and metadata that were not found in the remote."
        case .remoteErrors: "Requests to the remote that failed; the run continued without it."
        case .remoteDamaged: "Pictures and variants in the remote that were damaged and not used."
        case .remoteStored: "Pictures, variants and metadata that were uploaded to the remote."
        case .bytesFromRemote: "Bytes of pictures and variants that were downloaded from the remote."
        case .bytesToRemote: "Bytes of pictures and variants that were uploaded to the remote."
        case .remoteMillisecondsSaved:
            "Milliseconds that the remote saved: for each picture or variant, the time that its download or encoding"
                + " took on the machine that uploaded it, less the time of reading it from the remote."
        case .lostWrites: "Entries whose bytes were not on the disk after a restart; each also counts as healed."
        case .kept: "Pictures that were not requested, because the files made from them were unchanged."
        }
    }

    public var countsBytes: Bool { rawValue.hasPrefix("bytes_") }
}

extension Counter {
    /// Returns the counter for the reason why a lookup with this result is a miss.
    package static func miss(replacing found: LookupResult, at now: Timestamp, isStored: Bool = false) -> Counter {
        guard let entry = found.entry else { return found.wasLost ? .missesLost : .missesAbsent }
        return isStored || entry.isExpired(at: now) ? .missesExpired : .missesRefresh
    }
}

/// Pending counts of a scope.
package struct Tally: Sendable {
    /// By the names in the index. Each name occurs at most once. A linear search is fast, because a run uses few
    /// counters.
    private(set) var counts: [(name: String, amount: Int)] = []

    static let failurePrefix = "failure:"

    package mutating func add(_ counter: Counter, _ amount: Int = 1) { add(counter.rawValue, amount) }

    package mutating func add(failure: any Failure) { add(Self.failurePrefix + failure.code, 1) }

    private mutating func add(_ name: String, _ amount: Int) {
        if let place = counts.firstIndex(where: { $0.name == name }) {
            counts[place].amount += amount
        } else {
            counts.append((name, amount))
        }
    }

    /// - Parameter reason: one of the counters that `misses` sums.
    package mutating func add(miss reason: Counter) {
        add(.misses)
        add(reason)
    }
}

/// Pending counts of all scopes.
struct Tallies: Sendable {
    /// Each scope occurs at most once. Few runs use several scopes.
    private(set) var all: [(scope: ScopeName, tally: Tally)] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func change(_ scope: ScopeName, _ change: (inout Tally) -> Void) {
        // Search backwards: usually the scope is the last.
        if let place = all.lastIndex(where: { $0.scope == scope }) { return change(&all[place].tally) }
        all.append((scope, Tally()))
        change(&all[all.count - 1].tally)
    }
}
