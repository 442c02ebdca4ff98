extension Index {
    /// A number that stands for what is in the index: as long as it stays the same, so do all rows, but for when they
    /// were used and for counters. Nil if that cannot be told, as of a root that can only be read. Costs some
    /// nanoseconds: nothing is asked of the disk.
    func version() -> Int? { withConnection { $0.currentVersion() } }

    /// The same, but nil if the root has another index by now, or none.
    func versionOfRoot() -> Int? {
        withConnection { root.indexIdentity() == $0.identity ? $0.currentVersion() : nil }
    }
}

extension Index.Connection {
    /// What was seen of the log last, and the number that stands for it.
    struct Version {
        fileprivate var number = 0
        fileprivate var header: LogHeader?

        /// That of a connection which takes the place of this one's.
        var next: Version { Version(number: number + 1) }
    }

    /// See `Index.version`. What any connection commits, this one among them, makes it another number.
    mutating func currentVersion() -> Int? {
        guard let header = database.logHeader else { return nil }
        if header != version.header {
            version.number += 1
            version.header = header
        }
        return version.number
    }

    /// To be called within a transaction that will change no row by which an entry is found or handed out; gives what
    /// `endQuietly` takes. Nobody else commits until then.
    mutating func beginQuietly() -> LogHeader? { currentVersion() == nil ? nil : version.header }

    /// To be called behind the commit of such a transaction: the number stays, unless somebody has committed since.
    mutating func endQuietly(since before: LogHeader?) {
        if let before, before == version.header, let header = database.logHeader, before.isFollowed(by: header) {
            version.header = header
        }
    }
}
