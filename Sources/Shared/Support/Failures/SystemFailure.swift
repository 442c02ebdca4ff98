import Libc

/// A failed system call, with its `errno`.
public struct SystemFailure: Failure, Equatable {
    public enum Purpose: Sendable, Equatable {
        /// Opening an input that the user named: status 66.
        case openInput
        /// Creating an output that the user named: status 73.
        case makeOutput
        /// Anything else: status 74.
        case io
    }

    public let errno: Int32
    public let purpose: Purpose
    /// The attempt, as a verb phrase with its object: `open /tmp/x.jpg`.
    public let action: String
    /// Whether the process had dropped the necessary right (`Confinement`).
    public let isConfined: Bool

    public init(errno: Int32, _ action: String, purpose: Purpose = .io, isConfined: Bool = false) {
        self.errno = errno
        self.action = action
        self.purpose = purpose
        self.isConfined = isConfined
    }

    public var code: String {
        if isConfined { return "confined" }
        return switch errno {
        case ENOSPC, EDQUOT: "disk-full"
        case EFBIG: "file-too-large"
        case EROFS: "read-only"
        case EACCES, EPERM: "permission"
        case ENOENT: "no-such-file"
        case EMFILE, ENFILE: "too-many-files"
        case ENOMEM: "out-of-memory"
        default:
            switch purpose {
            case .openInput: "cannot-open"
            case .makeOutput: "cannot-create"
            case .io: "io"
            }
        }
    }

    public var message: String { "cannot \(action): \(systemMessage(errno))\(advice)" }

    private var advice: String {
        isConfined
            ? "; the sandbox allows only paths that options name; use an option such as --allow-path, or"
                + " set APOD_TOOLS_CONFINEMENT=false"
            : Self.advice(for: errno)
    }

    /// Returns the remedy for an error number, after `; `, or an empty text.
    public static func advice(for errno: Int32) -> String {
        switch errno {
        case ENOSPC, EDQUOT: "; free some space, then try again"
        case EROFS: "; choose a writable folder"
        case EACCES, EPERM: "; check the permissions of the file and the folders above it"
        case EMFILE: "; use fewer --jobs or raise the limit of open files (ulimit -n)"
        case ENFILE: "; try again later"
        case ENOMEM: "; try again when more memory is free"
        case EIO: "; check the disk and the system log"
        case ESTALE, ETIMEDOUT: "; try again when the file system responds"
        default: ""
        }
    }

    public var exitCode: ExitCode {
        switch (purpose, errno) {
        case _ where Self.isTransient(errno): .temporary
        case (_, ENOSPC), (_, EDQUOT), (_, EIO), (_, EFBIG): .io
        case (.openInput, _): .noInput
        case (.makeOutput, _): .cannotCreate
        case (.io, _): .io
        }
    }
}

/// Returns the system's text for an error number, such as `No such file or directory`.
public func systemMessage(_ errno: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        strerror_r(errno, buffer.baseAddress!, buffer.count) == 0
            ? String(cString: buffer.baseAddress!) : "error \(errno)"
    }
}

extension SystemFailure {
    /// Whether the reading end of a pipe or socket is closed.
    public var isBrokenPipe: Bool { errno == EPIPE }

    /// Returns whether a retry may succeed without a repair: the system is short of descriptors or memory, or a file
    /// server does not answer.
    public static func isTransient(_ errno: Int32) -> Bool {
        switch errno {
        case EMFILE, ENFILE, ENOMEM, ESTALE, ETIMEDOUT: true
        default: false
        }
    }

    public var isMissing: Bool { errno == ENOENT }

    /// Returns whether a lookup that failed with this error proves that the file does not exist: its name is missing, a
    /// component above it is not a folder, or a symbolic link, which is never followed, is in the way.
    public static func provesAbsence(_ errno: Int32) -> Bool {
        switch errno {
        case ENOENT, ENOTDIR, ELOOP: true
        default: false
        }
    }
}
