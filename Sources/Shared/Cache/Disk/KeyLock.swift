#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Support

/// The right to do something alone, among all threads and processes: an exclusive `flock` on a file.
///
/// Each lock is an open file description of its own, so threads of one process exclude one another as processes do,
/// and the kernel lets go of it when its holder dies, whatever the cause. The file is removed by its holder; whoever
/// locked a file that had just been removed sees so by its count of links, and begins again.
final class KeyLock: Sendable {
    private let file: File
    private let removesFile: Bool
    /// Whether somebody else held it when it was first asked for.
    let wasContended: Bool

    /// Waits between two looks: doubling, so that a lock that is held for a moment is had at once, and one that is held
    /// for a download costs forty wake-ups a second. Asking rather than sleeping in `flock` lets a stopped run go at
    /// once.
    private static let firstWait: Duration = .milliseconds(1)
    private static let longestWait: Duration = .milliseconds(25)

    /// Takes the lock at `path`, waiting for it as long as need be. Throws `Cancelled` when the run is stopped, and what
    /// `whileWaiting` throws, which is called before each look but the first.
    convenience init(
        root: CacheRoot, path: String, removesFile: Bool = true, interruption: Interruption,
        whileWaiting: () throws -> Void = {}
    ) throws {
        var wait = Self.firstWait
        var contended = false
        while true {
            if let file = try Self.attempt(root: root, path: path) {
                self.init(file: file, removesFile: removesFile, wasContended: contended)
                return
            }
            contended = true
            try interruption.sleep(wait)
            try whileWaiting()
            wait = min(wait * 2, Self.longestWait)
        }
    }

    private init(file: File, removesFile: Bool, wasContended: Bool) {
        self.file = file
        self.removesFile = removesFile
        self.wasContended = wasContended
    }

    /// The lock at `path`, where nobody holds it now.
    static func ifFree(root: CacheRoot, path: String) throws -> KeyLock? {
        try attempt(root: root, path: path).map { KeyLock(file: $0, removesFile: true, wasContended: false) }
    }

    /// Removing the file first, while the lock is held: nobody else can be between opening it and locking it without
    /// noticing. Not so where the root was removed meanwhile: what stands there by now is somebody else's lock.
    deinit {
        if removesFile, file.isStillNamed { unlink(file.path) }
    }

    /// Whether somebody holds the lock at `path` now. Makes no file; whoever asks for the lock at this very moment tries
    /// once more.
    static func isHeld(at path: String) -> Bool {
        guard let file = try? File.open(path, O_RDONLY) else { return false }
        return flock(file.descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// The locked file; nil while somebody else holds it.
    private static func attempt(root: CacheRoot, path: String) throws -> File? {
        let file = try root.openToWrite(path, O_RDWR)
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            if errno != EINTR { throw SystemFailure(errno: errno, "lock \(path)") }
        }
        var status = stat()
        guard fstat(file.descriptor, &status) == 0 else { throw SystemFailure(errno: errno, "look at \(path)") }
        return status.st_nlink > 0 ? file : try attempt(root: root, path: path)
    }
}
