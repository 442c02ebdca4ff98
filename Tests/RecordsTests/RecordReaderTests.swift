import Libc
import Support
import TestSupport
import Testing

@testable import Records

/// Reads to the end. Returns records as JSON and bad input as `line: code`.
private func read(_ text: String) throws -> [String] { try read(Array(text.utf8)) }

private func read(_ bytes: [UInt8]) throws -> [String] { try drain(RecordReader(bytes: bytes)) }

private func drain(_ reader: RecordReader) throws -> [String] {
    var result: [String] = []
    while let item = try reader.next() {
        switch item {
        case .job(let job): result.append(String(decoding: job.record.line, as: UTF8.self))
        case .bad(let bad, _): result.append("\((bad as? LineFailure)?.line ?? 0): \(bad.code)")
        }
    }
    return result
}

@Suite struct RecordReaderTests {
    @Test func eachLineIsARecord() throws {
        #expect(try read("{\"a\":1}\n{\"b\":2}\n") == ["{\"a\":1}", "{\"b\":2}"])
    }

    @Test func lastLineNeedsNoLineFeed() throws { #expect(try read("{\"a\":1}") == ["{\"a\":1}"]) }

    @Test func emptyInputHasNoRecords() throws {
        #expect(try read("") == [])
        #expect(try read(" \n\r\n\t") == [])
        #expect(try read("[]") == [])
    }

    @Test func byteOrderMarkIsSkipped() throws { #expect(try read("\u{FEFF}{\"a\":1}") == ["{\"a\":1}"]) }

    @Test func concatenatedObjectsAreRead() throws {
        #expect(try read("{\"a\":1}{\"b\":2} {\"c\":3}") == ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"])
    }

    @Test func prettyPrintedObjectsBecomeSingleLines() throws {
        let text = "{\r\n  \"a\": 1.10,\r\n  \"b\": [1, 2],\n  \"c\": {\n    \"d\": \"x \\n y\"\n  }\n}\n"
        #expect(try read(text) == ["{\"a\": 1.10,\"b\": [1, 2],\"c\": {\"d\": \"x \\n y\"}}"])
    }

    @Test func arraysAreSplitIntoRecords() throws {
        #expect(try read("[{\"a\":1},\n {\"b\":2}]\n{\"c\":3}") == ["{\"a\":1}", "{\"b\":2}", "{\"c\":3}"])
    }

    @Test(arguments: [
        #"{"n":1.10,"id":12345678901234567890,"e":"é","u":"\u00e9","x":1E+2,"z":-0.0e-7}"#,
        #"{ "spaced" : [ 1 , 2 ] , "t":true,"f":false,"n":null }"#, #"{"":""}"#, #"{"a":{"b":[{}]},"a":2}"#,
        #"{"emoji":"😀","pair":"\ud83d\ude00","lone":"\ud83d"}"#,
    ]) func validObjectsPassByteForByte(_ text: String) throws { #expect(try read(text) == [text]) }

    @Test(arguments: [
        "{\"a\":01}", "{\"a\":1.}", "{\"a\":.5}", "{\"a\":+1}", "{\"a\":1e}", "{\"a\":truee}", "{\"a\":nul}", "{a:1}",
        "{\"a\":1,}", "{\"a\"}", "{\"a\":[1,]}", "{\"a\":\"\\x\"}", "{\"a\":\"\\u12g4\"}", "{\"a\":1]", "hello",
        "{'a':1}",
        "}", "]", ",",
    ]) func invalidJSONIsReported(_ text: String) throws {
        #expect(try read(text + "\n{\"ok\":1}\n") == ["1: not-json", "{\"ok\":1}"])
    }

    @Test(arguments: ["42", "\"text\"", "null", "true", "-1.5e3"])
    func valuesOtherThanObjectsAreNotRecords(_ text: String) throws {
        #expect(try read(text + "\n{\"ok\":1}") == ["1: not-an-object", "{\"ok\":1}"])
        #expect(try read("[" + text + ",{\"ok\":1}]") == ["1: not-an-object", "{\"ok\":1}"])
    }

    @Test func controlCharactersInStringsAreRefused() throws {
        #expect(try read("{\"a\":\"x\ty\"}\n{\"ok\":1}") == ["1: not-json", "{\"ok\":1}"])
    }

    @Test(
        arguments: [
            [0xFF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3], [0x80],
            [0xF0, 0x9F, 0x98],
        ] as [[UInt8]]) func invalidUTF8IsRefused(_ bytes: [UInt8]) throws
    {
        let text = Array("{\"a\":\"".utf8) + bytes + Array("\"}\n{\"ok\":1}".utf8)
        #expect(try read(text) == ["1: not-json", "{\"ok\":1}"])
    }

    @Test func truncatedLineLosesNoOtherRecord() throws {
        for cut in ["{\"a\":", "{\"a\":1", "{\"a\":1,", "{\"a\":[1,", "{\"a\":\"x", "{", "{\"a\":{\"b\":", "{\"a\":tr"]
        {
            #expect(try read("\(cut)\n{\"b\":2}\n{\"c\":3}\n") == ["1: not-json", "{\"b\":2}", "{\"c\":3}"], "\(cut)")
        }
    }

    @Test func errorInAPrettyPrintedObjectLosesOneRecord() throws {
        let text = "{\n  \"a\": 1\n}\n{\n  \"b\" 2,\n  \"c\": {\n    \"d\": 3\n  }\n}\n{\n  \"e\": 4\n}\n"
        #expect(try read(text) == ["{\"a\": 1}", "4: not-json", "{\"e\": 4}"])
    }

    @Test func errorInAnIndentedArrayLosesOneRecord() throws {
        let text = "[\n  {\n    \"a\" 1\n  },\n  {\n    \"b\": 2\n  }\n]\n"
        #expect(try read(text) == ["2: not-json", "{\"b\": 2}"])
    }

    @Test func inputThatEndsInsideARecordIsReported() throws {
        #expect(try read("{\"a\":1}\n{\"b\":") == ["{\"a\":1}", "2: truncated-input"])
        #expect(try read("[{\"a\":1},") == ["{\"a\":1}", "1: truncated-input"])
    }

    @Test(
        arguments: [
            [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10, 0x0A, 0x0A],
            [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13],
            Array("GIF89a".utf8) + [16, 0, 16, 0, 0xF7, 0, 0, 10, 10],
        ] as [[UInt8]]) func pictureIsReportedOnce(_ bytes: [UInt8]) throws
    {
        #expect(try read(bytes) == ["1: binary-input"])
    }

    @Test func nestingIsLimited() throws {
        let deep = String(repeating: "[", count: 511) + String(repeating: "]", count: 511)
        #expect(try read("{\"a\":\(deep)}").count == 1)
        #expect(try read("{\"a\":[\(deep)]}\n{\"b\":1}") == ["1: not-json", "{\"b\":1}"])
        #expect(try read(String(repeating: "{\"a\":\n", count: 2000)).allSatisfy { !$0.hasPrefix("{") })
    }

    @Test func placesAreCorrectForAnyLayout() throws {
        let long = String(repeating: "x", count: 300_000)
        let bytes = Array("\u{FEFF} {\"a\":1}\nbad\n[ {\"b\":\"\(long)\"},\n{\n\"c\":2\n}]\r\n{\"é\":3}".utf8)
        let folder = try TemporaryFolder()
        let file = try File.openInput(folder.write("records", bytes))
        let reader = RecordReader(continuing: LineReader(file: file))
        var found: [String] = []
        while let input = try reader.next() {
            guard case .job(let job) = input else { continue }
            #expect(try Record(parsing: bytes[reader.place]) == job.record)
            found += job.record.names
        }
        #expect(found == ["a", "b", "c", "é"])
    }

    @Test func lineNumbersAreCorrectForAnyLayout() throws {
        #expect(try read("{\n\"a\":1\n}\n\n[\n{\"b\":2}\n]\nbad\n") == ["{\"a\":1}", "{\"b\":2}", "8: not-json"])
    }

    @Test func recordsOverSixteenMebibytesAreRefused() throws {
        let filler = String(repeating: "x", count: RecordReader.lengthLimit - 8)
        #expect(try read("{\"a\":\"\(filler)\"}\n{\"b\":2}")[1] == "{\"b\":2}")
        #expect(try read("{\"a\":\"\(filler)x\"}\n{\"b\":2}") == ["1: record-too-long", "{\"b\":2}"])
    }

    @Test func recordsWithMoreThanTenThousandFieldsAreRefused() throws {
        func object(_ count: Int) -> String { "{" + (0..<count).map { "\"f\($0)\":0" }.joined(separator: ",") + "}" }
        let most = object(10_000)
        #expect(try read(most) == [most])
        #expect(try read("\(object(10_001))\n{\"n\":2}") == ["1: too-many-fields", "{\"n\":2}"])
        // Fields of nested objects are not counted.
        let nested = "{\"list\":[\(object(10_001))],\"object\":\(object(10_001))}"
        #expect(try read(nested) == [nested])
    }

    /// A list of millions of fields would take many times the memory of the record.
    @Test func fieldListIsBounded() throws {
        var scanner = JSONScanner()
        let bytes = Array(("{\"\":0" + String(repeating: ",\"\":0", count: 1_000_000) + "}").utf8)
        let verdict = bytes.withUnsafeBufferPointer { scanner.scan($0) }
        #expect(verdict == .complete(end: bytes.count))
        #expect(scanner.hasTooManyFields && scanner.fields.count == 10_000)
        scanner.reset()
        #expect(!scanner.hasTooManyFields)
    }

    @Test(arguments: [1, 2, 3, 7, 64]) func recordsDoNotDependOnTheSizeOfReads(size: Int) throws {
        let text =
            "\u{FEFF}{\"a\":\"é\\u00e9\",\"b\":[1,2.5e-3,true]}\nbad line\n[{\n \"c\": null\n}, 17, {\"d\":\"😀\"}]\n{\"e\":\n{\"f\":1}\n"
        let bytes = Array(text.utf8)
        let pipe = try makePipe()
        let writer = try File(descriptor: pipe.writing, path: "pipe")
        let thread = try Thread.start {
            var start = 0
            while start < bytes.count {
                try? writer.write(Array(bytes[start..<min(start + size, bytes.count)]))
                start += size
            }
            closeWriter(writer)
        }
        let file = try File(descriptor: pipe.reading, path: "pipe")
        let found = try drain(RecordReader(continuing: LineReader(file: file)))
        thread.join()
        #expect(found == (try read(text)))
        #expect(found.count == 7)
    }

    private func readPipe(_ write: @escaping @Sendable (File) throws -> Void) throws -> [String] {
        let pipe = try makePipe()
        let writer = try File(descriptor: pipe.writing, path: "pipe")
        let thread = try Thread.start {
            try? write(writer)
            closeWriter(writer)
        }
        defer { thread.join() }
        return try drain(RecordReader(continuing: LineReader(file: try File(descriptor: pipe.reading, path: "pipe"))))
    }

    @Test func tooLongRecordFromAPipeIsSkipped() throws {
        let records = try readPipe { writer in
            let filler = [UInt8](repeating: UInt8(ascii: "y"), count: 1 << 20)
            try writer.write(Array("{\"a\":\"".utf8))
            for _ in 0..<20 { try writer.write(filler) }
            try writer.write(Array("\"}\n{\"b\":2}\n".utf8))
        }
        #expect(records == ["1: record-too-long", "{\"b\":2}"])
    }

    @Test func nulInTheFirstLineLosesOnlyThatLine() throws {
        #expect(try read("bad\0line\n{\"b\":2}\n") == ["1: not-json", "{\"b\":2}"])
    }

    @Test(arguments: ["", "{\n  broken\n"]) func recordAfterMebibytesOfSpacesIsRead(before text: String) throws {
        let records = try readPipe { writer in
            let blanks = [UInt8](repeating: UInt8(ascii: " "), count: 1 << 20)
            try writer.write(Array(text.utf8))
            for _ in 0..<3 { try writer.write(blanks) }
            try writer.write(Array("\n{\"b\":2}\n".utf8))
        }
        #expect(records.last == "{\"b\":2}")
    }

    /// Offsets restart within the long value, so its end offset is smaller than its start offset.
    @Test func longValueMayEndAtASmallerOffsetThanItsStart() throws {
        let records = try readPipe { writer in
            // Longer than any read from a pipe, which returns 64 KiB, or at most 1 MiB.
            let filler = [UInt8](repeating: UInt8(ascii: "y"), count: 2 << 20)
            try writer.write(Array("{\"pad\":\"".utf8) + filler + Array("\",\"a\":\"".utf8))
            for _ in 0..<8 { try writer.write(filler) }
            try writer.write(Array("\",\"c\":3}\n{\"b\":2}\n".utf8))
        }
        #expect(records == ["1: record-too-long", "{\"b\":2}"])
    }
}
