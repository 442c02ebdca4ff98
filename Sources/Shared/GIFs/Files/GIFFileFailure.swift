import Formats
import Images
import Support

/// Why a file is of no use as a GIF, with its name.
public struct GIFFileFailure: Failure, Equatable {
    public let code: String
    public let message: String
    public let isTransient: Bool
    public let exitCode: ExitCode

    /// Of a file that `GIFAcceptance` would refuse, with the code that an answer of the service has for it.
    init(_ path: String, _ reason: FormatFailure) {
        self.init(path, reason, code: GIFFailure(reason).code)
    }

    /// Of one whose pixels cannot be drawn.
    init(_ path: String, _ reason: ImageError) {
        self.init(path, reason, code: reason.code)
    }

    private init(_ path: String, _ reason: some Failure, code: String) {
        self.code = code
        message = "\(path): \(reason.message)"
        isTransient = reason.isTransient
        exitCode = reason.exitCode
    }
}
