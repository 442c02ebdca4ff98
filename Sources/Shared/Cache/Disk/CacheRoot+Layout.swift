#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Support

/// The layout read the other way: from what lies in the folders to what it is.
extension CacheRoot {
    /// A folder of files that belongs to one scope, as the index names it.
    struct BlobFolder: Sendable, Equatable {
        /// What the index calls the scope's folder.
        let scope: String
        /// Absolute.
        let path: String
        /// The two digits that its files begin with.
        let digits: String
    }

    /// Calls `body` with every folder of files below `scopes/`, known to the index or not.
    func forEachBlobFolder(_ body: (BlobFolder) throws -> Void) throws {
        for scope in scopeFolders() {
            let path = "\(scopes)/\(scope)"
            for digits in FolderListing.names(of: path) where digits.utf8.count == 2 && digits.isHexadecimal {
                try body(BlobFolder(scope: scope, path: "\(path)/\(digits)", digits: digits))
            }
        }
    }

    /// The folders that scopes have or had: `<hash>`, and `<hash>/g<N>` after the Nth purge.
    func scopeFolders() -> [String] {
        FolderListing.names(of: scopes).filter(\.isName).sorted().flatMap { hash in
            [hash]
                + FolderListing.names(of: "\(scopes)/\(hash)").filter {
                    $0.first == "g" && $0.utf8.count > 1 && $0.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
                }.sorted().map { "\(hash)/\($0)" }
        }
    }

    /// The highest generation of which a scope, named by its hash, has a folder.
    func latestGeneration(of hash: String) -> Int64 {
        let folders = FolderListing.names(of: "\(scopes)/\(hash)")
        return folders.compactMap { Self.generation(ofFolder: "\(hash)/\($0)") }.max() ?? 0
    }

    /// The generation in a folder's name, see `ScopeName.folder`; nil for other folders.
    static func generation(ofFolder folder: String) -> Int64? {
        let rest = folder.dropFirst(32)
        return rest.isEmpty ? 0 : rest.hasPrefix("/g") ? Int64(rest.dropFirst(2)).flatMap { $0 > 0 ? $0 : nil } : nil
    }

    /// The scope, named by its hash, and the generation whose file lies at an absolute path; nil for any other path.
    func origin(ofBlob path: String) -> (hash: String, generation: Int64)? {
        guard path.hasPrefix(scopes + "/") else { return nil }
        let parts = path.dropFirst(scopes.count + 1).split(separator: "/", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), let hash = parts.first.map(String.init), hash.isName,
            let generation = Self.generation(ofFolder: parts.dropLast(2).joined(separator: "/"))
        else { return nil }
        return (hash, generation)
    }

    /// The part of a file's name that its row is found by; nil for what the cache has not put there.
    static func name(ofBlob file: String) -> String? {
        let name = String(file.prefix(32))
        let rest = file.dropFirst(32)
        guard name.isName, rest.hasPrefix(".") || rest.hasPrefix(variantMark + ".") else { return nil }
        return name
    }

    /// What the name of a variant's file has before its extension, so that a file alone tells what it is.
    static let variantMark = "-v"

    static func isVariant(_ file: String) -> Bool { file.dropFirst(32).hasPrefix(variantMark) }

    /// What a file in `partial/` or `locks/` belongs to, `<scope>-<name>`; nil for anything else.
    static func owner(of file: String) -> String? {
        let parts = file.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, String(parts[0]).isName, String(parts[1].prefix(32)).isName else { return nil }
        return "\(parts[0])-\(parts[1].prefix(32))"
    }

    var scopes: String { path + "/scopes" }
    var partials: String { path + "/partial" }
    var locks: String { path + "/locks" }

    /// The lock of what `owner` names.
    func lock(owner: String) -> String { "\(locks)/\(owner)" }

    /// Makes the empty folder of a scope's next generation: should the index be lost, it alone tells that what lies in
    /// the earlier ones has been purged (see `latestGeneration`).
    func beginGeneration(_ generation: Int64, of hash: String) {
        try? Self.makeFolder("\(scopes)/\(hash)/g\(generation)")
    }

    /// Removes the folders of a scope's generations that have no files. To be called within a transaction that finds
    /// no purge of this scope: nobody makes a folder there meanwhile, and none is needed.
    func removeEmptyGenerations(of hash: String) {
        let path = "\(scopes)/\(hash)"
        for name in FolderListing.names(of: path) where Self.generation(ofFolder: "\(hash)/\(name)") != nil {
            _ = FolderListing.removeIfEmpty("\(path)/\(name)")
        }
        _ = FolderListing.removeIfEmpty(path)
    }

    // MARK: A lost index

    private var rebuildMark: String { path + "/rebuild" }

    /// Whether the index was begun anew beside files of an older one, which may still be taken in again.
    var awaitsRebuild: Bool { access(rebuildMark, F_OK) == 0 }

    /// Notes that files may have lost their rows; to be called before an index is begun.
    func noteLostIndex() throws {
        guard !FolderListing.names(of: scopes).isEmpty else { return }
        _ = try openToWrite(rebuildMark, O_WRONLY)
    }

    func noteRebuilt() { unlink(rebuildMark) }

    /// Removes an index without a byte in it: one that was set up has its first page at least. It would never become
    /// one again while a process has it open that knew it before it was emptied.
    func removeEmptyIndex() {
        guard FolderListing.facts(index)?.bytes == 0 else { return }
        for suffix in ["-wal", "-shm", ""] { unlink(index + suffix) }
    }

    /// What is left of indexes that were set aside.
    var damagedIndexes: [String] {
        FolderListing.names(of: path).filter { $0.hasPrefix("index.sqlite.damaged") }.sorted().map { "\(path)/\($0)" }
    }
}

extension String {
    /// Whether the text is 32 lower-case hexadecimal digits.
    fileprivate var isName: Bool { utf8.count == 32 && isHexadecimal }

    fileprivate var isHexadecimal: Bool {
        utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
