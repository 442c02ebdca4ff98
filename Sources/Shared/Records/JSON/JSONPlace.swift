/// The position and reason of the first error in a text that must be a single JSON object.
public struct JSONPlace: Sendable, Equatable {
    /// Counted from 1.
    public let line: Int
    /// Counted in bytes, from 1.
    public let column: Int
    private let reason: String

    /// For example `line 3, column 5: unexpected text after the JSON object`.
    public var message: String { "line \(line), column \(column): \(reason)" }

    /// Returns the first error, or nil if the text is a single JSON object.
    public static func fault(in bytes: [UInt8]) -> JSONPlace? {
        var scanner = JSONScanner()
        let isBlank = { (byte: UInt8) in [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
        let start = bytes.firstIndex { !isBlank($0) } ?? bytes.count
        if start < bytes.count, bytes[start] != UInt8(ascii: "{") {
            return JSONPlace(start, bytes, "expected a JSON object, which begins with {")
        }
        switch bytes.withUnsafeBufferPointer({ scanner.scan($0) }) {
        case .needsMore: return JSONPlace(bytes.count, bytes, "the JSON object is incomplete")
        case .invalid(let fault, let offset): return JSONPlace(offset, bytes, fault.message)
        case .complete(let end):
            let rest = bytes[end...].firstIndex { !isBlank($0) }
            return rest.map { JSONPlace($0, bytes, "unexpected text after the JSON object") }
        }
    }

    private init(_ offset: Int, _ bytes: [UInt8], _ reason: String) {
        let before = bytes[..<offset]
        line = before.count { $0 == 0x0A } + 1
        column = offset - (before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0) + 1
        self.reason = reason
    }
}
