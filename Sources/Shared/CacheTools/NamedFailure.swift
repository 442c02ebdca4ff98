import Formats
import Support

/// A failure whose message begins with its subject: an address or a file.
public struct NamedFailure: WrappingFailure {
    public let name: String
    public let reason: any Failure
    public let code: String

    /// - Parameter code: by default, the code of `reason`.
    public init(_ name: String, _ reason: any Failure, code: String? = nil) {
        self.name = name
        self.reason = reason
        self.code = code ?? reason.code
    }

    public var message: String { "\(name): \(reason.message)" }

    /// Runs `body`. Adds the name to a `FormatFailure` of `body`.
    static func naming<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as FormatFailure {
            throw NamedFailure(name, failure)
        }
    }
}
