import Support
import Testing

@testable import Records

/// Paths in records, as text or Base64.
@Suite struct RecordPathTests {
    private let foreign = String(pathBytes: [0x2F, 0x61, 0xFF])

    private func record(_ text: String) throws -> Record { try Record(parsing: Array(text.utf8)) }
    private func text(_ record: Record) -> String { String(decoding: record.line, as: UTF8.self) }

    @Test func pathInUTF8IsWrittenAsText() throws {
        var record = try record(#"{"a":1,"path_base64":"L2H/","z":2}"#)
        record.setPath("path", "/é")
        #expect(text(record) == #"{"a":1,"z":2,"path":"/é"}"#)
        #expect(try record.path("path") == "/é")
    }

    @Test func pathThatIsNotUTF8IsWrittenAsBase64() throws {
        var record = try record(#"{"path":"/old","z":2}"#)
        record.setPath("path", foreign)
        #expect(text(record) == #"{"z":2,"path_base64":"L2H/"}"#)
        #expect(record.hasPath("path"))
        #expect(try record.path("path") == foreign)
        record.removePath("path")
        #expect(text(record) == #"{"z":2}"#)
        #expect(try !record.hasPath("path") && record.path("path") == nil)
    }

    @Test func nestedPathIsRead() throws {
        let record = try record(#"{"variants":{"pager":{"path_base64":"L2H/"}}}"#)
        #expect(try record.path("variants.pager.path") == foreign)
        #expect(record.printableBytes("variants.pager.path") == [0x2F, 0x61, 0xFF])
        #expect(record.printableBytes("variants.pager.name") == nil)
    }

    /// In a record, a private-use scalar represents itself; in the text of a path, it may represent an invalid byte.
    @Test func textIsNeverReadAsBytesThatAreNotUTF8() throws {
        let record = try record("{\"path\":\"/a\u{10FEFF}\"}")
        #expect(try record.path("path")?.pathBytes == [0x2F, 0x61, 0xF4, 0x8F, 0xBB, 0xBF])
        var copy = Record()
        copy.setPath("path", try #require(try record.path("path")))
        #expect(copy == record)
    }

    @Test(arguments: [#"{"path":"/a\u0000/../b"}"#, #"{"path_base64":"L2H"}"#, #"{"path_base64":"L2EA"}"#])
    func invalidPathsAreRefused(_ text: String) throws {
        let record = try record(text)
        #expect(record.hasPath("path"))
        let failure = #expect(throws: InputFailure.self) { try record.path("path") }
        #expect(failure?.exitCode == .data)
    }

    @Test func errorMessageShowsBytesThatAreNotUTF8InHex() {
        var record = Record()
        record.setError(SystemFailure(errno: 2, "open \(foreign)", purpose: .openInput), tool: "t")
        #expect(record.string("error.message")?.hasPrefix("cannot open /a\\xff: ") == true)
    }

    @Test func pathHasEitherTextOrBase64() {
        #expect(JSON.text(ofPath: "/é") == .string("/é") && JSON.base64(ofPath: "/é") == nil)
        #expect(JSON.text(ofPath: foreign) == nil && JSON.base64(ofPath: foreign) == .string("L2H/"))
    }
}
