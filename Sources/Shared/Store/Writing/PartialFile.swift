import Libc
import Support

/// The file of a download that is in progress or was interrupted. Only the holder of the key's lock uses it.
///
/// A note beside the file identifies the version of the bytes. The note is removed before the file is truncated, and a
/// new note is written before new bytes, so a note never describes bytes of another version. A body received in a
/// single piece has no note. A note of another boot is invalid, because unsynced bytes may be missing in the middle of
/// the file.
package final class PartialFile: ByteSink {
    /// The name below the root.
    package let name: String
    package let root: CacheRoot
    private let use: MemoryUse?
    private var file: File?
    /// Writes the bytes of this attempt; nil before `resume` and `restart`, and after `forget`.
    private var body: BodyWriter?
    private var digest: String?
    /// Whether a note exists; nil if unknown.
    private var hasNote: Bool?

    /// - Parameter use: the memory limit, for a file in memory.
    package init(name: String, root: CacheRoot, use: MemoryUse? = nil) {
        self.name = name
        self.root = root
        self.use = use
    }

    /// Identifies the version of the bytes.
    package struct Note: Equatable {
        /// SHA-256 of the requested address.
        package var address: String
        /// The value of `If-Range`: a strong ETag, or a `Last-Modified` time that counts as strong (RFC 9110 §8.8.2.2).
        package var validator: String
        /// The length of the complete body, if the server reported it.
        package var total: Int?
        /// The boot in which the bytes were written, see `CacheRoot.boot`.
        package var boot: Int64

        package init(address: String, validator: String, total: Int? = nil, boot: Int64) {
            self.address = address
            self.validator = validator
            self.total = total
            self.boot = boot
        }

        fileprivate init?(_ bytes: [UInt8]) {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.count == 7, lines[0] == Self.magic, lines[5] == "end", let boot = Int64(lines[4]) else {
                return nil
            }
            self.init(address: String(lines[1]), validator: String(lines[2]), total: Int(lines[3]), boot: boot)
        }

        fileprivate var text: String {
            "\(Self.magic)\n\(address)\n\(validator)\n\(total.map(String.init) ?? "")\n\(boot)\nend\n"
        }

        private static let magic = "apod-tools partial 2"

        /// The validator as an ETag or a date.
        package var validators: Validators {
            validator.hasPrefix("\"") ? Validators(etag: validator) : Validators(lastModified: validator)
        }
    }

    private var noteName: String { name + CacheRoot.noteMark }

    /// Opens the file for reading and writing without changing it, creating it if necessary.
    @discardableResult
    package func open() throws -> File {
        if let file { return file }
        let opened = try root.openToWrite(name, O_RDWR)
        file = opened
        return opened
    }

    /// The number of bytes so far.
    package var count: Int { body?.count ?? 0 }

    /// Prepares to append to the bytes of an interrupted download of the same address. If the body is already complete,
    /// drops its last byte, because a request for an empty range would fail. Returns the note, or nil if there are no
    /// such bytes.
    package func resume(address: String, check: () throws -> Void) throws -> Note? {
        guard let note = try readNote(), note.address == address else { return nil }
        let file = try open()
        let start = note.total.map { min(file.count, $0 - 1) } ?? file.count
        guard start > 0 else { return nil }
        try file.truncate(to: start)
        body = BodyWriter(file, after: start, hash: try BlobStore.digest(of: file, check: check), use: use)
        return note
    }

    /// Removes all bytes and the note, and begins a new body. Throws `FileReplaced` if the file was replaced.
    package func restart() throws {
        let file = try open()
        (body, digest) = (nil, nil)
        let isEmpty = lseek(file.descriptor, 0, SEEK_END) == 0
        if !isEmpty || hasNote != false {
            guard try isInPlace() else { throw FileReplaced() }
            removeNote()
            if !isEmpty { try file.truncate(to: 0) }
        }
        body = BodyWriter(file, use: use)
    }

    /// Ends the body: further writes have no effect until `restart`.
    package func forget() { body = nil }

    /// Appends bytes to the body. Throws `SystemFailure`, `CacheFailure.memoryFull`.
    package func write(_ bytes: RawSpan) throws { try root.writing { try body?.write(bytes) } }

    /// Opens the file again for the inspection, because `File.count` is the size at the time of opening. Throws
    /// `FileReplaced` if the file was replaced.
    package func reopened() throws -> File {
        guard let same = try root.openIfPresent(name, O_RDWR), same.identity == file?.identity else {
            throw FileReplaced()
        }
        return same
    }

    /// Ends the body and returns its SHA-256. Throws `FileReplaced` if there is no body.
    package func finish() throws -> String {
        guard let body else { throw FileReplaced() }
        let found = try digest ?? body.finish()
        digest = found
        return found
    }

    /// Whether the opened file still has its name.
    package func isInPlace() throws -> Bool { try file.map { try root.has($0, as: name) } ?? false }

    /// Returns the note, or nil if it is missing, incomplete or of another boot.
    package func readNote() throws -> Note? {
        let file = try root.openIfPresent(noteName)
        hasNote = file != nil
        guard let note = try file.flatMap({ Note(try $0.bytes(0..<4096)) }), try note.boot == root.boot else {
            return nil
        }
        return note
    }

    /// The boot for a new note; nil if the file system may lose the bytes of a killed process.
    package var boot: Int64? { (try? root.boot).flatMap { $0 == 0 ? nil : $0 } }

    /// Removes the note, so that the download cannot be resumed.
    package func removeNote() {
        if hasNote != false { remove(noteName) }
        hasNote = false
    }

    /// Writes the note of a body that was just restarted. Throws `FileReplaced` if the file was replaced, because the
    /// note would describe another file.
    package func write(_ note: Note) throws {
        guard try isInPlace() else { throw FileReplaced() }
        hasNote = true
        try root.openToWrite(noteName, O_WRONLY | O_EXCL).write(Array(note.text.utf8))
    }

    /// Removes the bytes and the note.
    package func remove() {
        remove(name)
        removeNote()
    }

    // `unlink` locks the folder, which all downloads share, even if the file is missing.
    private func remove(_ name: String) {
        if (try? root.status(of: name)) != nil { root.remove(name) }
    }
}
