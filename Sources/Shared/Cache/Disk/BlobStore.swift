#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Support

/// The files of the entries.
enum BlobStore {
    /// Whether the entry's file is there with the size that the index says. One look at the file's metadata.
    static func isWhole(_ entry: Entry) -> Bool {
        var status = stat()
        return stat(entry.path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && Int(status.st_size) == entry.bytes
    }

    /// Whether the entry's file has the content that the index says. Reads all of it.
    static func hasContent(of entry: Entry) -> Bool {
        guard let file = try? File.open(entry.path, O_RDONLY) else { return false }
        return (try? sha256(of: file)) == entry.sha256
    }

    /// The name of an entry's file. The extension is checked, although it comes from the inspection: a path is made of
    /// it.
    static func file(_ name: String, _ picture: InspectedPicture) throws -> String {
        let allowed = "abcdefghijklmnopqrstuvwxyz0123456789"
        guard (1...8).contains(picture.fileExtension.count), picture.fileExtension.allSatisfy(allowed.contains) else {
            throw CacheFailure.fault(detail: "\(picture.fileExtension) is no extension for a file")
        }
        return "\(name).\(picture.fileExtension)"
    }

    /// The digest of all bytes of a source, in hexadecimal digits. `check` is called between two pieces, and what it
    /// throws ends it.
    static func sha256(of source: some ByteSource, check: () throws -> Void = {}) throws -> String {
        var hash = try digest(of: source, check: check)
        return hash.finish()
    }

    /// The digest of all bytes of a source, ready for more; `check` as above.
    static func digest(of source: some ByteSource, check: () throws -> Void = {}) throws -> SHA256 {
        var hash = SHA256()
        try copy(source) { piece in
            try check()
            hash.update(piece)
        }
        return hash
    }

    /// Gives all bytes of a source, piece by piece. The memory that takes does not depend on their number.
    static func copy(_ source: some ByteSource, to receive: (UnsafeRawBufferPointer) throws -> Void) throws {
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

    /// Makes the folder of a file that is about to be put in place, before anybody has to wait for that.
    static func prepare(_ path: String) throws {
        let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
        if access(folder, F_OK) != 0 { try CacheRoot.makeFolder(folder) }
    }

    /// Moves a finished file to its place, in one step. Its bytes must be on the disk already. The folder is not
    /// waited for: if the machine stops before it is written, the row finds no file, and the entry is fetched again.
    static func place(_ temporary: String, at path: String) throws {
        // A folder that was just made is empty, and whoever cleans at this moment removes it again.
        for _ in 0..<16 {
            if rename(temporary, path) == 0 { return }
            guard errno == ENOENT else { break }
            try prepare(path)
        }
        if rename(temporary, path) == 0 { return }
        throw SystemFailure(errno: errno, "put \(path) in place", purpose: .makeOutput)
    }

    /// Removes a file. One that is not there, or cannot be removed, is no failure: what has no row is swept later.
    static func remove(_ path: String) { unlink(path) }
}
