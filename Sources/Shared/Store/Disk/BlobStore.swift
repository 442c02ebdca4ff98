import Libc
import Support

/// Reading and hashing of entry files.
package enum BlobStore {
    /// Returns the SHA-256 of the source's bytes in hexadecimal digits. Calls `check` before each chunk and rethrows
    /// its error.
    package static func sha256(of source: some ByteSource, check: () throws -> Void = {}) throws -> String {
        var hash = try digest(of: source, check: check)
        return hash.finish()
    }

    /// Returns the unfinished hash of the source's bytes, so that the caller can add more bytes.
    package static func digest(of source: some ByteSource, check: () throws -> Void = {}) throws -> SHA256 {
        var hash = SHA256()
        try source.forEachPiece { piece in
            try check()
            hash.update(piece)
            return true
        }
        return hash
    }
}

extension CacheRoot {
    /// Whether the entry's file passes the checks of `wholeFile`.
    package func isWhole(_ entry: Entry) throws -> Bool { try wholeFile(entry) != nil }

    /// Returns the status of the entry's file if the file exists, has the size in the index and belongs to this user
    /// (or to any user, in a shared root); otherwise nil. Costs one system call. If the call fails, throws
    /// `SystemFailure` instead of returning nil, because the file may be intact.
    func wholeFile(_ entry: Entry) throws -> FileStatus? {
        guard let status = try file(entry.place), status.bytes == entry.bytes, isShared || status.owner == geteuid()
        else { return nil }
        return status
    }

    /// Whether the SHA-256 of the entry's file matches the index. Reads the whole file.
    package func hasContent(of entry: Entry) throws -> Bool {
        guard let file = try openIfPresent(entry.place) else { return false }
        return try BlobStore.sha256(of: file) == entry.sha256
    }

    /// Opens the folder for a new entry file (one of 256 per scope), creating it if necessary. Called before the
    /// transaction, which then only renames the file. Throws `SystemFailure`, or `UnsafePath` if other users can write
    /// to the folder.
    func folderToFill(_ place: String) throws -> Folder {
        let name = String(place[..<(place.lastIndex(of: "/") ?? place.endIndex)])
        if let found = try existing(name) { return found }
        try makeFolder(name)
        guard let made = try existing(name) else { throw SystemFailure(errno: ENOENT, "open \(path(of: name))") }
        return made
    }

    private func existing(_ name: String) throws -> Folder? {
        do {
            guard let folder = try folder()?.folder(name) else { return nil }
            try check(folder.status(), at: folder.path)
            return folder
        } catch let failure as SystemFailure where failure.isMissing {
            return nil
        }
    }

    /// Creates `other` as a hard link to an entry's file. If a killed process has left a file with that name, replaces
    /// it. Returns false if the file system does not support hard links.
    func link(_ place: String, to other: String) throws -> Bool {
        _ = try folderToFill(other)
        remove(other)
        return try folder()?.hardLink(place, to: other) ?? false
    }

    /// Syncs all folders from the file's folder up to the root, so that the file's name is on the disk.
    func synchronizeFolders(of place: String) throws {
        guard let root = try folder() else { return }
        var name = place
        while let slash = name.lastIndex(of: "/") {
            name = String(name[..<slash])
            try root.folder(name).synchronize()
        }
        try root.synchronize()
    }

    /// Renames a finished file into `folder`, which `folderToFill` opened. If the folder was removed in the meantime,
    /// creates it again. Returns the folder.
    func put(_ temporary: String, at place: String, in folder: Folder) throws -> Folder {
        let name = String(place[place.index(after: place.lastIndex(of: "/") ?? place.startIndex)...])
        var folder = folder
        // A concurrent `clean` may remove the folder while it is empty.
        for _ in 0..<16 {
            do {
                try rename(temporary, to: name, in: folder)
                return folder
            } catch let failure as SystemFailure where failure.isMissing {
                folder = try folderToFill(place)
            }
        }
        try rename(temporary, to: name, in: folder)
        return folder
    }
}
