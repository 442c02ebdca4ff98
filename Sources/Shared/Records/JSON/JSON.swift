import Support

/// A JSON value that is to be written.
public enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int)
    case string(String)
    case array([JSON])
    /// Members in the order in which they are written.
    case object([Member])
    /// Bytes that are one JSON value already, on one line.
    case raw([UInt8])

    public struct Member: Sendable, Equatable {
        public let name: String
        public let value: JSON

        public init(_ name: String, _ value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// An object without the members whose value is nil: absent rather than `null`.
    public static func object(_ members: KeyValuePairs<String, JSON?>) -> JSON {
        .object(members.compactMap { name, value in value.map { Member(name, $0) } })
    }

    /// Appends the value, without any blank.
    public func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes += "null".utf8
        case .bool(let value): bytes += (value ? "true" : "false").utf8
        case .integer(let value): bytes += String(value).utf8
        case .string(let text): Self.write(text, to: &bytes)
        case .array(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        case .raw(let raw): bytes += raw
        }
    }

    /// Appends a text; nearly all can go as they are.
    private static func write(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        let isPlain = text.withUTF8 { bytes in
            bytes.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
        }
        guard isPlain else {
            bytes += TerminalText.jsonString(text).utf8
            return
        }
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { bytes += $0 }
        bytes.append(UInt8(ascii: "\""))
    }

    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }
}
