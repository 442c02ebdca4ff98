import Support

/// Which entries to give up so that the rest fits.
enum TrimPlan {
    struct Candidate: Equatable {
        let id: Int64
        let bytes: Int
    }

    /// Below capacity by a twentieth: a cache that is full would otherwise be trimmed at every store.
    static func target(capacity: Int) -> Int { capacity - capacity / 20 }

    /// After how many entries it is enough to be below the capacity, be the target reached or not: a twentieth of a
    /// million would hold up the run that stores one too many.
    static let headroom = 256

    /// How many entries one transaction gives up: others wait for the write lock meanwhile, and removing a file takes
    /// 10 to 100 µs.
    static let batch = 64

    /// The shortest beginning of `candidates`, least recently used first, that brings `kept` bytes down to the target.
    static func choose(from candidates: [Candidate], kept: Int, capacity: Int) -> [Candidate] {
        var excess = kept - target(capacity: capacity)
        return Array(
            candidates.prefix { candidate in
                defer { excess -= candidate.bytes }
                return excess > 0
            })
    }
}
