import Support

/// Reads records as they arrive: NDJSON, objects one after the other in any layout, or arrays of objects.
///
/// What is not an object comes out as `.bad`, with the line on which it began, and reading goes on: on the next line,
/// or, where the damage was noticed lines later, on the first line that begins like a record. Memory: one read's worth,
/// more only while one record is longer than that.
public final class RecordReader {
    public enum Item: Sendable, Equatable {
        case record(Record)
        case bad(BadInput)
    }

    /// Something in the input that is no record.
    public struct BadInput: LineFailure, Equatable {
        public let reason: InputFailure
        /// Counted from 1.
        public let line: Int

        public var code: String { reason.code }
        public var message: String { "line \(line): \(reason.message)" }
        public var exitCode: ExitCode { reason.exitCode }
    }

    /// Longer records are refused (16 MiB).
    public static let lengthLimit = 16 << 20
    /// As much as a pipe holds by default on Linux.
    private static let readSize = 64 << 10
    /// Eight blanks for each level that the scanner allows.
    private static let deepestIndent = 8 * JSONScanner.maxDepth

    private let file: File?
    /// Called before the reader may have to wait for more input.
    private let willWait: () throws -> Void
    /// What has been read and not yet been used lies from `start` to `end`; the rest is room for more.
    private var buffer: [UInt8]
    private var start = 0
    private var end: Int
    private var atEnd: Bool
    private var line = 1
    /// The line on which the last record began.
    private(set) var recordLine = 1
    private var scanner = JSONScanner()
    private var inArray = false
    private var isFirst = true

    /// - Parameter willWait: called each time before `next` reads on, when nothing complete is left: the moment to
    ///   flush what has been written so far.
    public init(file: File, willWait: @escaping () throws -> Void = {}) {
        self.file = file
        self.willWait = willWait
        buffer = [UInt8](repeating: 0, count: 2 * Self.readSize)
        end = 0
        atEnd = false
    }

    public init(bytes: [UInt8]) {
        file = nil
        willWait = {}
        buffer = bytes
        end = bytes.count
        atEnd = true
    }

    /// Goes on where a reader of lines has come to.
    public init(continuing lines: LineReader) {
        file = lines.file
        willWait = lines.willWait
        buffer = lines.buffer
        start = lines.start
        end = lines.end
        atEnd = lines.atEnd
        line = lines.line
    }

    /// The next record or bad piece; nil at the end. Throws `SystemFailure` when reading fails.
    public func next() throws -> Item? {
        if isFirst {
            isFirst = false
            if try beginsBinary() {
                (start, atEnd) = (end, true)
                return .bad(BadInput(reason: .binary, line: 1))
            }
            try skipByteOrderMark()
        }
        while true {
            guard let byte = try peek() else {
                if inArray {
                    inArray = false
                    return .bad(BadInput(reason: .unfinished, line: line))
                }
                return nil
            }
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                start += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): start += 1
            case UInt8(ascii: ",") where inArray: start += 1
            case UInt8(ascii: "]") where inArray:
                inArray = false
                start += 1
            case UInt8(ascii: "[") where !inArray:
                inArray = true
                start += 1
            default: return try value()
            }
        }
    }

    /// Reads the value that begins at `start`.
    private func value() throws -> Item {
        scanner.reset()
        recordLine = line
        var verdict = JSONScanner.Verdict.needsMore
        while true {
            verdict = buffer.withUnsafeBufferPointer { scanner.scan($0.baseAddress! + start, count: end - start) }
            guard verdict == .needsMore else { break }
            if end - start > Self.lengthLimit { return try skipTooLong() }
            if try !fill() {
                verdict = scanner.finish(count: end - start)
                break
            }
        }
        switch verdict {
        case .complete(let length):
            defer { advance(past: length) }
            func bad(_ reason: InputFailure) -> Item { .bad(BadInput(reason: reason, line: line)) }
            guard length <= Self.lengthLimit else { return bad(.tooLong(limit: Self.lengthLimit)) }
            guard buffer[start] == UInt8(ascii: "{") else { return bad(.notAnObject) }
            guard !scanner.hasTooManyFields else { return bad(.tooManyFields(limit: JSONScanner.maxFields)) }
            return .record(record(length: length))
        case .invalid(let fault, let offset):
            let bad = BadInput(reason: .notJSON(fault), line: line)
            try resume(afterFaultAt: offset)
            return .bad(bad)
        case .needsMore:
            let bad = BadInput(reason: .unfinished, line: line)
            inArray = false
            try resume(afterFaultAt: end - start)
            return .bad(bad)
        }
    }

    private func record(length: Int) -> Record {
        guard scanner.hasLineBreak else {
            return Record(line: Array(buffer[start..<start + length]), fields: scanner.fields)
        }
        let folded = Self.withoutLineBreaks(buffer[start..<start + length])
        var again = JSONScanner()
        _ = folded.withUnsafeBufferPointer { again.scan($0.baseAddress!, count: $0.count) }
        return Record(line: folded, fields: again.fields)
    }

    private func advance(past length: Int) {
        start += length
        line += scanner.lineFeeds
    }

    // MARK: After a fault

    /// Goes on after a value that broke at `offset`.
    ///
    /// Damage that shows on the line where the value began costs that line. Damage that shows later (a line cut short
    /// swallows the beginning of the next one; a pretty-printed object has a slip in the middle) costs all up to the
    /// next line that begins with a brace and is indented no deeper than the broken value was.
    private func resume(afterFaultAt offset: Int) throws {
        let fault = start + offset
        guard let firstBreak = buffer[start..<min(fault, end)].firstIndex(of: UInt8(ascii: "\n")) else {
            return try skipLine(from: fault)
        }
        let indent = start - lineStart(of: start)
        start = firstBreak + 1
        line += 1
        while true {
            var column = 0
            while column <= indent, let byte = try peek(at: column), Self.isIndent(byte) { column += 1 }
            guard let byte = try peek(at: column) else {
                start = end
                return
            }
            if byte == UInt8(ascii: "{"), column <= indent { return }
            try skipLine(from: start)
            guard try peek() != nil else { return }
            start += 1
            line += 1
        }
    }

    /// Moves to the line feed at or behind `position`, or to the end.
    private func skipLine(from position: Int) throws {
        start = min(position, end)
        while true {
            if let lineEnd = buffer[start..<end].firstIndex(of: UInt8(ascii: "\n")) {
                start = lineEnd
                return
            }
            start = end
            if try !fill() { return }
        }
    }

    /// Passes over a record that is longer than the limit without keeping it.
    private func skipTooLong() throws -> Item {
        let bad = BadInput(reason: .tooLong(limit: Self.lengthLimit), line: line)
        while true {
            start = end
            scanner.rebase()
            let more = try fill()
            let verdict = buffer.withUnsafeBufferPointer {
                scanner.scan($0.baseAddress! + start, count: end - start)
            }
            switch verdict {
            case .complete(let length):
                advance(past: length)
                return .bad(bad)
            case .invalid(_, let offset):
                line += scanner.lineFeeds
                try skipLine(from: start + offset)
                return .bad(bad)
            case .needsMore:
                if !more { return .bad(bad) }
            }
        }
    }

    /// The column-0 position of the line that `position` is on, as far as it is still in memory and the line is
    /// indented no deeper than any program does: a gigabyte of blanks must not be kept.
    private func lineStart(of position: Int) -> Int {
        let limit = max(position - Self.deepestIndent, 0)
        var i = position
        while i > limit, Self.isIndent(buffer[i - 1]) { i -= 1 }
        return i
    }

    private static func isIndent(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    // MARK: Bytes

    /// The byte `offset` behind `start`, read on if need be; nil at the end.
    private func peek(at offset: Int = 0) throws -> UInt8? {
        while start + offset >= end {
            if try !fill() { return nil }
        }
        return buffer[start + offset]
    }

    /// Reads what comes next; false at the end.
    private func fill() throws -> Bool {
        guard !atEnd, let file else { return false }
        try willWait()
        if buffer.count - end < Self.readSize {
            // Blanks before `start` on its line are kept: they say how deep a broken record was indented.
            let keep = lineStart(of: start)
            buffer.withUnsafeMutableBytes { bytes in
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[keep..<end]))
            }
            start -= keep
            end -= keep
            // Doubled only for a record that fills it, so that copying stays linear.
            if buffer.count - end < Self.readSize { buffer += [UInt8](repeating: 0, count: buffer.count) }
        }
        let got = try buffer.withUnsafeMutableBytes { bytes in
            try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
        }
        end += got
        atEnd = got == 0
        return got > 0
    }

    private func beginsBinary() throws -> Bool { try peek() != nil && Self.isBinary(buffer[start..<end]) }

    /// Whether the input that begins so is a picture, of which every line would be damage: it has a NUL in its first
    /// bytes, as every format has and no JSON, and begins as no line of text does, or as GIF or WebP do. A NUL alone
    /// may stand in a single bad line of a stream that is good otherwise.
    static func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
        let head = bytes.prefix(64)
        guard let first = head.first, head.contains(0) else { return false }
        return first >= 0x80 || ["GIF8", "RIFF"].contains { head.starts(with: $0.utf8) }
    }

    /// Passes over a UTF-8 byte-order mark, which some programs write in spite of RFC 8259 §8.1.
    private func skipByteOrderMark() throws {
        if try peek() == 0xEF, try peek(at: 1) == 0xBB, try peek(at: 2) == 0xBF { start += 3 }
    }
}
