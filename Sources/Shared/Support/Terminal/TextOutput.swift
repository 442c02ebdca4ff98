/// Writes untrusted text to standard output. Escapes control characters on a terminal, and leaves the bytes unchanged
/// in a pipe or a file. The callers never write pictures to a terminal. Methods throw `SystemFailure`.
public struct TextOutput: Sendable {
    public enum Form: Sendable {
        /// Escaped by `TerminalText.escaped`, except for newlines and tabs.
        case plain
        /// JSON, escaped as `\u00XX`, which does not change its value.
        case json
    }

    private let file: File
    public let isTerminal: Bool

    public init(_ file: File) {
        self.file = file
        isTerminal = Terminal.isTerminal(file.descriptor)
    }

    /// Opens standard output. Throws if it is closed.
    public static func standard() throws -> TextOutput { TextOutput(try File.standardOutput()) }

    public func write(_ text: String) throws(SystemFailure) { try write(Array(text.utf8), as: .plain) }

    /// - Parameter terminator: a line feed or NUL.
    public func write(line: [UInt8], endedBy terminator: UInt8) throws(SystemFailure) {
        try write(safe: (isTerminal ? Self.escaped(line, as: .plain) : line) + [terminator])
    }

    public func write(_ bytes: [UInt8], as form: Form) throws(SystemFailure) {
        try file.write(isTerminal ? Self.escaped(bytes, as: form) : bytes)
    }

    /// Writes bytes that are already escaped.
    public func write(safe bytes: [UInt8]) throws(SystemFailure) { try file.write(bytes) }

    /// Escapes the bytes from `start` if standard output is a terminal, for a later `write(safe:)`.
    public func escape(_ pending: inout [UInt8], from start: Int, as form: Form) {
        if isTerminal { pending.replaceSubrange(start..., with: Self.escaped(Array(pending[start...]), as: form)) }
    }

    /// Escapes control characters. Bytes that are not UTF-8 become `\xNN`, or U+FFFD in JSON.
    static func escaped(_ bytes: [UInt8], as form: Form) -> [UInt8] {
        if bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7F || $0 == 0x0A || $0 == 0x09 }) { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 64)
        var parser = UTF8.ForwardParser()
        var rest = bytes.makeIterator()
        var place = 0
        while true {
            switch parser.parseScalar(from: &rest) {
            case .valid(let encoded):
                append(UTF8.decode(encoded), as: form, to: &result)
                place += encoded.count
            case .error(let length):
                for byte in bytes[place..<place + length] {
                    result += form == .json ? "\u{FFFD}".utf8 : ForeignByte.words(for: byte).utf8
                }
                place += length
            case .emptyInput: return result
            }
        }
    }

    private static func append(_ scalar: Unicode.Scalar, as form: Form, to result: inout [UInt8]) {
        switch scalar {
        case "\n", "\t": result.append(UInt8(scalar.value))
        case "\r" where form == .plain: result.append(UInt8(ascii: " "))
        case _ where scalar.isUnseen:
            result += (form == .json ? TerminalText.jsonEscape(scalar) : TerminalText.escaped(String(scalar))).utf8
        default: result += UTF8.encode(scalar)!
        }
    }
}

extension File {
    /// Throws `SystemFailure` if standard output is closed.
    public static func standardOutput() throws -> File {
        try File(descriptor: 1, path: "standard output", closes: false)
    }
}
