import Support

/// The space that one process needed in a root.
struct CacheDemand: Equatable {
    /// Bytes of all stored files.
    var stored = 0
    /// The largest size of the root after trimming.
    var kept = 0

    /// How a run exceeded the capacity.
    enum Excess: Equatable {
        /// More was stored than fits.
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

        /// Returns a size with a tenth to spare, in the syntax of options and rounded up to two digits.
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
