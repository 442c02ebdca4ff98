import Libc
import Support

/// The right to do something alone, among all threads and processes: an exclusive `flock` on a file.
///
/// Each lock is an open file description of its own, so threads of one process exclude one another as processes do,
/// and the kernel lets go of it when its holder dies, whatever the cause. The file is removed by its holder; whoever
/// locked a file that had just been removed sees so by its count of links, and begins again.
final class KeyLock: Sendable {
    private let root: CacheRoot
    private let name: String
    private let file: File
    private let removesFile: Bool
    /// Whether somebody else held it when it was first asked for.
    let wasContended: Bool

    /// Waits between two looks: doubling, so that a lock that is held for a moment is had at once, and one that is held
    /// for a download costs forty wake-ups a second. Asking rather than sleeping in `flock` lets a stopped run go at
    /// once.
    private static let firstWait: Duration = .milliseconds(1)
    private static let longestWait: Duration = .milliseconds(25)

    /// Takes the lock of this name, waiting for it as long as need be. Throws `Cancelled` when the run is stopped, and
    /// what `whileWaiting` throws, which is called before each look but the first.
    convenience init(
        root: CacheRoot, _ name: String, removesFile: Bool = true, interruption: Interruption,
        whileWaiting: () throws -> Void = {}
    ) throws {
        var wait = Self.firstWait
        var contended = false
        while true {
            if let file = try Self.attempt(root, name) {
                self.init(root, name, file: file, removesFile: removesFile, wasContended: contended)
                return
            }
            contended = true
            try interruption.sleep(wait)
            try whileWaiting()
            wait = min(wait * 2, Self.longestWait)
        }
    }

    private init(_ root: CacheRoot, _ name: String, file: File, removesFile: Bool, wasContended: Bool) {
        self.root = root
        self.name = name
        self.file = file
        self.removesFile = removesFile
        self.wasContended = wasContended
    }

    /// The lock of this name, where nobody holds it now.
    static func ifFree(root: CacheRoot, _ name: String) throws -> KeyLock? {
        try attempt(root, name).map { KeyLock(root, name, file: $0, removesFile: true, wasContended: false) }
    }

    /// Removing the file first, while the lock is held: nobody else can be between opening it and locking it without
    /// noticing. Not so where the root was removed meanwhile: what stands there by now is somebody else's lock.
    deinit {
        if removesFile, root.has(file, as: name) { root.remove(name) }
    }

    /// Whether somebody holds the lock of this name now. Makes no file; one who asks for the lock at this very moment
    /// tries once more.
    static func isHeld(root: CacheRoot, _ name: String) -> Bool {
        guard let file = try? root.open(name, O_RDONLY) else { return false }
        return flock(file.descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// The locked file; nil while somebody else holds it.
    private static func attempt(_ root: CacheRoot, _ name: String) throws -> File? {
        while true {
            let file = try root.openToWrite(name, O_RDWR)
            switch try lock(file) {
            case .locked: return file
            case .held: return nil
            case .removed: continue
            }
        }
    }

    enum Attempt { case locked, held, removed }

    /// Locks an open file. One that was removed since it was opened is of no use: others lock another one by now.
    static func lock(_ file: File) throws -> Attempt {
        while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return .held }
            if errno != EINTR { throw SystemFailure(errno: errno, "lock \(file.path)") }
        }
        return try FileStatus(of: file.descriptor, path: file.path).links > 0 ? .locked : .removed
    }
}
