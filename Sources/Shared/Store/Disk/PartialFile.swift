import Libc
import Support

/// A download in progress or interrupted. The process that holds the key's lock owns it.
///
/// A note beside the file names the version of the bytes. It is removed before the file is truncated and written before
/// new bytes, so bytes never have the note of another version. A body that arrives at once has no note. A restart of
/// the machine invalidates notes, because bytes that were not synced may be missing in the middle.
package final class PartialFile {
    /// Its name below the root.
    package let name: String
    package let root: CacheRoot
    /// Whether a note exists; nil if unknown.
    private var hasNote: Bool?

    package init(name: String, root: CacheRoot) {
        self.name = name
        self.root = root
    }

    package var path: String { root.path(of: name) }

    /// The version of the bytes.
    package struct Note: Equatable {
        /// SHA-256 of the requested address.
        package var address: String
        /// The value of `If-Range`: a strong ETag, or a `Last-Modified` that is as reliable.
        package var validator: String
        /// The length of the complete body, if the server reported it.
        package var total: Int?
        package var boot: String

        package init(address: String, validator: String, total: Int? = nil, boot: String) {
            self.address = address
            self.validator = validator
            self.total = total
            self.boot = boot
        }

        fileprivate init?(_ bytes: [UInt8]) {
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.count == 7, lines[0] == Self.magic, lines[5] == "end" else { return nil }
            self.init(
                address: String(lines[1]), validator: String(lines[2]), total: Int(lines[3]), boot: String(lines[4]))
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

    private var noteName: String { name + Self.noteMark }
    package static let noteMark = ".note"

    /// Opens the file for reading and writing without changing it.
    package func open() throws -> File { try root.openToWrite(name, O_RDWR) }

    /// Opens the file again, which has grown since `file` was opened. Throws `Lost` if it was replaced.
    package func reopen(_ file: File) throws -> File {
        guard let same = try root.openIfPresent(name, O_RDWR), same.identity == file.identity else { throw Lost() }
        return same
    }

    /// The root or the file was removed during the download.
    package struct Lost: Error {
        package init() {}
    }

    /// Returns the note, or nil if it is missing or incomplete.
    package func readNote() throws -> Note? {
        let file = try root.openIfPresent(noteName)
        hasNote = file != nil
        return try file.flatMap { Note(try $0.bytes(0..<4096)) }
    }

    /// Removes the note, so the bytes cannot be continued.
    package func removeNote() {
        if hasNote != false { remove(noteName) }
        hasNote = false
    }

    /// Empties `file`. Throws `Lost` if it was replaced.
    package func restart(_ file: File) throws {
        let isEmpty = lseek(file.descriptor, 0, SEEK_END) == 0
        if isEmpty, hasNote == false { return }
        guard try root.has(file, as: name) else { throw Lost() }
        removeNote()
        if !isEmpty { try Self.truncate(file, to: 0) }
    }

    /// Writes the note for `file`, which has been restarted. Throws `Lost` if it was replaced, as the note would then
    /// belong to another file.
    package func write(_ note: Note, of file: File) throws {
        guard try root.has(file, as: name) else { throw Lost() }
        hasNote = true
        try root.openToWrite(noteName, O_WRONLY | O_EXCL).write(Array(note.text.utf8))
    }

    package static func truncate(_ file: File, to count: Int) throws {
        while ftruncate(file.descriptor, off_t(count)) != 0 {
            if errno != EINTR { throw SystemFailure(errno: errno, "cut \(file.path)") }
        }
        if lseek(file.descriptor, off_t(count), SEEK_SET) < 0 {
            throw SystemFailure(errno: errno, "write \(file.path)")
        }
    }

    /// Removes the bytes and the note.
    package func remove() {
        remove(name)
        removeNote()
    }

    // Removing a missing file would also lock the folder, which all downloads share.
    private func remove(_ name: String) {
        if (try? root.status(of: name)) != nil { root.remove(name) }
    }

    /// An identifier of the current boot of the machine, if the system has one.
    package static let boot: String? = {
        #if canImport(Darwin)
        var name = [CChar](repeating: 0, count: 64)
        var size = name.count
        guard sysctlbyname("kern.bootsessionuuid", &name, &size, nil, 0) == 0 else { return nil }
        return String(cString: name)
        #else
        guard let file = try? File.open("/proc/sys/kernel/random/boot_id", O_RDONLY),
            let bytes = try? file.contents(atMost: 64)
        else { return nil }
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        #endif
    }()
}
