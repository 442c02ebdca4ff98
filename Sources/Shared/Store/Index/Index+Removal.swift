import Support

/// Removal of the files whose rows were deleted, and detection of files without rows.
extension Index {
    /// Runs `body`, a transaction that removes entries. If the disk is too full for the write-ahead log, removes some
    /// files of these entries (an entry without a file is treated as absent), empties the log and retries. The retry
    /// needs some tens of kilobytes, so it fails if the removed files were smaller.
    ///
    /// - Parameter files: called on a full disk. Returns the paths, below the root, of some files of the entries.
    func removing<Result>(_ files: () throws -> [String], _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch CacheFailure.diskFull {
            try files().forEach(root.remove)
            try perform { $0.database.truncateLog() }
            return try body()
        }
    }

    /// Removes the unleased files whose rows were deleted, including rows deleted by processes that were killed since.
    /// Runs in write transactions, like the rename of stored files, so it cannot remove a file that was just stored
    /// under the same name. If there is nothing to remove, costs one query of an empty table.
    func sweep(now: Timestamp) throws {
        var last: DoomedTable.File?
        while try perform({ try !$0.doomed.files(after: last, limit: 1).isEmpty }) {
            last = try write(now: now) { connection in
                let files = try connection.doomed.files(after: last, limit: TrimPlan.batch)
                // Read the leases after the transaction that deleted the rows, see `LeaseTable`.
                let leases = try root.leases.live(at: now, in: root)
                for file in files {
                    let name = CacheRoot.blob(file.name, folder: file.folder)
                    if let name, connection.forcedRemovals.remove(name) == nil, try leases.end(of: name) != nil {
                        continue
                    }
                    try connection.doomed.delete(file)
                    if let name { root.remove(name) }
                }
                return files.last ?? last
            }
        }
    }

    /// Returns unleased files that still exist although their rows were deleted.
    func doomedFiles(now: Timestamp) throws -> [String] {
        let leases = try root.leases.live(at: now, in: root)
        let files = try perform { try $0.doomed.files(limit: 1000) }
        return try files.compactMap { CacheRoot.blob($0.name, folder: $0.folder) }.filter {
            try leases.end(of: $0) == nil
        }
    }

    /// See `IndexConnection.mayLackRows`.
    func mayLackRows() throws -> Bool { try perform { try $0.mayLackRows() } }
}
