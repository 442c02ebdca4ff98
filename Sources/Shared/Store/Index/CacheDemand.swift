import Support

/// The bytes that this process has stored in a root, and the size of the root if it exceeded its capacity.
struct CacheDemand: Equatable {
    /// The bytes of all files that were stored.
    var stored = 0
    /// The maximum size of the root, with the files of all processes, when it exceeded the capacity; else 0.
    var kept = 0

    /// The reason why a run exceeded the capacity.
    enum Excess: Equatable {
        /// The run stored more than the capacity.
        case stored(Int)
        /// Files in use could not be trimmed.
        case kept(Int)

        func message(capacity: Int, isInMemory: Bool) -> String {
            let limit = ByteCount.description(capacity)
            let (fact, bytes) =
                switch self {
                case .stored(let bytes):
                    (
                        "this run stored \(ByteCount.description(bytes)), more than the capacity of \(limit), so some"
                            + " pictures will be removed", bytes
                    )
                case .kept(let bytes):
                    (
                        "the cache grew to \(ByteCount.description(bytes)), more than its capacity of \(limit), because"
                            + " files were in use", bytes
                    )
                }
            let remedy = isInMemory ? "memory_capacity" : "--capacity"
            return "\(fact); use \(remedy) \(Self.enough(for: bytes)) or more"
        }

        /// Returns the size plus 10 %, rounded up to two significant digits, in the syntax of options.
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
