/// One header field of a request. Its descriptions never show the value.
public struct HTTPHeader: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    public let name: String
    public let value: String
    /// Whether the field is also sent if a redirect leads to another origin. False for everything that a user gave and
    /// for every secret, which go to the request's own origin only; true for `Accept`, `If-None-Match` and their like.
    public let crossesOrigins: Bool

    public init(_ name: String, _ value: String, crossesOrigins: Bool = false) {
        self.name = name
        self.value = value
        self.crossesOrigins = crossesOrigins
    }

    var isAuthorization: Bool { name.lowercased() == "authorization" }

    public var description: String { "\(name): (hidden)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether name (RFC 9110 §5.1, a token) and value (§5.5) can be sent without adding lines to the request.
    public var isValid: Bool {
        let isToken = { (byte: UInt8) in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
        return !name.isEmpty && name.utf8.allSatisfy(isToken)
            && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
}

/// The header fields of a response in their order. Names are compared without regard to case (RFC 9110 §5.1).
public struct HTTPHeaders: Sendable, Hashable {
    public private(set) var fields: [Field]

    public struct Field: Sendable, Hashable {
        public let name: String
        public internal(set) var value: String

        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    public init(_ fields: [Field] = []) { self.fields = fields }

    public init(_ fields: KeyValuePairs<String, String>) {
        self.fields = fields.map { Field(name: $0.key, value: $0.value) }
    }

    /// The value of the field, or nil if there is none; several fields of the same name are joined by `, ` (RFC 9110
    /// §5.3).
    public subscript(name: String) -> String? {
        let name = name.lowercased()
        let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// The value of the last field of that name, for fields that have one value rather than a list.
    public func last(_ name: String) -> String? {
        let name = name.lowercased()
        return fields.last { $0.name.lowercased() == name }?.value
    }

    public mutating func append(name: String, value: String) { fields.append(Field(name: name, value: value)) }

    /// The coding by which the body is compressed (RFC 9110 §8.4.1, RFC 7932, RFC 8878, RFC 9842); nil if it is not
    /// compressed, or if the field has a word that is no such coding, as with some servers.
    var compression: String? {
        let known = ["gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd", "dcb", "dcz"]
        let codings = (self["Content-Encoding"] ?? "").lowercased().split { $0 == "," || $0 == " " || $0 == "\t" }
        return codings.first { known.contains(String($0)) }.map(String.init)
    }

    /// `Content-Length` if it is one number, which may be repeated (RFC 9110 §8.6); else nil.
    public var contentLength: Int? {
        guard let text = self["Content-Length"] else { return nil }
        let values = Set(text.split(separator: ",").map { $0.filter { $0 != " " && $0 != "\t" } })
        guard values.count == 1, let value = values.first, value.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 })
        else { return nil }
        return Int(value)
    }
}
