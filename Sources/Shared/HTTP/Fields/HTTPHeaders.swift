import Support

/// A header field of a request. Its descriptions never show the value.
public struct HTTPHeader: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public let name: String
    public let value: String
    /// Whether the field is also sent after a redirect to another origin. False for the user's fields and for secrets;
    /// true for fields such as `Accept` and `If-None-Match`.
    public let survivesCrossOriginRedirect: Bool

    public init(_ name: String, _ value: String, survivesCrossOriginRedirect: Bool = false) {
        self.name = name
        self.value = value
        self.survivesCrossOriginRedirect = survivesCrossOriginRedirect
    }

    var isAuthorization: Bool { name.lowercased() == "authorization" }

    public var description: String { "\(name): (hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether name (a token, RFC 9110 §5.1) and value (§5.5) are valid. An invalid field could add lines to the
    /// request.
    public var isValid: Bool {
        let isToken = { (byte: UInt8) in byte.isLetter || byte.isDigit || "!#$%&'*+-.^_`|~".utf8.contains(byte) }
        return !name.isEmpty && name.utf8.allSatisfy(isToken)
            && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
}

/// The header fields of a response in order. Names are case-insensitive (RFC 9110 §5.1).
public struct HTTPHeaders: Sendable, Hashable {
    public private(set) var fields: [Field]

    public struct Field: Sendable, Hashable {
        public let name: String
        public internal(set) var value: String
    }

    public init(_ fields: [Field] = []) { self.fields = fields }

    public init(_ fields: KeyValuePairs<String, String>) {
        self.fields = fields.map { Field(name: $0.key, value: $0.value) }
    }

    /// Returns the value of a field; several fields of the same name are joined by `, ` (RFC 9110 §5.3).
    public subscript(name: String) -> String? {
        let name = name.lowercased()
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Returns the value of the last field of that name.
    public func last(_ name: String) -> String? {
        let name = name.lowercased()
        return fields.last { $0.name.lowercased() == name }?.value
    }

    public mutating func append(name: String, value: String) { fields.append(Field(name: name, value: value)) }

    /// The compression of the body (RFC 9110 §8.4.1, RFC 7932, RFC 8878, RFC 9842); nil if the body is not compressed,
    /// or if the server sends only unknown codings, as some servers do.
    var compression: String? {
        let known = ["gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd", "dcb", "dcz"]
        let codings = (self["Content-Encoding"] ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        return codings.first { known.contains(String($0)) }.map(String.init)
    }

    /// The value of `Content-Length`. Nil if it is not a number, or if repeated values differ (RFC 9110 §8.6).
    public var contentLength: Int? {
        guard let text = self["Content-Length"] else { return nil }
        let values = Set(text.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } })
        guard values.count == 1, let value = values.first else { return nil }
        return Int(digits: value)
    }

    /// The delay that `Retry-After` requests (RFC 9110 §10.2.3), in seconds or until a date; at least zero.
    func retryAfter(now: Timestamp) -> Duration? {
        guard let value = last("Retry-After") else { return nil }
        let text = value.drop { $0 == " " }
        if !text.isEmpty, text.utf8.allSatisfy(\.isDigit) {
            // At most a year, even if the number overflows.
            return .seconds(min(Int64(text) ?? .max, 31_536_000))
        }
        return HTTPDate.timestamp(String(text)).map { max($0 - now, .zero) }
    }
}
