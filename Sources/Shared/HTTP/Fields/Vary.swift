import Support

/// The user's request fields that selected an answer (`Vary`, RFC 9110 §12.5.5), with a digest of their values. The
/// tools' own fields are the same in each request.
public struct Vary: Sendable, Equatable {
    /// The maximum length of the names in bytes; a longer list is treated as `*`.
    private static let byteLimit = 1024

    /// In lower case, sorted; nil for `*`.
    private let names: [String]?
    private let digest: String

    /// Returns nil if every request gets the same answer.
    ///
    /// - Parameter fields: the request's fields, see `HTTPRequest.userFields`.
    public init?(of headers: HTTPHeaders, fields: [String: String]) {
        let members = Set((headers["Vary"] ?? "").lowercased().split { ", \t".contains($0) }.map(String.init))
        // The tools, not the user, choose the accepted codings.
        let names = members.subtracting(["accept-encoding"]).sorted()
        if names.isEmpty { return nil }
        let isNamed = !names.contains("*") && names.joined(separator: ",").utf8.count <= Self.byteLimit
        self.init(names: isNamed ? names : nil, fields)
    }

    private init(names: [String]?, _ fields: [String: String]) {
        self.names = names
        digest = names.map { String(SHA256.hex(of: Self.text(of: $0, in: fields)).prefix(16)) } ?? ""
    }

    /// Parses `text`; invalid text is treated as `*`.
    public init(text: String) {
        let parts = text.split(separator: " ")
        names = parts.count == 2 ? parts[0].split(separator: ",").map(String.init) : nil
        digest = parts.count == 2 ? String(parts[1]) : ""
    }

    /// The text stored in the index: `accept-language,cookie 0123456789abcdef`, or `*`.
    public var text: String { names.map { "\($0.joined(separator: ",")) \(digest)" } ?? "*" }

    /// Whether a request with these fields gets the same answer (RFC 9111 §4.1). Nil for `*`: only the server knows.
    public func matches(_ fields: [String: String]) -> Bool? { names.map { _ in renewed(by: fields) == self } }

    /// Returns a `Vary` with the same names and the digest of another request's values.
    public func renewed(by fields: [String: String]) -> Vary { Vary(names: names, fields) }

    /// An absent field differs from an empty field.
    private static func text(of names: [String], in fields: [String: String]) -> String {
        names.map { name in fields[name].map { "\(name):\($0)\n" } ?? "\(name)\n" }.joined()
    }
}
