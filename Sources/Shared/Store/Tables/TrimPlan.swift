/// Decides which entries to evict.
enum TrimPlan {
    /// Returns 95 % of the capacity. With a target of 100 %, every store into a full cache would trigger a trim.
    static func target(capacity: Int) -> Int { capacity - capacity / 20 }

    /// After this number of evictions, trimming may stop above the target if the root is below the capacity. Evicting a
    /// twentieth of a million entries would delay the run.
    static let headroom = 256

    /// The number of evictions per transaction, during which other processes wait for the write lock. Removing a file
    /// takes 10 to 100 µs.
    static let batch = 64

    /// Returns the minimum number of candidates to evict, in this order, to reduce `kept` bytes to the target.
    ///
    /// - Parameter sizes: the bytes of each candidate, the least recently used first.
    static func count(of sizes: [Int], kept: Int, capacity: Int) -> Int {
        var excess = kept - target(capacity: capacity)
        return sizes.prefix { bytes in
            defer { excess -= bytes }
            return excess > 0
        }.count
    }
}
