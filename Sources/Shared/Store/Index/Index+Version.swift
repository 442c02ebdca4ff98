extension Index {
    /// A number that stands for what is in the index: as long as it stays the same, so do all rows, but for when this
    /// process last used them and for its counters. Nil if that cannot be told, as of a root that can only be read, or
    /// if the root has another index by now, or none. Costs about 3 µs.
    package func version() -> Int? { withConnection { try? $0.currentVersion() } }
}

extension Index.Connection {
    /// The number that stands for what is in the index, and what it was last told by.
    struct Version {
        /// Goes up with each commit of this connection that changes more than when entries were used, with each commit
        /// of another one, and with each other connection that takes the place of this one.
        var number = 0
        fileprivate var seen = 0
    }

    /// See `Index.version`.
    mutating func currentVersion() throws -> Int? {
        if isReadOnly || root.indexIdentity() != identity { return nil }
        let found = try database.dataVersion()
        if found != version.seen {
            version.number += 1
            version.seen = found
        }
        return version.number
    }
}
