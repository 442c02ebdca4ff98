import Libc
import Support

/// Reading and hashing of entry files.
package enum BlobStore {
    /// Returns the SHA-256 of a source in hexadecimal digits. Calls `check` before each piece and rethrows its error.
    package static func sha256(of source: some ByteSource, check: () throws -> Void = {}) throws -> String {
        var hash = try digest(of: source, check: check)
        return hash.finish()
    }

    /// Returns the hash state after the bytes of a source, so that more bytes can be added.
    package static func digest(of source: some ByteSource, check: () throws -> Void = {}) throws -> SHA256 {
        var hash = SHA256()
        try copy(source) { piece in
            try check()
            hash.update(piece)
        }
        return hash
    }

    /// Reads a source piece by piece, in constant memory.
    package static func copy(_ source: some ByteSource, to receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while true {
            let count = try source.read(into: buffer, at: offset)
            if count == 0 { return }
            try receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }
}

extension CacheRoot {
    /// Whether the entry's file has the size in the index, see `wholeFile`.
    package func isWhole(_ entry: Entry) throws -> Bool { try wholeFile(entry) != nil }

    /// Returns the status of an entry's file if it has the size in the index and, unless the root is shared, belongs to
    /// this user. Costs a single system call. Throws `SystemFailure` if that call fails, because the file may be
    /// intact.
    func wholeFile(_ entry: Entry) throws -> FileStatus? {
        guard let status = try file(entry.place), status.bytes == entry.bytes, isShared || status.owner == geteuid()
        else { return nil }
        return status
    }

    /// Whether the entry's file has the SHA-256 in the index. Reads the whole file.
    package func hasContent(of entry: Entry) throws -> Bool {
        guard let file = try openIfPresent(entry.place) else { return false }
        return try BlobStore.sha256(of: file) == entry.sha256
    }

    /// Opens the folder, one of 256 per scope, into which a file will be renamed, creating it if necessary. Called
    /// before the transaction, which then only renames. Throws `SystemFailure`, or `UnsafePlace` if other users can
    /// write to the folder.
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

    /// Creates a hard link to the file of an entry. Replaces a file that a killed process has left under the new name.
    /// Returns false if the file system has no hard links.
    func link(_ place: String, to other: String) throws -> Bool {
        _ = try folderToFill(other)
        remove(other)
        return try folder()?.hardLink(place, to: other) ?? false
    }

    /// Syncs all folders above a file, up to the root, so that its name is on the disk.
    func synchronizeFolders(of place: String) throws {
        guard let root = try folder() else { return }
        var name = place
        while let slash = name.lastIndex(of: "/") {
            name = String(name[..<slash])
            try root.folder(name).synchronize()
        }
        try root.synchronize()
    }

    /// Atomically renames a finished file into the folder from `folderToFill`. Returns the folder, opened again if it
    /// was removed in the meantime.
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
