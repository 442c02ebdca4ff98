import Support

/// Removes the files, rows and partial downloads of purged generations. Run by the process that holds
/// `CacheRoot.purgeLock`. If that process is stopped or killed, the next run continues with the remaining data.
///
/// No file is added to a purged generation, because each commit checks the generation in its transaction. The files can
/// therefore be removed without a transaction. Files are removed before their rows. No lookup finds these rows any
/// more.
struct Purge {
    let index: Index
    let clock: Clock

    private var root: CacheRoot { index.root }

    /// Called before each step, which takes at most a few milliseconds. Ends the work by returning false or throwing.
    typealias GoOn = () throws -> Bool

    /// Returns the number and bytes of the entries of all generations that were completely removed.
    func run(_ goOn: GoOn) throws -> EntrySum {
        var removed = EntrySum()
        // The process that purged the scope may have been killed before it created the folders.
        try index.perform { try $0.scopes.beginPurgedGenerations() }
        try removeStalePartials()
        while try goOn(), let scope = try index.perform({ try $0.scopes.purged() }) {
            guard try removeFiles(of: scope, goOn) else { break }
            for table in ["entries", "metadata", "copies"] {
                func deleteRows() throws -> Bool {
                    try index.write(now: clock.now(), isQuiet: table != "entries") {
                        try $0.scopes.deleteRows(of: scope, in: table)
                    }
                }
                while try deleteRows() { guard try goOn() else { return removed } }
            }
            try index.write(now: clock.now()) { try $0.scopes.delete(scope) }
            removed.add(scope.contents)
        }
        return removed
    }

    /// Removes the files of a generation. Returns false if `goOn` ended the removal.
    private func removeFiles(of scope: PurgedScope, _ goOn: GoOn) throws -> Bool {
        guard let name = CacheRoot.scope(scope.folder) else { return true }
        for part in try root.names(in: name) where CacheRoot.isBlobFolder(part) {
            guard let folder = try root.folder()?.folder("\(name)/\(part)") else { return true }
            for file in try folder.names() {
                guard try goOn() else { return false }
                folder.remove(file)
            }
            _ = root.removeFolder("\(name)/\(part)")
        }
        return true
    }

    /// Removes partial downloads of purged generations. No process resumes them, and a running download soon detects
    /// the purge.
    private func removeStalePartials() throws {
        let names = try root.names(in: CacheRoot.partials)
        if names.isEmpty { return }
        let generations = try index.perform { try $0.scopes.generations() }
        for name in names {
            guard let (hash, generation) = Self.origin(ofPartial: name) else { continue }
            if generation < generations.known[hash] ?? generations.other {
                root.remove("\(CacheRoot.partials)/\(name)")
            }
        }
    }

    /// Parses the scope's hash and the generation from the name of a file in `partial/`, see `CacheRoot`.
    static func origin(ofPartial name: String) -> (hash: String, generation: Int64)? {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let hashes = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard hashes.count == 2, hashes.allSatisfy(\.utf8.isName) else { return nil }
        let generation = parts.count > 1 && parts[1].hasPrefix("g") ? Int64(parts[1].dropFirst()) : nil
        return (String(hashes[0]), generation ?? 0)
    }
}
