import Libc
import Support

/// Parsing and construction of the names below a root.
extension CacheRoot {
    /// The suffix of the file that describes a partial file (`PartialFile.Note`).
    package static let noteMark = ".note"

    /// One of up to 256 folders for the entry files of a scope.
    struct BlobFolder: Sendable, Equatable {
        /// The value of `scopes.folder` in the index.
        let scope: String
        /// The path below the root.
        let name: String
    }

    /// Returns all folders of entry files below `scopes/`, sorted by name, including folders unknown to the index.
    func blobFolders() throws -> [BlobFolder] {
        try scopeFolders().flatMap { scope in
            let name = "\(Self.scopes)/\(scope)"
            return try names(in: name).filter(Self.isBlobFolder).map { BlobFolder(scope: scope, name: "\(name)/\($0)") }
        }.sorted { $0.name < $1.name }
    }

    /// Returns the folders of all generations of all scopes: `<hash>`, and `<hash>/g<N>` after the Nth purge.
    func scopeFolders() throws -> [String] {
        try names(in: Self.scopes).filter(\.utf8.isName).sorted().flatMap { hash in
            try [hash] + names(in: "\(Self.scopes)/\(hash)").map { "\(hash)/\($0)" }.filter(Self.isScopeFolder).sorted()
        }
    }

    /// Returns the highest generation among the folders of a scope, or 0.
    func latestGeneration(of hash: String) throws -> Int64 {
        try names(in: "\(Self.scopes)/\(hash)").compactMap { Self.generation(ofFolder: "\(hash)/\($0)") }.max() ?? 0
    }

    // MARK: Names that become paths

    // Names from an index become paths only if they fit the layout, because another user may have written the index.

    /// Whether a text has the format of `ScopeName.folder`.
    static func isScopeFolder(_ folder: String) -> Bool { generation(ofFolder: folder) != nil }

    /// Parses the generation in the name of a scope's folder. Returns nil for any other name.
    static func generation(ofFolder folder: String) -> Int64? {
        guard folder.utf8.prefix(32).isName else { return nil }
        let rest = folder.utf8.dropFirst(32)
        if rest.isEmpty { return 0 }
        let digits = rest.dropFirst(2)
        guard rest.starts(with: "/g".utf8), digits.first != 0x30, digits.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        return Int64(Substring(digits))
    }

    /// Whether a name belongs to one of the 256 folders with the files of a generation. The folder of generation 0 also
    /// contains the folders of later generations.
    static func isBlobFolder(_ name: String) -> Bool { name.utf8.count == 2 && name.utf8.isHexadecimal }

    /// The path of a scope's folder below the root, or nil if the name does not fit the layout.
    static func scope(_ folder: String) -> String? { isScopeFolder(folder) ? "\(scopes)/\(folder)" : nil }

    /// The path of an entry's file below the root, or nil if a name does not fit the layout.
    static func blob(_ file: String, folder: String) -> String? {
        guard let scope = scope(folder), name(ofBlob: file) != nil else { return nil }
        return "\(scope)/\(Substring(file.utf8.prefix(2)))/\(file)"
    }

    /// Whether a path has the format of an entry's file in any root.
    package static func isLikeBlob(_ path: String) -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        guard let scopes = parts.lastIndex(of: Self.scopes), parts.count - scopes >= 4, let file = parts.last else {
            return false
        }
        let folder = parts[(scopes + 1)..<(parts.count - 2)].joined(separator: "/")
        return blob(file, folder: folder) == parts[scopes...].joined(separator: "/")
    }

    /// Parses the hash of the scope and the generation from the absolute path of an entry's file.
    func origin(ofBlob path: String) -> (hash: String, generation: Int64)? {
        guard let rest = path.removing(bytePrefix: self.path(of: Self.scopes) + "/") else { return nil }
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), let hash = parts.first.map(String.init), hash.utf8.isName,
            let generation = Self.generation(ofFolder: parts.dropLast(2).joined(separator: "/"))
        else { return nil }
        return (hash, generation)
    }

    /// Whether an absolute path has the format of an entry's file in this root.
    package func hasPlace(for path: String) -> Bool {
        origin(ofBlob: path) != nil && Self.name(ofBlob: Self.fileName(path)) != nil
    }

    static func fileName(_ path: String) -> String {
        path.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? path
    }

    /// Parses the entry's name at the start of a file name. Returns nil if the cache never creates such file names.
    static func name(ofBlob file: String) -> String? {
        let name = file.utf8.prefix(32)
        guard name.isName else { return nil }
        var rest = file.utf8.dropFirst(32)
        if rest.first == UInt8(ascii: "-") {
            let isVariant = rest.starts(with: variantMark.utf8)
            rest = rest.dropFirst(isVariant ? variantMark.utf8.count : 1)
            if rest.prefix(stampLength).isStamp {
                rest = rest.dropFirst(stampLength)
            } else if !isVariant {
                return nil
            }
        }
        guard rest.first == UInt8(ascii: "."), isExtension(Substring(rest.dropFirst())) else { return nil }
        return String(Substring(name))
    }

    /// Whether a text is allowed as the extension of an entry's file.
    static func isExtension(_ text: Substring) -> Bool {
        (1...8).contains(text.utf8.count)
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) }
    }

    /// Throws `CacheFailure.fault` unless `text` is allowed as an extension. Checks before the text becomes part of a
    /// path.
    static func requireExtension(_ text: String) throws {
        guard isExtension(text[...]) else { throw CacheFailure.fault(detail: "\(text) is not a valid file extension") }
    }

    /// Separates the entry's name from the stamp in a variant's file name, so that the file name reveals the kind.
    static let variantMark = "-v"

    fileprivate static let stampLength = 24
    private static let digestLength = 16

    /// Returns the name for an entry's file. The same content always has the same name, so a file that a killed process
    /// left without a row is overwritten. Throws `CacheFailure.fault` for an invalid extension.
    static func blobName(_ name: String, isVariant: Bool, sha256: String, fileExtension: String) throws -> String {
        try requireExtension(fileExtension)
        return "\(name)\(isVariant ? variantMark : "-")\(sha256.prefix(stampLength)).\(fileExtension)"
    }

    /// Returns another name for a file with the same content, for use while a row already has the name from `blobName`.
    static func otherBlobName(_ file: String) -> String {
        let random = String(UInt64(UInt32.random(in: 0...UInt32.max)) | 1 << 32, radix: 16).dropFirst()
        let fixed = 32 + (isVariant(file) ? variantMark.utf8.count : 1) + digestLength
        return "\(file.prefix(fixed))\(random).\(fileExtension(of: file))"
    }

    /// The extension of a file's name; empty if it has none.
    static func fileExtension(of file: String) -> String {
        file.lastIndex(of: ".").map { String(file[file.index(after: $0)...]) } ?? ""
    }

    /// Parses the first 16 digits of the content's SHA-256 in a file name. Returns nil for names of earlier versions.
    static func digest(ofBlob file: String) -> String? {
        let stamp = file.utf8.dropFirst(32 + (isVariant(file) ? variantMark.utf8.count : 1)).prefix(stampLength)
        return stamp.isStamp ? String(Substring(stamp.prefix(digestLength))) : nil
    }

    /// The extended attribute of an original's file that stores its key.
    static let keyAttribute = "user.apod-tools.key"

    /// The extended attribute of an original's file for pins: `1` for a pinned entry, else `0`.
    private static let pinAttribute = "user.apod-tools.pinned"

    /// Records in a file whether its entry is pinned. Without extended attributes, the pin is lost with the index.
    static func notePin(_ isPinned: Bool, in file: File) { _ = file.setAttribute(pinAttribute, isPinned ? "1" : "0") }

    static func isPinned(_ file: File) -> Bool { file.attribute(pinAttribute) == "1" }

    static func isVariant(_ file: String) -> Bool { file.dropFirst(32).hasPrefix(variantMark) }

    /// Returns the names of an original's files in a scope's folder, one for each content.
    func originals(_ name: String, folder: String) throws -> [String] {
        guard let scope = Self.scope(folder) else { return [] }
        return try names(in: "\(scope)/\(name.prefix(2))").filter {
            $0.hasPrefix(name) && Self.name(ofBlob: $0) == name && !Self.isVariant($0)
        }
    }

    /// Occurs in the names of previews, and in no other name in `partial/`.
    package static let previewMark = ".preview"

    /// The owner of a file in `partial/` or `locks/`: the `<scope>-<name>` at the start of its name.
    static func owner(of file: String) -> String? {
        let parts = file.split(separator: "-", maxSplits: 1)
        guard parts.count == 2, parts[0].utf8.isName, parts[1].utf8.prefix(32).isName else { return nil }
        return "\(parts[0])-\(parts[1].prefix(32))"
    }

    static func lock(owner: String) -> String { "\(locks)/\(owner)" }

    /// Creates the empty folder of a scope's next generation. If the index is lost, this folder is the only record that
    /// the earlier generations were purged (see `latestGeneration`).
    func beginGeneration(_ generation: Int64, of hash: String) {
        if let folder = Self.scope("\(hash)/g\(generation)") { try? makeFolder(folder) }
    }

    /// Removes the empty folders of a scope's generations, and returns their number. Called in a transaction that has
    /// found that no process needs such a folder.
    func removeEmptyGenerations(of hash: String) throws -> Int {
        guard let folder = Self.scope(hash) else { return 0 }
        let generations = try names(in: folder).filter { Self.isScopeFolder("\(hash)/\($0)") }
        // The folder of generation 0 contains the others.
        return (generations.map { "\(folder)/\($0)" } + [folder]).count(where: removeFolder)
    }

    // MARK: The index

    /// Suffixes of the files that SQLite creates beside a database.
    static let companions = ["-wal", "-shm", "-journal"]

    /// Whether the root has an index. Ignores an empty file, which never had any tables.
    var hasIndex: Bool { get throws { try file(Self.index).map { $0.bytes > 0 } ?? false } }

    /// Throws `UnsafePath` unless the index and each of its companions is missing or a plain file with a single link.
    /// SQLite itself would follow links.
    func checkIndex(_ name: String = CacheRoot.index) throws {
        guard let folder = try folder() else { return }
        for file in [name] + Self.companions.map({ name + $0 }) {
            guard let status = try folder.status(of: file) else { continue }
            if status.kind == .link { throw UnsafePath.link(path(of: file)) }
            if status.kind != .file || status.links > 1 { throw UnsafePath.notAPlainFile(path(of: file)) }
        }
    }

    /// Whether an earlier version created the index after the loss of another and has not recovered all files.
    var hasRebuildMark: Bool { get throws { try status(of: Self.rebuildMark) != nil } }

    /// The names of damaged indexes and their companions.
    var damagedIndexes: [String] {
        get throws { try names(in: ".").filter { $0.hasPrefix("\(Self.index).damaged") }.sorted() }
    }
}

extension Collection<UInt8> {
    /// Whether the text is 32 lower-case hexadecimal digits.
    var isName: Bool { count == 32 && isHexadecimal }

    fileprivate var isStamp: Bool { count == CacheRoot.stampLength && isHexadecimal }

    var isHexadecimal: Bool { allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) } }
}

/// A file of a root was removed or replaced while it was open, perhaps with the whole root.
package struct FileReplaced: Error {
    package init() {}
}
