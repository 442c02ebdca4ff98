import Libc
import Support

/// The files of the entries.
package enum BlobStore {
    /// The name of an entry's file. The extension is checked, although it comes from the inspection: a path is made of
    /// it.
    package static func file(_ name: String, _ picture: FileFacts) throws -> String {
        guard CacheRoot.isExtension(picture.fileExtension[...]) else {
            throw CacheFailure.fault(detail: "\(picture.fileExtension) is no extension for a file")
        }
        return "\(name).\(picture.fileExtension)"
    }

    /// The digest of all bytes of a source, in hexadecimal digits. `check` is called between two pieces, and what it
    /// throws ends it.
    package static func sha256(of source: some ByteSource, check: () throws -> Void = {}) throws -> String {
        var hash = try digest(of: source, check: check)
        return hash.finish()
    }

    /// The digest of all bytes of a source, ready for more; `check` as above.
    package static func digest(of source: some ByteSource, check: () throws -> Void = {}) throws -> SHA256 {
        var hash = SHA256()
        try copy(source) { piece in
            try check()
            hash.update(piece)
        }
        return hash
    }

    /// Gives all bytes of a source, piece by piece. The memory that takes does not depend on their number.
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
    /// Returns whether the entry's file has the size that the index has, and is this user's unless the root is shared.
    /// Costs one look at the file's metadata. Throws `SystemFailure` if that look fails: the file may be whole.
    package func isWhole(_ entry: Entry) throws -> Bool {
        guard let status = try file(entry.place) else { return false }
        return status.bytes == entry.bytes && (isShared || status.owner == geteuid())
    }

    /// Returns whether the entry's file has the content that the index has. Reads all of it. Throws `SystemFailure` if it
    /// cannot be read.
    package func hasContent(of entry: Entry) throws -> Bool {
        guard let file = try openIfPresent(entry.place) else { return false }
        return try BlobStore.sha256(of: file) == entry.sha256
    }

    /// Opens the folder of a file that is about to be put in place, and makes it where it is missing, before anybody
    /// has to wait for that. Throws `SystemFailure`, and `UnsafePlace` if others may write to one that is there.
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

    /// Moves a finished file to its place in the folder that `folderToFill` has opened, in one step, and returns the
    /// folder in which it lies then. The file's bytes must be on the disk already; its name is once the folder is
    /// synchronized. Throws `SystemFailure`, `UnsafePlace`.
    func put(_ temporary: String, at place: String, in folder: Folder) throws -> Folder {
        let name = String(place[place.index(after: place.lastIndex(of: "/") ?? place.startIndex)...])
        var folder = folder
        // A folder that was just made is empty, and the process that cleans at this moment removes it again.
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
