import CSystem
import Libc
import Support

/// The right to do something alone, among all threads and processes that use a root. The kernel takes it back when its
/// holder dies, whatever the cause.
///
/// Each right is the lock of a byte of one file, `locks/all`, which is never removed: taking one makes and removes
/// nothing. A system or file system without such locks (`csystem_has_byte_locks`) has a locked file for each right
/// instead.
package final class KeyLock: Sendable {
    private enum Holding: Sendable {
        case byte(LockTable.Byte)
        case file(LockedFile)
    }

    private let holding: Holding
    /// Whether somebody else held it when it was first asked for.
    package let wasContended: Bool

    /// Waits between two attempts: doubling, so that a lock that is held for a moment is taken at once, and one that is
    /// held for a download costs forty attempts a second. Trying again rather than waiting in the kernel lets a run
    /// stop at once.
    private static let firstWait: Duration = .milliseconds(1)
    private static let longestWait: Duration = .milliseconds(25)

    /// Locks this name. Waits as long as its holder makes progress. Throws `CacheFailure.stalled` if another
    /// process that holds it makes none for the work's limit, `Cancelled` when the run is stopped, `SystemFailure` if the
    /// file of locks cannot be made, and the errors of `whileWaiting`, which is called before each attempt but the first.
    convenience init(
        root: CacheRoot, _ name: String, for work: LockedWork = LockedWork(.maintenance, limit: busyPatience),
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
            // No thread of this process is stopped while this thread runs.
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

    /// The lock of this name, or nil if somebody holds it now. Throws `SystemFailure`.
    static func ifFree(root: CacheRoot, _ name: String) throws -> KeyLock? {
        try attempt(root, name).map { KeyLock($0, wasContended: false) }
    }

    /// Whether somebody holds the lock of this name now. Makes no file.
    package static func isHeld(root: CacheRoot, _ name: String) throws -> Bool {
        try root.locks.isHeld(name, in: root) ?? LockedFile.isLocked(name, in: root)
    }

    private static func attempt(_ root: CacheRoot, _ name: String) throws -> Holding? {
        switch try root.locks.take(name, in: root) {
        case .taken(let byte): .byte(byte)
        case .held: nil
        case .unsupported: try LockedFile(name, in: root, signedBy: getpid()).map(Holding.file)
        }
    }

    /// The process that holds the lock of this name; nil if it is free by now, or the system does not tell.
    private static func holder(_ root: CacheRoot, _ name: String) -> pid_t? {
        root.locks.holder(name, in: root) ?? LockedFile.holder(name, in: root)
    }
}

/// The byte locks that this process holds below one root.
///
/// They belong to one open file, so that the kernel keeps processes apart, and a set of names the threads of this one.
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

    /// A lock that is held until the last reference goes.
    final class Byte: Sendable {
        private let table: LockTable
        /// Another one than the table's if the root was removed since.
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

    /// How often a file of locks is opened again because it was replaced after it was locked: only a root that is
    /// removed again and again needs more.
    static let attempts = 16

    /// Takes the lock of a name if nobody holds it. Throws `SystemFailure`.
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
                // The root may have been removed under a running tool: others lock another file by now.
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

    /// Whether somebody holds the lock of a name; nil if there are no such locks.
    package func isHeld(_ name: String, in root: CacheRoot) throws -> Bool? {
        let offset = Self.offset(of: name)
        return try state.withLock { state throws in
            if state.isUnsupported { return nil }
            if state.taken.contains(offset) { return true }
            // To close another descriptor of the file would remove the signatures of this process.
            guard let file = try state.file ?? root.openIfPresent(Self.fileName) else { return false }
            switch csystem_is_byte_locked(file.descriptor, offset) {
            case 0: return false
            case 1: return true
            default:
                if Self.isUnsupported(errno) { return nil }
                throw SystemFailure(errno: errno, "look for a lock of \(file.path)")
            }
        }
    }

    /// Whether an error number means that the system or the file system has no locks of bytes.
    private static func isUnsupported(_ errno: Int32) -> Bool { [EINVAL, ENOTSUP, ENOLCK, ENOSYS].contains(errno) }

    /// The process that holds the lock of a name; nil if none does, or the system does not tell.
    func holder(_ name: String, in root: CacheRoot) -> pid_t? {
        let offset = Self.offset(of: name)
        return state.withLock { state in
            if state.taken.contains(offset) { return getpid() }
            guard let file = state.file else { return nil }
            let process = csystem_byte_signer(file.descriptor, Self.signature(of: offset))
            return process > 0 ? process : nil
        }
    }

    /// The byte by whose lock a holder tells its process ID.
    private static func signature(of offset: Int64) -> Int64 { offset ^ 1 }

    /// The byte of a name: 63 bits of its FNV-1a hash. Names hold digests, so that no two meet by chance.
    static func offset(of name: String) -> Int64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        return Int64(hash >> 1)
    }
}

/// An exclusive `flock` on a file that is made for it and removed by its holder. Anybody who has locked a file that was
/// removed in that moment finds no name for it, and begins again.
private final class LockedFile: Sendable {
    private let root: CacheRoot
    private let name: String
    private let file: File

    /// Nil while somebody else holds it.
    init?(_ name: String, in root: CacheRoot) throws {
        self.root = root
        self.name = name
        for _ in 0..<LockTable.attempts {
            let file = try root.openToWrite(name, O_RDWR)
            while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
                if errno == EWOULDBLOCK { return nil }
                if errno != EINTR { throw SystemFailure(errno: errno, "lock \(file.path)") }
            }
            if try FileStatus(of: file.descriptor, path: file.path).links > 0 {
                self.file = file
                return
            }
        }
        throw CacheFailure.replaced(root: root.path)
    }

    /// Removes the file first, while the lock is held: nobody else can be between opening it and locking it without
    /// noticing. If the root was removed meanwhile, the file of that name is another process's lock.
    deinit {
        if (try? root.has(file, as: name)) == true { root.remove(name) }
    }

    /// Locks the file and writes the process ID into it; nil if another process holds the lock.
    convenience init?(_ name: String, in root: CacheRoot, signedBy process: pid_t) throws {
        try self.init(name, in: root)
        // Others can do without, as on a full disk.
        try? PartialFile.truncate(file, to: 0)
        try? file.write(Array(String(process).utf8))
    }

    /// The process that wrote itself into the file.
    static func holder(_ name: String, in root: CacheRoot) -> pid_t? {
        guard let bytes = try? root.open(name, O_RDONLY).contents(atMost: 16) else { return nil }
        return pid_t(String(decoding: bytes, as: UTF8.self))
    }

    static func isLocked(_ name: String, in root: CacheRoot) throws -> Bool {
        guard let file = try root.openIfPresent(name) else { return false }
        return flock(file.descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
