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

    public enum Item: Sendable, Equatable {
        case line(Line)
        /// One that is longer than a record may be.
        case bad(RecordReader.BadInput)
    }

    let file: File?
    /// Called before the reader may have to wait for more input.
    let willWait: () throws -> Void
    /// What has been read and not yet been used lies from `start` to `end`; the rest is room for more.
    private(set) var buffer: [UInt8]
    private(set) var start = 0
    private(set) var end: Int
    private(set) var atEnd: Bool
    private(set) var line = 1

    /// As much as a pipe holds by default on Linux.
    private static let readSize = 64 << 10
    private static let lineFeed = UInt8(ascii: "\n")
    /// What ends a line.
    private let lineEnd: UInt8

    /// - Parameters:
    ///   - endsInNUL: whether lines end with NUL instead of a line feed, as those of `find -print0` do.
    ///   - willWait: called each time before `next` reads on, when no whole line is left: the moment to flush what has
    ///     been written so far.
    public init(file: File, endsInNUL: Bool = false, willWait: @escaping () throws -> Void = {}) {
        self.file = file
        lineEnd = endsInNUL ? 0 : Self.lineFeed
        self.willWait = willWait
        buffer = [UInt8](repeating: 0, count: 2 * Self.readSize)
        end = 0
        atEnd = false
    }

    public init(bytes: [UInt8], endsInNUL: Bool = false) {
        file = nil
        lineEnd = endsInNUL ? 0 : Self.lineFeed
        willWait = {}
        buffer = bytes
        end = bytes.count
        atEnd = true
    }

    /// Whether what comes next are records, or no text at all, which a `RecordReader` says better: it begins with a
    /// brace or a bracket. Passes over a byte-order mark and blank lines. Throws `SystemFailure` when reading fails.
    public func beginsRecords() throws -> Bool {
        while end - start < 3, try fill() {}
        if buffer[start..<end].starts(with: [0xEF, 0xBB, 0xBF]) { start += 3 }
        while true {
            while start < end {
                switch buffer[start] {
                case Self.lineFeed:
                    line += 1
                    start += 1
                case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): start += 1
                case UInt8(ascii: "{"), UInt8(ascii: "["): return true
                default: return lineEnd != 0 && RecordReader.isBinary(buffer[start..<end])
                }
            }
            if try !fill() { return false }
        }
    }

    /// Whether `next` has a line to give without reading on.
    public var hasLine: Bool { buffer[start..<end].contains(lineEnd) }

    /// The next line; nil at the end. Throws `SystemFailure` when reading fails.
    public func next() throws -> Item? {
        var searched = 0
        while true {
            if let place = buffer[(start + searched)..<end].firstIndex(of: lineEnd) {
                defer { start = place + 1 }
                return take(through: place)
            }
            searched = end - start
            if searched > RecordReader.lengthLimit { return try skipTooLong() }
            if try fill() { continue }
            if searched == 0 { return nil }
            defer { start = end }
            return take(through: end)
        }
    }

    private func take(through place: Int) -> Item {
        defer { line += 1 }
        guard place - start <= RecordReader.lengthLimit else { return .bad(tooLong) }
        let hasReturn = lineEnd != 0 && place > start && buffer[place - 1] == UInt8(ascii: "\r")
        let text = String(pathBytes: buffer[start..<(hasReturn ? place - 1 : place)])
        return .line(Line(text: text, number: line))
    }

    /// Passes over a line that is longer than the limit without keeping it.
    private func skipTooLong() throws -> Item {
        let bad = tooLong
        repeat {
            if let place = buffer[start..<end].firstIndex(of: lineEnd) {
                start = place + 1
                line += 1
                break
            }
            start = end
        } while try fill()
        return .bad(bad)
    }

    private var tooLong: RecordReader.BadInput {
        RecordReader.BadInput(reason: .tooLong(limit: RecordReader.lengthLimit), line: line)
    }

    /// Reads what comes next; false at the end.
    private func fill() throws -> Bool {
        guard !atEnd, let file else { return false }
        try willWait()
        if buffer.count - end < Self.readSize {
            buffer.withUnsafeMutableBytes { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
            end -= start
            start = 0
            // Doubled only for a line that fills it, so that copying stays linear.
            if buffer.count - end < Self.readSize { buffer += [UInt8](repeating: 0, count: buffer.count) }
        }
        let got = try buffer.withUnsafeMutableBytes { bytes in
            try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
        }
        end += got
        atEnd = got == 0
        return got > 0
    }
}
