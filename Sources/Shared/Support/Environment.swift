#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The environment variables of a process, as a value.
public struct Environment: Sendable, Equatable {
    public var variables: [String: String]

    public init(_ variables: [String: String] = [:]) { self.variables = variables }

    /// The variable's value; nil where it is unset or empty, which mean the same here.
    public subscript(_ name: String) -> String? {
        guard let value = variables[name], !value.isEmpty else { return nil }
        return value
    }

    /// What this process was started with.
    public static func ofProcess() -> Environment {
        var variables: [String: String] = [:]
        var entry = environ
        while let pointer = entry.pointee {
            let text = String(cString: pointer)
            if let equals = text.firstIndex(of: "=") {
                variables[String(text[..<equals])] = String(text[text.index(after: equals)...])
            }
            entry += 1
        }
        return Environment(variables)
    }
}
