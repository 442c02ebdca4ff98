import Support

extension CacheStore {
    /// Runs `body`, a transaction that takes entries away, also on a disk that has no room left for its log: files that
    /// go anyway then go before their rows, which count as absent from there on, the log is emptied, and it is tried
    /// once more. That takes some tens of kilobytes: where what goes has less, the disk stays full.
    ///
    /// - Parameter files: names below the root of some of them, asked for where that is so.
    func removing<Result>(_ files: () throws -> [String], _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch CacheFailure.diskFull {
            try files().forEach(index.root.remove)
            try index.emptyLog()
            return try body()
        }
    }

    /// Some files of this scope, or of all.
    func someFiles(of scope: ScopeName? = nil) throws -> [String] {
        var places: [String] = []
        for row in try index.scopeRows() where scope.map({ row.folder.hasPrefix($0.hash) }) ?? true {
            places += try index.page(of: row, after: "").map(\.place)
        }
        return places
    }
}
