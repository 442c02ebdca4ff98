import Support

/// A line of standard input names a file, which only an argument may do.
public struct FileInLine: Failure {
    let path: String

    public init(path: String) { self.path = path }

    public var code: String { "path-not-allowed" }
    public var message: String {
        "\(path) is a file, which a line of standard input may not name; use xargs to make lines into arguments"
    }
    public var exitCode: ExitCode { .notAllowed }
}
