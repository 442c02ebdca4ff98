import Libc
import Support

/// The layout read the other way: from what lies in the folders to what it is.
extension CacheRoot {
    /// A folder of files that belongs to one scope, as the index names it.
    struct BlobFolder: Sendable, Equatable {
        /// What the index calls the scope's folder.
        let scope: String
        /// Its name below the root.
        let name: String
        /// The two digits that its files begin with.
        let digits: String
    }

    /// Calls `body` with every folder of files below `scopes/`, known to the index or not.
    func forEachBlobFolder(_ body: (BlobFolder) throws -> Void) throws {
        for scope in try scopeFolders() {
            let name = "\(Self.scopes)/\(scope)"
            for digits in try names(in: name) where digits.utf8.count == 2 && digits.utf8.isHexadecimal {
                try body(BlobFolder(scope: scope, name: "\(name)/\(digits)", digits: digits))
            }
        }
    }

    /// The folders that scopes have or had: `<hash>`, and `<hash>/g<N>` after the Nth purge.
    func scopeFolders() throws -> [String] {
        try names(in: Self.scopes).filter(\.utf8.isName).sorted().flatMap { hash in
            try [hash] + names(in: "\(Self.scopes)/\(hash)").map { "\(hash)/\($0)" }.filter(Self.isScopeFolder).sorted()
        }
    }

    /// The highest generation of which a scope, named by its hash, has a folder.
    func latestGeneration(of hash: String) throws -> Int64 {
        try names(in: "\(Self.scopes)/\(hash)").compactMap { Self.generation(ofFolder: "\(hash)/\($0)") }.max() ?? 0
    }

    // MARK: Names that may be paths

    // What an index says becomes a path only if it fits the layout: others may have written that index.

    /// Whether a text is the folder of a scope, see `ScopeName.folder`.
    static func isScopeFolder(_ folder: String) -> Bool { generation(ofFolder: folder) != nil }

    /// The generation in a folder's name, see `ScopeName.folder`; nil for what is no such folder.
    static func generation(ofFolder folder: String) -> Int64? {
        guard folder.utf8.prefix(32).isName else { return nil }
        let rest = folder.utf8.dropFirst(32)
        if rest.isEmpty { return 0 }
        let digits = rest.dropFirst(2)
        guard rest.starts(with: "/g".utf8), digits.first != 0x30, digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(Substring(digits))
    }

    /// The name of a scope's folder below the root; nil for what is no such folder.
    static func scope(_ folder: String) -> String? { isScopeFolder(folder) ? "\(scopes)/\(folder)" : nil }

    /// The name of an entry's file below the root, in a folder of `ScopeName.folder`; nil if either does not fit the
    /// layout.
    static func blob(_ file: String, folder: String) -> String? {
        guard let scope = scope(folder), name(ofBlob: file) != nil else { return nil }
        return "\(scope)/\(Substring(file.utf8.prefix(2)))/\(file)"
    }

    /// Whether a path looks like the path of an entry's file, in any root.
    package static func isLikeBlob(_ path: String) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        guard let scopes = parts.lastIndex(of: Self.scopes), parts.count - scopes >= 4, let file = parts.last else {
            return false
        }
        let folder = parts[(scopes + 1)..<(parts.count - 2)].joined(separator: "/")
        return blob(file, folder: folder) == parts[scopes...].joined(separator: "/")
    }

    /// The scope, named by its hash, and the generation whose file lies at an absolute path; nil for any other path.
    func origin(ofBlob path: String) -> (hash: String, generation: Int64)? {
        guard let rest = path.removing(bytePrefix: self.path(of: Self.scopes) + "/") else { return nil }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), let hash = parts.first.map(String.init), hash.utf8.isName,
            let generation = Self.generation(ofFolder: parts.dropLast(2).joined(separator: "/"))
        else { return nil }
        return (hash, generation)
    }

    /// Returns whether an absolute path is one that an entry's file may have.
    package func hasPlace(for path: String) -> Bool {
        origin(ofBlob: path) != nil && Self.name(ofBlob: Self.fileName(path)) != nil
    }

    /// Returns the last name of a path.
    static func fileName(_ path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }

    /// The part of a file's name that its row is found by; nil for what the cache has not put there.
    static func name(ofBlob file: String) -> String? {
        let name = file.utf8.prefix(32)
        guard name.isName else { return nil }
        var rest = file.utf8.dropFirst(32)
        if rest.starts(with: variantMark.utf8) { rest = rest.dropFirst(variantMark.utf8.count) }
        guard rest.first == UInt8(ascii: "."), isExtension(Substring(rest.dropFirst())) else { return nil }
        return String(Substring(name))
    }

    /// Whether a text may be the extension of an entry's file.
    static func isExtension(_ text: Substring) -> Bool {
        (1...8).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// What the name of a variant's file has before its extension, so that a file alone tells what it is.
    static let variantMark = "-v"

    /// The extended attribute of an original's file that holds its key.
    static let keyAttribute = "user.apod-tools.key"

    /// The extended attribute of an original's file for pins: `1` for a pinned entry, else `0`.
    private static let pinAttribute = "user.apod-tools.pinned"

    /// Writes to a file whether its entry is pinned. If the file system has no extended attributes, the pin is lost with
    /// the index.
    static func notePin(_ isPinned: Bool, in file: File) { _ = file.setAttribute(pinAttribute, isPinned ? "1" : "0") }

    /// Returns whether a file belongs to a pinned entry.
    static func isPinned(_ file: File) -> Bool { file.attribute(pinAttribute) == "1" }

    static func isVariant(_ file: String) -> Bool { file.dropFirst(32).hasPrefix(variantMark) }

    /// The files of the original that is found by a name, in the folder of a scope: of each format one at most.
    func originals(_ name: String, folder: String) throws -> [String] {
        guard let scope = Self.scope(folder) else { return [] }
        return try names(in: "\(scope)/\(name.prefix(2))").filter { $0.hasPrefix(name + ".") }
    }

    /// What the names of previews have, and those of no other file in `partial/`.
    package static let previewMark = ".preview"

    /// What a file in `partial/` or `locks/` belongs to, `<scope>-<name>`; nil for anything else.
    static func owner(of file: String) -> String? {
        let parts = file.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.isName, parts[1].utf8.prefix(32).isName else { return nil }
        return "\(parts[0])-\(parts[1].prefix(32))"
    }

    /// The lock of what `owner` names.
    static func lock(owner: String) -> String { "\(locks)/\(owner)" }

    /// Makes the empty folder of a scope's next generation: should the index be lost, it alone tells that what lies in
    /// the earlier ones has been purged (see `latestGeneration`).
    func beginGeneration(_ generation: Int64, of hash: String) {
        if let folder = Self.scope("\(hash)/g\(generation)") { try? makeFolder(folder) }
    }

    /// Removes the folders of a scope's generations that have no files. To be called within a transaction that finds
    /// no purge of this scope: nobody makes a folder there meanwhile, and none is needed.
    func removeEmptyGenerations(of hash: String) throws {
        guard let folder = Self.scope(hash) else { return }
        for name in try names(in: folder) where Self.isScopeFolder("\(hash)/\(name)") {
            _ = removeFolder("\(folder)/\(name)")
        }
        _ = removeFolder(folder)
    }

    // MARK: The index

    /// Names of what SQLite keeps beside a database.
    static let companions = ["-wal", "-shm", "-journal"]

    /// Whether there is an index: one without a byte in it was never set up.
    var hasIndex: Bool { get throws { try file(Self.index).map { $0.bytes > 0 } ?? false } }

    /// Throws `UnsafePlace` unless an index, and each file that SQLite would open beside it, is missing or a plain
    /// file: SQLite itself follows links.
    func checkIndex(_ name: String = CacheRoot.index) throws {
        guard let folder = try folder() else { return }
        for file in [name] + Self.companions.map({ name + $0 }) {
            guard let status = try folder.status(of: file) else { continue }
            if status.kind == .link { throw UnsafePlace.link(path(of: file)) }
            if status.kind != .file || status.links > 1 { throw UnsafePlace.notAPlainFile(path(of: file)) }
        }
    }

    /// Whether the index was begun anew beside files of an older one, which may still be taken in again.
    var awaitsRebuild: Bool { get throws { try status(of: Self.rebuildMark) != nil } }

    /// Notes that files may have lost their rows; to be called before an index is begun.
    func noteLostIndex() throws {
        if try !names(in: Self.scopes).isEmpty { _ = try openToWrite(Self.rebuildMark, O_WRONLY) }
    }

    func noteRebuilt() { remove(Self.rebuildMark) }

    /// Names of what is left of indexes that were set aside.
    var damagedIndexes: [String] {
        get throws { try names(in: ".").filter { $0.hasPrefix("\(Self.index).damaged") }.sorted() }
    }
}

extension Collection<UInt8> {
    /// Whether the text is 32 lower-case hexadecimal digits.
    var isName: Bool { count == 32 && isHexadecimal }

    var isHexadecimal: Bool {
        allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
