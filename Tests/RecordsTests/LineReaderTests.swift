import Libc
import Support
import TestSupport
import Testing

@testable import Records

/// Reads to the end. Returns lines as `number: text` and bad lines as `number! code`.
private func drain(_ reader: LineReader) throws -> [String] {
    var result: [String] = []
    while let item = try reader.next() {
        switch item {
        case .line(let line): result.append("\(line.number): \(line.text)")
        case .bad(let bad): result.append("\(bad.line)! \(bad.code)")
        }
    }
    return result
}

private func read(_ text: String) throws -> [String] { try drain(LineReader(bytes: Array(text.utf8))) }

/// Starts a thread that writes the pieces to a pipe in order, and returns a reader of that pipe.
private func reader(
    of pieces: [[UInt8]], endsInNUL: Bool = false, willWait: @escaping () throws -> Void = {}
) throws -> LineReader {
    // The reader may close the pipe early.
    signal(SIGPIPE, SIG_IGN)
    let pipe = try makePipe()
    let writer = try File(descriptor: pipe.writing, path: "pipe")
    try Thread.start { for piece in pieces { try? writer.write(piece) } }.detach()
    let file = try File(descriptor: pipe.reading, path: "pipe")
    return LineReader(file: file, endsInNUL: endsInNUL, willWait: willWait)
}

@Suite struct LineReaderTests {
    @Test(arguments: [
        ("", []), ("a", ["1: a"]), ("a\n", ["1: a"]), ("a\nb", ["1: a", "2: b"]), ("a\r\nb\r\n", ["1: a", "2: b"]),
        ("\n\na\n", ["1: ", "2: ", "3: a"]), ("\r\n", ["1: "]), ("a\rb\n", ["1: a\rb"]), ("a\r", ["1: a"]),
        ("é\n", ["1: é"]), (" a \n", ["1:  a "]),
    ])
    func linesEndWithALineFeed(_ text: String, _ lines: [String]) throws { #expect(try read(text) == lines) }

    @Test func invalidUTF8IsStillALine() throws {
        let damaged = String(pathBytes: [0xFF, 0x61])
        #expect(try drain(LineReader(bytes: [0xFF, 0x61, 0x0A, 0x00, 0x0A])) == ["1: \(damaged)", "2: \0"])
    }

    @Test func linesDoNotDependOnTheSizeOfReads() throws {
        let text = (0..<500).map { "line \($0)\($0 % 3 == 0 ? "\r" : "")\n" }.joined() + "end"
        let whole = try read(text)
        for size in [1, 2, 7, 64, 5000] {
            let bytes = Array(text.utf8)
            let pieces = stride(from: 0, to: bytes.count, by: size).map {
                Array(bytes[$0..<min($0 + size, bytes.count)])
            }
            #expect(try drain(reader(of: pieces)) == whole, "\(size)")
        }
    }

    @Test func incompleteLineIsNotAvailable() throws {
        let lines = LineReader(bytes: Array("a\nb".utf8))
        #expect(lines.hasLine)
        _ = try lines.next()
        // The buffer ends in the middle of a line.
        #expect(!lines.hasLine)
        #expect(try drain(lines) == ["2: b"])
    }

    @Test func lineOverSixteenMebibytesIsSkipped() throws {
        let limit = RecordReader.lengthLimit
        let longest = [UInt8](repeating: UInt8(ascii: "x"), count: limit)
        for extra in [1, 1 << 20, 20 << 20] {
            let pieces = [
                Array("a\n".utf8), longest, [UInt8](repeating: UInt8(ascii: "y"), count: extra), Array("\nb\n".utf8),
            ]
            let lines = try reader(of: pieces)
            #expect(try drain(lines) == ["1: a", "2! record-too-long", "3: b"])
        }
        let lines = LineReader(bytes: longest + [UInt8(ascii: "\n")])
        guard case .line(let line) = try lines.next() else {
            Issue.record("a line as long as the limit was refused")
            return
        }
        #expect(line.text.utf8.count == limit)
    }

    @Test(arguments: [
        ("{\"a\":1}", true), ("[{}]", true), (" \r\n\t {}", true), ("\u{FEFF}{}", true), ("\u{FEFF}\n [", true),
        ("2024-02-03", false), ("", false), ("\n\n", false), ("# {", false), ("\u{FEFF}2024", false), ("é", false),
        ("\"a\"", false), ("GIF89a", false),
    ])
    func recordsAreDistinguishedFromLines(_ text: String, _ areRecords: Bool) throws {
        let bytes = Array(text.utf8)
        #expect(try LineReader(bytes: bytes).beginsRecords() == areRecords)
        #expect(try reader(of: bytes.map { [$0] }).beginsRecords() == areRecords)
    }

    /// Regression test: the first line lost its leading blanks, and a file name that begins with a brace was read as a
    /// record.
    @Test(arguments: [("  a.jpg\n b.jpg\n", false), ("\n{a}.jpg\0 b.jpg\0", true), ("[1] moon.jpg\0", true)])
    func firstLineIsReadInFull(_ text: String, endsInNUL: Bool) throws {
        let lines = try reader(of: Array(text.utf8).map { [$0] }, endsInNUL: endsInNUL)
        #expect(try !lines.beginsRecords())
        let expected = text.split(separator: endsInNUL ? "\0" : "\n").enumerated().map { "\($0 + 1): \($1)" }
        #expect(try drain(lines) == expected)
    }

    @Test func pictureIsNotReadAsLines() throws {
        #expect(try LineReader(bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]).beginsRecords())
        #expect(try LineReader(bytes: Array("GIF89a\0\u{1}".utf8)).beginsRecords())
    }

    @Test func recordsAfterBlankLinesHaveTheirLineNumbers() throws {
        let lines = LineReader(bytes: Array("\u{FEFF}\n\n{\"a\":1}\nbanana\n{\"b\":2}".utf8))
        #expect(try lines.beginsRecords())
        let records = RecordReader(continuing: lines)
        guard case .job(let first) = try records.next(), case .bad(let bad as LineFailure, _) = try records.next(),
            case .job(let second) = try records.next()
        else {
            Issue.record("the items differ from the input")
            return
        }
        #expect(first.record.names == ["a"] && second.record.names == ["b"])
        #expect(first.line == 3 && bad.line == 4 && second.line == 5)
        #expect(try records.next() == nil)
    }

    @Test func recordReaderContinuesWhereTheLineReaderStopped() throws {
        let record = Array(#"{"date":"2024-02-03"}"#.utf8)
        let pieces = [[UInt8]](repeating: record + [0x0A], count: 9000)
        let waits = Monitor(0)
        let lines = try reader(of: pieces) { waits.withLock { $0 += 1 } }
        #expect(try lines.beginsRecords())
        let records = RecordReader(continuing: lines)
        var count = 0
        while let item = try records.next() {
            guard case .job(let job) = item, job.record.line == record else { break }
            count += 1
        }
        #expect(count == pieces.count)
        #expect(waits.withLock { $0 } > 1)
    }

    @Test func blankLinesTakeNoMemory() throws {
        let blanks = [UInt8](repeating: UInt8(ascii: "\n"), count: 1 << 20)
        let lines = try reader(of: [[UInt8]](repeating: blanks, count: 8) + [Array("{}".utf8)])
        #expect(try lines.beginsRecords())
        #expect(lines.input.bytes.count <= 256 << 10)
        #expect(lines.input.line == 8 * blanks.count + 1)
    }
}
