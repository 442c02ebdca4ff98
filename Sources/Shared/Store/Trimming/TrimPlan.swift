/// Decides which entries to evict.
enum TrimPlan {
    struct Candidate: Equatable {
        let id: Int64
        let bytes: Int
    }

    /// Returns 95 % of the capacity. With a target of 100 %, every store into a full cache would trigger a trim.
    static func target(capacity: Int) -> Int { capacity - capacity / 20 }

    /// After this number of evictions, trimming may stop above the target if the root is below the capacity. Evicting a
    /// twentieth of a million entries would delay the run.
    static let headroom = 256

    /// The number of evictions per transaction, during which other processes wait for the write lock. Removing a file
    /// takes 10 to 100 µs.
    static let batch = 64

    /// Returns the shortest prefix of `candidates`, least recently used first, that reduces `kept` bytes to the target.
    static func choose(from candidates: [Candidate], kept: Int, capacity: Int) -> [Candidate] {
        var excess = kept - target(capacity: capacity)
        return Array(
            candidates.prefix { candidate in
                defer { excess -= candidate.bytes }
                return excess > 0
            })
    }
}
