/// The exit status of a tool, from BSD's `sysexits.h`, plus 1 for "not in the cache".
public enum ExitCode: Int32, Sendable, CaseIterable {
    /// Every record succeeded.
    case success = 0
    /// `get`, `has`, `path`, `cat`, `info`, `rm`, `pin`, `unpin`: not in the cache. `gallery --remove`: not in the
    /// gallery. `verify`: found damage.
    case absent = 1
    /// Unknown option, bad date or number.
    case usage = 64
    /// Input that is not JSON, not a picture, or damaged.
    case data = 65
    /// An input file cannot be opened.
    case noInput = 66
    /// Permanently refused (404, 410, other 4xx), or there is no picture.
    case unavailable = 69
    /// A fault of the tool itself.
    case software = 70
    /// An output cannot be created.
    case cannotCreate = 73
    /// An I/O error, including a full disk.
    case io = 74
    /// May succeed later: network down, timeout, 429, 5xx.
    case temporary = 75
    /// Not allowed: an invalid key or password, a blocked address or scheme, or an exceeded limit.
    case notAllowed = 77
    /// A bad configuration file or environment value, or a cache of a newer layout.
    case configuration = 78
}

/// Combines the failures of a run into its exit status: the status of the first permanent failure, else `temporary`.
public struct ExitTally: Sendable, Equatable {
    private var definite: Int32?
    private var sawTransient = false

    public init() {}

    public mutating func add(exit: Int32, isTransient: Bool) {
        guard exit != 0 else { return }
        if isTransient {
            sawTransient = true
        } else if definite == nil {
            definite = exit
        }
    }

    public mutating func add(_ later: ExitTally) {
        definite = definite ?? later.definite
        sawTransient = sawTransient || later.sawTransient
    }

    public mutating func add(_ failure: any Failure) {
        add(exit: failure.exitCode.rawValue, isTransient: failure.isTransient)
    }

    /// The exit status; 0 if nothing failed.
    public var status: Int32 { definite ?? (sawTransient ? ExitCode.temporary.rawValue : 0) }
}
