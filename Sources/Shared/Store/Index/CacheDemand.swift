import Support

/// How much room one process needed in a root.
struct CacheDemand: Equatable {
    /// Bytes of all files that it stored.
    var stored = 0
    /// The most bytes that were left in the root after trimming, as far as that was over the capacity.
    var kept = 0

    /// How a run exceeded the capacity.
    enum Excess: Equatable {
        /// It stored more than fits.
        case stored(Int)
        /// Files in use could not be trimmed.
        case kept(Int)

        func message(capacity: Int, isInMemory: Bool) -> String {
            let limit = ByteCount.description(capacity)
            let (fact, bytes) =
                switch self {
                case .stored(let bytes):
                    (
                        "this run stored \(ByteCount.description(bytes)), more than the capacity of \(limit), so that"
                            + " not all of it can stay", bytes
                    )
                case .kept(let bytes):
                    (
                        "the cache grew to \(ByteCount.description(bytes)), more than its capacity of \(limit), as its"
                            + " files were in use", bytes
                    )
                }
            let remedy = isInMemory ? "memory_capacity" : "--capacity"
            return "\(fact); \(remedy) \(Self.enough(for: bytes)) or more would be enough"
        }

        /// A size as options take it, with a tenth to spare: two digits that are easy to type.
        static func enough(for bytes: Int) -> String {
            let wanted = Double(bytes) * 1.1 / 1e6
            var step = 1.0
            while wanted / step > 100 { step *= 10 }
            return "\(Int((wanted / step).rounded(.up) * step))MB"
        }
    }

    func excess(over capacity: Int) -> Excess? {
        if stored > capacity, stored >= kept { return .stored(stored) }
        return kept > capacity ? .kept(kept) : nil
    }
}
