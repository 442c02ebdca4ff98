import Libc
import Support

/// A file past the cache while it is written; it goes with the last reference, unless it is committed.
///
/// Its name is all that is known of it: `<end of the lease>-<128 random bits>.<extension>`, the end in milliseconds
/// since 1970. While it is written, the extension is `part` and its writer holds a lock on it, so that nobody takes it
/// for one that a killed run has left, however long the writing takes.
///
/// For one thread at a time.
package final class BypassFile: Sink {
    private(set) var path: String
    private let folder: String
    private let token: String
    private let file: BoundedFile
    private var hash = SHA256()
    private let clock: Clock
    private let lease: Duration
    /// When its lease ends; nil until it is committed.
    private(set) var leaseUntil: Timestamp?

    /// How long what a killed run has left stays at least. More than nothing, so that a new file is not swept before
    /// its writer has locked it.
    private static let grace: Duration = .seconds(60)

    /// Begins a file in `folder`, which is `RuntimePlaces.bypassFolder`.
    ///
    /// - Parameters:
    ///   - lease: how long it lasts once it is committed.
    ///   - use: bounds what it takes, if the folder is in memory.
    init(folder: String, lease: Duration, clock: Clock, use: MemoryUse? = nil) throws {
        self.folder = folder
        self.lease = lease
        self.clock = clock
        token = (0..<2).map { _ in
            let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
        path = BypassName(end: clock.now() + Self.grace, token: token, fileExtension: BypassName.partial)
            .path(in: folder)
        let file = try File.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, purpose: .makeOutput)
        self.file = BoundedFile(file, use: use)
        guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let failure = SystemFailure(errno: errno, "lock \(path)")
            path.withPathPointer { _ = unlink($0) }
            throw failure
        }
    }

    deinit {
        if leaseUntil == nil { path.withPathPointer { _ = unlink($0) } }
    }

    package var count: Int { file.count }

    package func write(_ bytes: RawSpan) throws {
        try file.write(bytes)
        bytes.withUnsafeBytes { hash.update($0) }
    }

    /// Forgets what was written so far: the same body comes once more.
    package func restart() throws {
        try file.restart()
        hash = SHA256()
    }

    /// The bytes so far, to be inspected.
    package func reopened() throws -> File { try File.open(path, O_RDONLY) }

    /// The digest of the bytes so far.
    var sha256: String {
        var hash = hash
        return hash.finish()
    }

    /// Begins the file's lease and gives it its lasting `path`. Throws `SystemFailure`, `CacheFailure.fault` for an
    /// extension that no file has.
    package func commit(_ picture: FileFacts) throws -> MadeFile {
        guard CacheRoot.isExtension(picture.fileExtension[...]) else {
            throw CacheFailure.fault(detail: "\(picture.fileExtension) is no extension for a file")
        }
        let end = clock.now() + lease
        let place = BypassName(end: end, token: token, fileExtension: picture.fileExtension).path(in: folder)
        guard path.withPathPointer({ old in place.withPathPointer { rename(old, $0) } }) == 0 else {
            throw SystemFailure(errno: errno, "put \(place) in place", purpose: .makeOutput)
        }
        path = place
        leaseUntil = end
        return MadeFile(path: path, bytes: count, picture)
    }
}
