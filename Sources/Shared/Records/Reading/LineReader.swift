import Support

/// Reads lines of text as they arrive.
///
/// Lines end with LF or CRLF. With `endsInNUL`, they end with NUL, and LF and CR are ordinary bytes. The last line
/// needs no terminator. Memory: see `InputBuffer`. Methods throw `SystemFailure` if reading fails.
public final class LineReader {
    public struct Line: Sendable, Equatable {
        /// Decoded like a command-line argument (`String(pathBytes:)`).
        public let text: String
        /// Counted from 1.
        public let number: Int
    }

    public enum Item: Sendable {
        case line(Line)
        /// The line is longer than `RecordReader.lengthLimit`.
        case bad(LineFailure)
    }

    let input: InputBuffer
    private static let lineFeed = UInt8(ascii: "\n")
    private let lineEnd: UInt8

    /// - Parameters:
    ///   - endsInNUL: whether lines end with NUL instead of LF, as in the output of `find -print0`.
    ///   - willWait: called before a read that may block, also by a `RecordReader` that continues this reader. Flush
    ///     output here.
    public init(file: File, endsInNUL: Bool = false, willWait: @escaping () throws -> Void = {}) {
        input = InputBuffer(file: file, willWait: willWait)
        lineEnd = endsInNUL ? 0 : Self.lineFeed
    }

    public init(bytes: [UInt8]) {
        input = InputBuffer(bytes: bytes)
        lineEnd = Self.lineFeed
    }

    /// Returns whether the input is for a `RecordReader`: it begins with a brace, a bracket or binary data. First skips
    /// a byte-order mark and blank lines. Lines that end with NUL are never records, because a file name may begin with
    /// any character.
    public func beginsRecords() throws -> Bool {
        if lineEnd != Self.lineFeed { return false }
        try input.skipByteOrderMark()
        var indent = 0
        while indent <= RecordReader.lengthLimit, let byte = try input.peek(at: indent) {
            switch byte {
            case Self.lineFeed:
                input.line += 1
                input.start += indent + 1
                indent = 0
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): indent += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                input.start += indent
                return true
            default: return RecordReader.isBinary(input.unused)
            }
        }
        return false
    }

    /// Whether `next` can return a line without reading from the file.
    public var hasLine: Bool { input.unused.contains(lineEnd) }

    public func next() throws -> Item? {
        var searched = 0
        while true {
            if let place = input.unused.dropFirst(searched).firstIndex(of: lineEnd) {
                defer { input.start = place + 1 }
                return take(through: place)
            }
            searched = input.unused.count
            if searched > RecordReader.lengthLimit { return try skipTooLong() }
            if try input.fill() { continue }
            if searched == 0 { return nil }
            defer { input.start = input.end }
            return take(through: input.end)
        }
    }

    private func take(through place: Int) -> Item {
        defer { input.line += 1 }
        let bytes = input.bytes[input.start..<place]
        guard bytes.count <= RecordReader.lengthLimit else { return .bad(tooLong) }
        let hasReturn = lineEnd != 0 && bytes.last == UInt8(ascii: "\r")
        return .line(Line(text: String(pathBytes: hasReturn ? bytes.dropLast() : bytes), number: input.line))
    }

    /// Skips a line that is longer than the limit, without buffering it.
    private func skipTooLong() throws -> Item {
        let bad = tooLong
        if try input.skip(to: lineEnd) {
            input.start += 1
            input.line += 1
        }
        return .bad(bad)
    }

    private var tooLong: LineFailure {
        LineFailure(InputFailure.tooLong(limit: RecordReader.lengthLimit), line: input.line)
    }
}
