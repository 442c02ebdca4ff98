import Formats
import Support

/// A failure with the name of what it is about in its message: of the address or file that bytes came from.
public struct NamedFailure: WrappingFailure {
    public let name: String
    public let reason: any Failure
    public let code: String

    /// - Parameter code: by default that of the reason.
    public init(_ name: String, _ reason: any Failure, code: String? = nil) {
        self.name = name
        self.reason = reason
        self.code = code ?? reason.code
    }

    public var message: String { "\(name): \(reason.message)" }

    /// Runs `body`, whose `FormatFailure` gets the name. Throws what `body` throws.
    static func naming<Result>(_ name: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let failure as FormatFailure {
            throw NamedFailure(name, failure)
        }
    }
}
