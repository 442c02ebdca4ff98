import Formats
import Images
import Support

/// What is wrong with a picture, with the picture's name in its message.
public struct PictureFailure: Failure {
    public let path: String
    public let reason: any Failure

    /// Failures that name a file already, or have nothing to do with the picture, stay as they are.
    public static func naming(_ path: String, _ failure: any Failure) -> any Failure {
        failure is ImageError || failure is FormatFailure ? PictureFailure(path: path, reason: failure) : failure
    }

    public init(path: String, reason: any Failure) {
        self.path = path
        self.reason = reason
    }

    public var code: String { reason.code }
    public var message: String { "\(path): \(reason.message)" }
    public var isTransient: Bool { reason.isTransient }
    public var exitCode: ExitCode { reason.exitCode }
}
