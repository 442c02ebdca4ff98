import Libc

/// A system call that failed, with its `errno`.
public struct SystemFailure: Failure, Equatable {
    public enum Purpose: Sendable, Equatable {
        /// Opening something that the user named as input: status 66.
        case openInput
        /// Making something that the user named as output: status 73.
        case makeOutput
        /// Anything else: status 74.
        case io
    }

    public let errno: Int32
    public let purpose: Purpose
    /// What was attempted, as a verb phrase with its object: `open /tmp/x.jpg`.
    public let action: String
    /// Whether this process had given up the right to do it: see `Confinement`.
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
        if isConfined {
            return "; the tool has given up all that its options do not name: name the folder by one such as"
                + " --allow-path, or run it with --no-confinement"
        }
        return switch errno {
        case ENOSPC, EDQUOT: "; free some space and run it again"
        case EROFS: "; choose a place that can be written"
        case EMFILE, ENFILE: "; use fewer --jobs or raise the limit of open files"
        default: ""
        }
    }

    public var exitCode: ExitCode {
        switch (purpose, errno) {
        case (_, ENOSPC), (_, EDQUOT), (_, EIO), (_, EFBIG): .io
        case (.openInput, _): .noInput
        case (.makeOutput, _): .cannotCreate
        case (.io, _): .io
        }
    }
}

/// The system's own words for an error number, such as `No such file or directory`.
public func systemMessage(_ errno: Int32) -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
        strerror_r(errno, buffer.baseAddress!, buffer.count) == 0
            ? String(cString: buffer.baseAddress!) : "error \(errno)"
    }
}

extension SystemFailure {
    /// Whether the other end of a pipe or socket is closed, so that nobody reads what is written.
    public var isBrokenPipe: Bool { errno == EPIPE }

    /// Whether the file does not exist.
    public var isMissing: Bool { errno == ENOENT }
}
