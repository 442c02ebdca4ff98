import CSystem
import Libc
import Support

/// A named lock in a root, which one thread of one process can hold at a time. The kernel releases it when its holder
/// dies.
///
/// Each lock is on one byte of a single file, `locks/all`, which is never removed. On systems and file systems without
/// byte locks (`csystem_has_byte_locks`), each lock is a file with an `flock`.
package final class KeyLock: Sendable {
    /// A `LockTable.Byte` or a `LockedFile`, which holds the lock until its last reference is released.
    private typealias Holding = any AnyObject & Sendable

    private let holding: Holding
    /// Whether the first attempt found the lock held.
    package let wasContended: Bool

    /// The delay between attempts doubles up to the limit: a briefly held lock is acquired promptly, and waiting for a
    /// download costs forty attempts a second. A thread that waited in the kernel could not be interrupted.
    private static let firstWait: Duration = .milliseconds(1)
    private static let longestWait: Duration = .milliseconds(25)

    /// Waits for the lock as long as its holder makes progress. Calls `whileWaiting` before each further attempt and
    /// rethrows its error. Throws `CacheFailure.stalled` if another process makes no progress for the limit of `work`,
    /// `Cancelled` if the run is stopped, and `SystemFailure` if the file cannot be created.
    convenience init(
        root: CacheRoot, _ name: String, for work: LockedWork = LockedWork(.maintenance, limit: busyTimeout),
        interruption: Interruption, whileWaiting: () throws -> Void = {}
    ) throws {
        var wait = Self.firstWait
        var stall: Stall?
        while true {
            if let holding = try Self.attempt(root, name) {
                self.init(holding, wasContended: stall != nil)
                return
            }
            try interruption.sleep(wait)
            try whileWaiting()
            var current = stall ?? Stall()
            // If this process holds the lock, the holder cannot be suspended, so its progress is not checked.
            let holder = Self.holder(root, name)
            if holder != getpid() {
                try current.observe(work.progress(of: holder, in: root), after: wait, work: work)
            }
            stall = current
            wait = min(wait * 2, Self.longestWait)
        }
    }

    private init(_ holding: Holding, wasContended: Bool) {
        self.holding = holding
        self.wasContended = wasContended
    }

    /// Returns the lock with this name after acquiring it, or nil if it is held.
    static func ifFree(root: CacheRoot, _ name: String) throws -> KeyLock? {
        try attempt(root, name).map { KeyLock($0, wasContended: false) }
    }

    /// Whether the lock with this name is held. Creates no file.
    package static func isHeld(root: CacheRoot, _ name: String) throws -> Bool {
        try root.locks.isHeld(name, in: root) ?? LockedFile.isLocked(name, in: root)
    }

    private static func attempt(_ root: CacheRoot, _ name: String) throws -> Holding? {
        switch try root.locks.take(name, in: root) {
        case .taken(let byte): byte
        case .held: nil
        case .unsupported: try LockedFile(name, in: root)
        }
    }

    /// The process that holds the lock, if any and if the system reports it.
    private static func holder(_ root: CacheRoot, _ name: String) -> pid_t? {
        root.locks.holder(name, in: root) ?? LockedFile.holder(name, in: root)
    }
}

/// The byte locks of this process below one root. Kernel locks on a single open file exclude other processes; a set of
/// offsets excludes other threads.
final class LockTable: Sendable {
    private struct State {
        var file: File?
        var taken: Set<Int64> = []
        var isUnsupported = !csystem_has_byte_locks()
    }

    enum Attempt {
        case taken(Byte)
        case held
        case unsupported
    }

    /// A held lock, released with the last reference.
    final class Byte: Sendable {
        private let table: LockTable
        /// Differs from the table's file if the root was removed after this lock was taken.
        private let file: File
        private let offset: Int64

        fileprivate init(_ table: LockTable, _ file: File, _ offset: Int64) {
            (self.table, self.file, self.offset) = (table, file, offset)
            csystem_sign_byte(file.descriptor, LockTable.signature(of: offset), true)
        }

        deinit {
            csystem_sign_byte(file.descriptor, LockTable.signature(of: offset), false)
            csystem_unlock_byte(file.descriptor, offset)
            table.state.withLock { _ = $0.taken.remove(offset) }
        }
    }

    private let state = Monitor(State())

    static let fileName = "\(CacheRoot.locks)/all"

    /// The maximum number of attempts if the file is replaced before it is locked. Only a root that is removed
    /// repeatedly needs more.
    static let attempts = 16

    /// Locks the byte for this name if it is free.
    func take(_ name: String, in root: CacheRoot) throws -> Attempt {
        let offset = Self.offset(of: name)
        return try state.withLock { state throws in
            if state.isUnsupported { return .unsupported }
            if state.taken.contains(offset) { return .held }
            for _ in 0..<Self.attempts {
                let file = try state.file ?? root.openToWrite(Self.fileName, O_RDWR)
                state.file = file
                switch csystem_lock_byte(file.descriptor, offset) {
                case 1: break
                case 0: return .held
                default:
                    guard Self.isUnsupported(errno) else { throw SystemFailure(errno: errno, "lock \(file.path)") }
                    state.isUnsupported = true
                    return .unsupported
                }
                // If the root was removed during the run, other processes lock another file.
                do {
                    if try root.has(file, as: Self.fileName) {
                        state.taken.insert(offset)
                        return .taken(Byte(self, file, offset))
                    }
                } catch {
                    csystem_unlock_byte(file.descriptor, offset)
                    throw error
                }
                csystem_unlock_byte(file.descriptor, offset)
                state.file = nil
            }
            throw CacheFailure.replaced(root: root.path)
        }
    }

    /// Whether the lock is held; nil if byte locks are not supported.
    package func isHeld(_ name: String, in root: CacheRoot) throws -> Bool? {
        let offset = Self.offset(of: name)
        return try state.withLock { state throws in
            if state.isUnsupported { return nil }
            if state.taken.contains(offset) { return true }
            // Use the open file if there is one: closing a second descriptor would release the locks of
            // `csystem_sign_byte`.
            guard let file = try state.file ?? root.openIfPresent(Self.fileName) else { return false }
            switch csystem_is_byte_locked(file.descriptor, offset) {
            case 0: return false
            case 1: return true
            default:
                if Self.isUnsupported(errno) { return nil }
                throw SystemFailure(errno: errno, "query the locks of \(file.path)")
            }
        }
    }

    /// Whether an error number means that byte locks are not supported.
    private static func isUnsupported(_ errno: Int32) -> Bool { [EINVAL, ENOTSUP, ENOLCK, ENOSYS].contains(errno) }

    /// The process that holds the lock, if any and if the system reports it.
    func holder(_ name: String, in root: CacheRoot) -> pid_t? {
        let offset = Self.offset(of: name)
        return state.withLock { state in
            if state.taken.contains(offset) { return getpid() }
            guard let file = state.file else { return nil }
            let process = csystem_byte_signer(file.descriptor, Self.signature(of: offset))
            return process > 0 ? process : nil
        }
    }

    /// The byte whose lock reveals the holder's process ID (`csystem_sign_byte`).
    private static func signature(of offset: Int64) -> Int64 { offset ^ 1 }

    /// The byte for a name: 63 bits of its FNV-1a hash. Names contain digests, so collisions are not expected.
    static func offset(of name: String) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int64(hash >> 1)
    }
}

/// An exclusive `flock` on a file that its holder creates and removes. A process that locks a file just after its
/// removal sees a link count of 0 and starts again.
private final class LockedFile: Sendable {
    private let root: CacheRoot
    private let name: String
    private let file: File

    /// Locks the file and writes the process ID into it. Nil if the lock is held.
    init?(_ name: String, in root: CacheRoot) throws {
        self.root = root
        self.name = name
        for _ in 0..<LockTable.attempts {
            let file = try root.openToWrite(name, O_RDWR)
            if try !file.lock(LOCK_EX | LOCK_NB) { return nil }
            if try FileStatus(of: file.descriptor, path: file.path).links > 0 {
                // The ID is optional. Writing it can fail, for example on a full disk.
                try? file.truncate(to: 0)
                try? file.write(Array(String(getpid()).utf8))
                self.file = file
                return
            }
        }
        throw CacheFailure.replaced(root: root.path)
    }

    /// Removes the file while holding its lock. A process that has opened the file but not locked it yet then finds a
    /// link count of 0. If the root was replaced, the file with this name is another process's lock and stays.
    deinit {
        if (try? root.has(file, as: name)) == true { root.remove(name) }
    }

    static func holder(_ name: String, in root: CacheRoot) -> pid_t? {
        guard let bytes = try? root.open(name, O_RDONLY).contents(atMost: 16) else { return nil }
        return pid_t(String(decoding: bytes, as: UTF8.self))
    }

    static func isLocked(_ name: String, in root: CacheRoot) throws -> Bool {
        guard let file = try root.openIfPresent(name) else { return false }
        return (try? file.lock(LOCK_SH | LOCK_NB)) == false
    }
}
