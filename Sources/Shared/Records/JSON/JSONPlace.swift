/// The place in a text at which it stops being one JSON object.
public struct JSONPlace: Sendable, Equatable {
    /// Counted from 1.
    public let line: Int
    /// In bytes, counted from 1.
    public let column: Int
    private let reason: String

    /// `line 3, column 5: …`, with the reason as a clause.
    public var message: String { "line \(line), column \(column): \(reason)" }

    /// Returns where and why a text is not one JSON object; nil if it is one.
    public static func fault(in bytes: [UInt8]) -> JSONPlace? {
        var scanner = JSONScanner()
        let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let start = bytes.firstIndex { !isBlank($0) } ?? bytes.count
        if start < bytes.count, bytes[start] != UInt8(ascii: "{") {
            return JSONPlace(start, bytes, "a JSON object is expected, which begins with {")
        }
        switch bytes.withUnsafeBufferPointer({ scanner.scan($0) }) {
        case .needsMore: return JSONPlace(bytes.count, bytes, "the text ends before the JSON object does")
        case .invalid(let fault, let offset): return JSONPlace(offset, bytes, fault.words)
        case .complete(let end):
            let rest = bytes[end...].firstIndex { !isBlank($0) }
            return rest.map { JSONPlace($0, bytes, "nothing may follow the JSON object") }
        }
    }

    private init(_ offset: Int, _ bytes: [UInt8], _ reason: String) {
        let before = bytes[..<offset]
        line = before.count { $0 == 0x0A } + 1
        column = offset - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        self.reason = reason
    }
}

extension JSONFault {
    fileprivate var words: String {
        switch self {
        case .syntax: "this is not JSON"
        case .controlCharacter: "a string has a raw control character or line break; write it as \\n or \\u00XX"
        case .encoding: "a string is not valid UTF-8"
        case .depth: "arrays and objects are nested more than \(JSONScanner.maxDepth) levels deep"
        }
    }
}
