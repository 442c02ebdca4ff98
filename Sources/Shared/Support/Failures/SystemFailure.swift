import Libc

/// A failed system call, with its `errno`.
public struct SystemFailure: Failure, Equatable {
    /// The purpose of the call. The raw value is the failure's code if `words` has no code for the error number.
    public enum Purpose: String, Sendable {
        /// Opening an input that the user named: status 66.
        case openInput = "cannot-open"
        /// Creating an output that the user named: status 73.
        case makeOutput = "cannot-create"
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

    public var code: String { isConfined ? "confined" : Self.words(for: errno).code ?? purpose.rawValue }

    public var message: String {
        let sandbox =
            "; the sandbox allows only paths that options name; name this path in an option such as --allow-path,"
            + " or set APOD_TOOLS_CONFINEMENT=false"
        return "cannot \(action): \(systemMessage(errno))\(isConfined ? sandbox : Self.advice(for: errno))"
    }

    /// Returns the remedy for an error number, after `; `, or an empty text.
    public static func advice(for errno: Int32) -> String { words(for: errno).advice }

    private static func words(for errno: Int32) -> (code: String?, advice: String) {
        switch errno {
        case ENOSPC, EDQUOT: ("disk-full", "; free some space, then try again")
        case EFBIG: ("file-too-large", "")
        case EROFS: ("read-only", "; choose a writable folder")
        case EACCES, EPERM: ("permission", "; check the permissions of the file and the folders above it")
        case ENOENT: ("no-such-file", "")
        case EMFILE: ("too-many-files", "; use fewer --jobs or raise the limit of open files (ulimit -n)")
        case ENFILE: ("too-many-files", "; try again later")
        case ENOMEM: ("out-of-memory", "; try again when more memory is free")
        case EIO: (nil, "; check the disk and the system log")
        case ESTALE, ETIMEDOUT: (nil, "; try again when the file system responds")
        default: (nil, "")
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
    public var isBrokenPipe: Bool { errno == EPIPE }

    /// Whether a retry may succeed: the system is short of descriptors or memory, or a file server does not answer.
    public static func isTransient(_ errno: Int32) -> Bool {
        [EMFILE, ENFILE, ENOMEM, ESTALE, ETIMEDOUT].contains(errno)
    }

    public var isMissing: Bool { errno == ENOENT }

    /// Returns whether a failed lookup proves that the file does not exist: its name is missing, a component above it
    /// is not a folder, or the path contains a symbolic link that may not be followed.
    public static func provesAbsence(_ errno: Int32) -> Bool { [ENOENT, ENOTDIR, ELOOP].contains(errno) }
}
