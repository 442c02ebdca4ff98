import Formats
import Images
import Support

/// What is wrong with a picture, with the picture's name in its message.
struct PictureFailure: Failure {
    let path: String
    let reason: any Failure

    /// Failures that name a file already, or have nothing to do with the picture, stay as they are.
    static func naming(_ path: String, _ failure: any Failure) -> any Failure {
        failure is ImageError || failure is FormatFailure ? PictureFailure(path: path, reason: failure) : failure
    }

    var code: String { reason.code }
    var message: String { "\(path): \(reason.message)" }
    var isTransient: Bool { reason.isTransient }
    var exitCode: ExitCode { reason.exitCode }
}
