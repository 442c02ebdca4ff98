import Support

/// Reads lines of text as they arrive.
///
/// A line ends with a line feed, which the last one may lack; a carriage return before it goes with it. Or it ends with
/// NUL, and holds all other bytes.
/// Memory: one read's worth, more only while one line is longer than that.
public final class LineReader {
    public struct Line: Sendable, Equatable {
        /// Read as an argument is: one that is not UTF-8 as a path's text (`String(pathBytes:)`).
        public let text: String
        /// Counted from 1.
        public let number: Int
    }

    public enum Item: Sendable {
        case line(Line)
        /// One that is longer than a record may be.
        case bad(LineFailure)
    }

    let input: InputBuffer
    private static let lineFeed = UInt8(ascii: "\n")
    /// What ends a line.
    private let lineEnd: UInt8

    /// - Parameters:
    ///   - endsInNUL: whether lines end with NUL instead of a line feed, as those of `find -print0` do.
    ///   - willWait: called each time before `next`, or a `RecordReader` that continues, reads on, when nothing
    ///     complete is left: the moment to flush what has been written so far.
    public init(file: File, endsInNUL: Bool = false, willWait: @escaping () throws -> Void = {}) {
        input = InputBuffer(file: file, willWait: willWait)
        lineEnd = endsInNUL ? 0 : Self.lineFeed
    }

    public init(bytes: [UInt8]) {
        input = InputBuffer(bytes: bytes)
        lineEnd = Self.lineFeed
    }

    /// Whether what comes next are records, or no text at all, which a `RecordReader` says better: it begins with a
    /// brace or a bracket. Passes over a byte-order mark and blank lines. Throws `SystemFailure` when reading fails.
    public func beginsRecords() throws -> Bool {
        try input.skipByteOrderMark()
        while let byte = try input.peek() {
            switch byte {
            case Self.lineFeed:
                input.line += 1
                input.start += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): input.start += 1
            case UInt8(ascii: "{"), UInt8(ascii: "["): return true
            default: return lineEnd != 0 && RecordReader.isBinary(input.unused)
            }
        }
        return false
    }

    /// Whether `next` has a line to give without reading on.
    public var hasLine: Bool { input.unused.contains(lineEnd) }

    /// The next line; nil at the end. Throws `SystemFailure` when reading fails.
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

    /// Passes over a line that is longer than the limit without keeping it.
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
