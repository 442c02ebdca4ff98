import Libc

/// The environment variables of a process, or of a test.
public struct Environment: Sendable, ExpressibleByDictionaryLiteral {
    private let lookUp: @Sendable (String) -> String?

    public init(_ variables: [String: String] = [:]) { lookUp = { variables[$0] } }

    public init(dictionaryLiteral variables: (String, String)...) { self.init(Dictionary(variables) { $1 }) }

    private init(lookUp: @escaping @Sendable (String) -> String?) { self.lookUp = lookUp }

    /// The variable's value; nil if it is unset or empty.
    public subscript(_ name: String) -> String? {
        guard let value = lookUp(name), !value.isEmpty else { return nil }
        return value
    }

    /// Returns nil also for a relative path, which the XDG Base Directory Specification ignores.
    public func folder(_ name: String) -> String? { self[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }

    /// Returns the base directory in the XDG variable `name`, else `standard` below `HOME`; nil if neither is set.
    public func baseFolder(_ name: String, standard: String) -> String? {
        folder(name) ?? self["HOME"].map { "\($0)/\(standard)" }
    }

    /// The environment of this process. Values that are not UTF-8 are converted by `String(pathBytes:)`. Each variable
    /// is looked up when it is read, since a tool reads few variables.
    public static func ofProcess() -> Environment {
        Environment { name in getenv(name).map { String(pathPointer: $0) } }
    }
}
