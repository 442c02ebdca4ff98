import Libc
import Support

/// An error of the cache.
public enum CacheFailure: Failure, Equatable {
    /// There is no entry with this key.
    case absent(key: String)
    /// There is no usable entry with this key, and the run is offline.
    case offline(key: String)
    /// The name of a scope is empty, too long, or has control characters.
    case badScope(reason: String)
    /// A key is empty, too long, or has control characters.
    case badKey(reason: String)
    /// The root was created or migrated by a later version.
    case newerLayout(found: Int, supported: Int, root: String)
    /// Neither an option nor the environment determines the root.
    case noRoot
    /// The root cannot be opened or created.
    case cannotMakeRoot(path: String, errno: Int32)
    /// The root belongs to another user and is not readable.
    case foreignRoot(path: String, owner: UInt32, user: UInt32)
    /// The root is a folder that is neither empty nor a cache.
    case notACache(root: String)
    /// The root was removed, and the sandbox no longer permits this process to create a new root.
    case rootRemoved(path: String)
    /// The root can be read, but not changed.
    case readOnly(root: String)
    /// The disk that holds the root is full.
    case diskFull(root: String)
    /// The index or another file of the root cannot be read or written; `errno` is the error number of the failed
    /// system call, or 0.
    case io(detail: String, root: String, errno: Int32 = 0)
    /// The index is damaged and cannot be replaced.
    case indexDamaged(detail: String, root: String)
    /// Other processes kept the index locked for too long; `process` is the last of these processes, if known.
    case busy(root: String, process: Int? = nil)
    /// The process that holds an entry's lock makes no progress; `process` is nil if unknown.
    case stalled(process: Int?, work: String, since: Timestamp)
    /// The scope was purged or another scope became current during the work.
    case scopeChanged(scope: String)
    /// There is no safe folder in memory.
    case noMemory(reason: String)
    /// The limit for pictures in memory is reached.
    case memoryFull(limit: Int)
    /// There is no safe folder for ephemeral files.
    case noRuntimeFolder(reason: String)
    /// A bug in the tool.
    case fault(detail: String)
}

extension CacheFailure {
    /// The root was removed during each of several attempts.
    static func replaced(root path: String) -> CacheFailure {
        .io(detail: "its folder was removed repeatedly", root: path)
    }

    /// The failure to open or create a root.
    static func root(_ path: String, errno: Int32) -> CacheFailure {
        Confinement.refused(path, flags: O_CREAT, errno: errno)
            ? .rootRemoved(path: path) : .cannotMakeRoot(path: path, errno: errno)
    }

    public var code: String {
        switch self {
        case .absent: "not-cached"
        case .offline: "offline"
        case .badScope: "bad-scope"
        case .badKey: "bad-key"
        case .newerLayout: "newer-layout"
        case .noRoot, .cannotMakeRoot: "cache-root"
        case .foreignRoot: "foreign-root"
        case .notACache: "not-a-cache"
        case .rootRemoved: "root-removed"
        case .readOnly: "cache-read-only"
        case .diskFull: "disk-full"
        case .io: "cache-io"
        case .indexDamaged: "cache-damaged"
        case .busy: "cache-busy"
        case .stalled: "holder-stalled"
        case .scopeChanged: "scope-changed"
        case .noMemory: "no-memory-folder"
        case .memoryFull: "memory-full"
        case .noRuntimeFolder: "no-runtime-folder"
        case .fault: "internal"
        }
    }

    public var message: String {
        switch self {
        case .absent(let key): "not in the cache: \(key)"
        case .offline(let key): "\(key) is not in the cache, or has expired; try again without --offline"
        case .badScope(let reason): "invalid scope name: \(reason)"
        case .badKey(let reason): "invalid key: \(reason)"
        case .newerLayout(let found, let supported, let root):
            "the cache at \(root) has layout \(found), but this version supports at most \(supported); use newer tools"
                + " or another --cache-dir"
        case .noRoot:
            "no folder for the cache; set HOME or XDG_CACHE_HOME to an absolute path, or name a folder with"
                + " --cache-dir"
        case .cannotMakeRoot(let path, let errno):
            "cannot open or create the cache folder \(path): \(systemMessage(errno)); choose another with --cache-dir"
        case .foreignRoot(let path, let owner, let user):
            "the cache at \(path) belongs to user \(owner), and you are user \(user); choose another with --cache-dir,"
                + " and share pictures with --remote file:///FOLDER"
        case .notACache(let root): "\(root) is not a cache; name an empty folder with --cache-dir"
        case .rootRemoved(let path): "the cache folder \(path) was removed during the run; try again"
        case .readOnly(let root): "the cache at \(root) is read-only; choose another with --cache-dir"
        case .diskFull(let root): "the disk is full; free some space for the cache at \(root)"
        case .io(let detail, let root, let errno):
            "cannot read or write the cache at \(root): \(detail)"
                + (errno == 0 ? "" : ": \(systemMessage(errno))\(SystemFailure.advice(for: errno))")
        case .indexDamaged(let detail, let root):
            "the index of the cache at \(root) is damaged and could not be replaced: \(detail); check the disk, then run"
                + " img-cache verify"
        case .busy(let root, let process?):
            "process \(process) has locked the index of the cache at \(root); resume or end it, then try again"
        case .busy(let root, nil): "the cache at \(root) is busy; try again later"
        case .stalled(let process, let work, let since):
            "\(process.map { "process \($0)" } ?? "another process") \(work) and has made no progress since"
                + " \(since.iso8601); resume or end that process, then try again"
        case .scopeChanged(let scope):
            "the scope \(scope) was emptied, or another scope became current, during the run; try again"
        case .noMemory(let reason):
            "there is no memory-backed folder for the policy memory (\(reason)); set XDG_RUNTIME_DIR, or use another"
                + " --policy"
        case .memoryFull(let limit):
            "the pictures in memory would exceed the \(limit) bytes of memory_capacity; try again after their leases"
                + " have expired, or raise memory_capacity in the configuration file"
        case .noRuntimeFolder(let reason):
            "there is no private folder for files outside the cache (\(reason)); set XDG_RUNTIME_DIR or TMPDIR"
        case .fault(let detail): "unexpected fault in the cache: \(detail)"
        }
    }

    public var exitCode: ExitCode {
        switch self {
        case .absent: .absent
        // Names in options are checked earlier, so this name comes from a record.
        case .badScope, .badKey: .data
        case .newerLayout, .notACache, .noRoot, .foreignRoot: .configuration
        case .cannotMakeRoot, .readOnly, .noMemory, .noRuntimeFolder: .cannotCreate
        case .io(_, _, let errno) where SystemFailure.isTransient(errno): .temporary
        case .diskFull, .io, .indexDamaged: .io
        case .offline, .busy, .stalled, .scopeChanged, .memoryFull, .rootRemoved: .temporary
        case .fault: .software
        }
    }
}
