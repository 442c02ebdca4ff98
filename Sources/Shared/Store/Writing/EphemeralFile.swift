import Libc
import Support

/// An ephemeral file that is being written. Removed when the last reference is released, unless it was committed.
///
/// The file name is the only record of the lease: `<end of the lease>-<128 random bits>.<extension>`, with the end in
/// milliseconds since 1970. During writing, the extension is `part`, and the writer holds a lock on the file, so that
/// no other process removes the file as abandoned. Not thread-safe.
package final class EphemeralFile: Sink {
    private(set) var path: String
    private let folder: String
    private let token: String
    private let file: File
    private let use: MemoryUse?
    private var body: BodyWriter
    private let clock: Clock
    private let lease: Duration
    /// The end of the lease, once committed.
    private(set) var leaseUntil: Timestamp?

    /// The minimum lifetime of a partial file. Positive, so that a new file is not swept before it is locked.
    private static let grace: Duration = .seconds(60)

    /// Creates a file in `folder`, which is `RuntimePlaces.ephemeralFolder`.
    ///
    /// - Parameters:
    ///   - lease: the lifetime after the commit.
    ///   - use: the memory limit, if the folder is in memory.
    init(folder: String, lease: Duration, clock: Clock, use: MemoryUse? = nil) throws {
        self.folder = folder
        self.lease = lease
        self.clock = clock
        self.use = use
        token = (0..<16).map { _ in UInt8.random(in: 0...255) }.hexDigits
        path = EphemeralName(end: clock.now() + Self.grace, token: token, fileExtension: EphemeralName.partial)
            .path(in: folder)
        file = try File.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, purpose: .makeOutput)
        body = BodyWriter(file, use: use)
        guard try file.lock(LOCK_EX | LOCK_NB) else { throw SystemFailure(errno: EWOULDBLOCK, "lock \(path)") }
    }

    deinit {
        if leaseUntil == nil { path.withPathPointer { _ = unlink($0) } }
    }

    package var count: Int { body.count }

    package func write(_ bytes: RawSpan) throws { try body.write(bytes) }

    package func restart() throws {
        try file.truncate(to: 0)
        body = BodyWriter(file, use: use)
    }

    /// Opens the file again, to inspect the bytes written so far.
    package func reopened() throws -> File { try File.open(path, O_RDONLY) }

    /// Ends the body and returns its SHA-256.
    func finish() throws -> String { try body.finish() }

    /// Begins the file's lease and renames it to its final `path`. Throws `SystemFailure`, and `CacheFailure.fault` for
    /// an invalid extension.
    package func commit(_ picture: FileFacts) throws -> MadeFile {
        try CacheRoot.requireExtension(picture.fileExtension)
        let end = clock.now() + lease
        let place = EphemeralName(end: end, token: token, fileExtension: picture.fileExtension).path(in: folder)
        guard path.withPathPointer({ old in place.withPathPointer { rename(old, $0) } }) == 0 else {
            throw SystemFailure(errno: errno, "create \(place)", purpose: .makeOutput)
        }
        path = place
        leaseUntil = end
        return MadeFile(path: path, bytes: count, picture)
    }
}
