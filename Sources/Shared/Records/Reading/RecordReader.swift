import Support

/// Reads records as they arrive: NDJSON, concatenated objects in any layout, or arrays of objects.
///
/// Other input is returned as `.bad` with the number of its first line (`resume` finds the next record). Memory: see
/// `InputBuffer`.
public final class RecordReader {
    /// The maximum length of a record (16 MiB).
    public static let lengthLimit = 16 << 20

    private let input: InputBuffer
    private var scanner = JSONScanner()
    private var inArray = false
    private var isFirst = true
    /// The position of the last record in the input, in bytes.
    public private(set) var place = 0..<0

    public init(bytes: [UInt8]) { input = InputBuffer(bytes: bytes) }

    /// Continues where `lines` stopped. The caller must not use `lines` afterwards.
    public init(continuing lines: LineReader) { input = lines.input }

    /// Returns the next record, `.bad` for input that is not a record, or nil at the end of the input. Throws
    /// `SystemFailure` if reading fails.
    public func next() throws -> RecordInput? {
        if isFirst {
            isFirst = false
            if try input.peek() != nil, Self.isBinary(input.unused) {
                input.skipAll()
                return bad(.binary)
            }
            try input.skipByteOrderMark()
        }
        while true {
            guard let byte = try input.peek() else {
                if inArray {
                    inArray = false
                    return bad(.unfinished)
                }
                return nil
            }
            switch byte {
            case UInt8(ascii: "\n"):
                input.line += 1
                input.start += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): input.start += 1
            case UInt8(ascii: ",") where inArray: input.start += 1
            case UInt8(ascii: "]") where inArray:
                inArray = false
                input.start += 1
            case UInt8(ascii: "[") where !inArray:
                inArray = true
                input.start += 1
            default: return try value()
            }
        }
    }

    private func bad(_ reason: InputFailure) -> RecordInput { .bad(LineFailure(reason, line: input.line)) }

    private func value() throws -> RecordInput {
        scanner.reset()
        var verdict = scan()
        while verdict == .needsMore {
            if input.unused.count > Self.lengthLimit { return try skipTooLong() }
            if try !input.fill() {
                verdict = scanner.finish(count: input.unused.count)
                break
            }
            verdict = scan()
        }
        switch verdict {
        case .complete(let length):
            defer { advance(past: length) }
            guard length <= Self.lengthLimit else { return bad(.tooLong(limit: Self.lengthLimit)) }
            guard input.unused.first == UInt8(ascii: "{") else { return bad(.notAnObject) }
            guard !scanner.hasTooManyFields else { return bad(.tooManyFields(limit: JSONScanner.maxFields)) }
            place = input.consumed..<input.consumed + length
            return .job(RecordJob(record(length: length), line: input.line))
        case .invalid(let fault, let offset):
            let bad = bad(.notJSON(fault))
            try resume(afterFaultAt: offset)
            return bad
        case .needsMore:
            let bad = bad(.unfinished)
            inArray = false
            try resume(afterFaultAt: input.unused.count)
            return bad
        }
    }

    private func scan() -> JSONScanner.Verdict { input.unused.withUnsafeBufferPointer { scanner.scan($0) } }

    private func record(length: Int) -> Record {
        let bytes = input.unused.prefix(length)
        guard scanner.hasLineBreak else { return Record(line: Array(bytes), fields: scanner.fields) }
        let folded = JSONBytes.withoutLineBreaks(bytes)
        var again = JSONScanner()
        _ = folded.withUnsafeBufferPointer { again.scan($0) }
        return Record(line: folded, fields: again.fields)
    }

    private func advance(past length: Int) {
        input.start += length
        input.line += scanner.lineFeeds
    }

    // MARK: After a fault

    /// Moves to the position at which reading resumes after a syntax error at `offset`.
    ///
    /// If the error is on the first line of the value, skips that line. If it is on a later line (a truncated line runs
    /// into the next line, or a pretty-printed object has an error), skips everything up to the next line that begins
    /// with a brace and is indented no deeper than the broken value.
    private func resume(afterFaultAt offset: Int) throws {
        guard let firstBreak = input.unused.prefix(offset).firstIndex(of: Self.lineFeed) else {
            input.start += offset
            _ = try input.skip(to: Self.lineFeed)
            return
        }
        let indent = input.indent
        input.start = firstBreak
        repeat {
            input.start += 1
            input.line += 1
            var column = 0
            while column <= indent, let byte = try input.peek(at: column), InputBuffer.isIndent(byte) { column += 1 }
            if column <= indent, try input.peek(at: column) == UInt8(ascii: "{") { return }
        } while try input.skip(to: Self.lineFeed)
    }

    /// Skips a record that is longer than the limit, without buffering it.
    private func skipTooLong() throws -> RecordInput {
        let bad = bad(.tooLong(limit: Self.lengthLimit))
        while true {
            input.start = input.end
            scanner.rebase()
            let more = try input.fill()
            switch scan() {
            case .complete(let length):
                advance(past: length)
                return bad
            case .invalid(_, let offset):
                advance(past: offset)
                _ = try input.skip(to: Self.lineFeed)
                return bad
            case .needsMore:
                if !more { return bad }
            }
        }
    }

    private static let lineFeed = UInt8(ascii: "\n")

    /// Whether the input is a picture, which would otherwise become one failed record per line. The first 64 bytes of a
    /// picture contain NUL, which JSON never contains, and begin with a non-ASCII byte, `GIF8` or `RIFF`. NUL alone is
    /// not enough: it may be in a single bad line of a good stream.
    static func isBinary(_ bytes: ArraySlice<UInt8>) -> Bool {
        let head = bytes.prefix(64)
        guard let first = head.first, head.contains(0) else { return false }
        return first >= 0x80 || ["GIF8", "RIFF"].contains { head.starts(with: $0.utf8) }
    }
}

extension Record {
    /// Parses exactly one object. Throws `LineFailure` for invalid JSON or a value that is not an object, and
    /// `InputFailure` for no object or several.
    public init(parsing bytes: some Collection<UInt8>) throws {
        var list = try Self.list(parsing: Array(bytes))
        guard list.count == 1 else { throw InputFailure.notOneObject(count: list.count) }
        self = list.removeLast()
    }

    /// Parses objects in any layout that `RecordReader` accepts. Throws `LineFailure` for invalid JSON or a value that
    /// is not an object.
    ///
    /// - Parameter limit: the maximum number of records read.
    public static func list(parsing bytes: [UInt8], limit: Int = .max) throws -> [Record] {
        let reader = RecordReader(bytes: bytes)
        var records: [Record] = []
        while records.count < limit, let item = try reader.next() {
            switch item {
            case .job(let job): records.append(job.record)
            case .bad(let failure, _): throw failure
            }
        }
        return records
    }
}
