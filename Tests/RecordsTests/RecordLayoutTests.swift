import Support
import Testing

@testable import Records

@Suite struct RecordLayoutTests {
    @Test func singleFieldIsPrintedRawAndAMissingFieldFails() throws {
        let input = "{\"a\":{\"b\":\"x y\"}}\n{\"a\":{\"b\":7}}\n"
        let layout = RecordLayout.fields(["a.b"], terminator: 10)
        #expect(try run(input) { $0.layout = layout } == (["x y", "7"], 0))
        #expect(try run(input + "{}") { $0.layout = layout } == (["x y", "7"], 65))
        #expect(try run("{\"fail\":\"limit\"}") { $0.layout = layout } == ([], 77))
    }

    @Test func severalFieldsBecomeColumnsAndAMissingFieldIsEmpty() throws {
        let layout = try #require(RecordLayout(fields: "a.b, c,n"))
        let input = #"{"a":{"b":"x\ty\n\r\\"},"c":"z","n":1}{"c":null,"n":[1, 2]}{"a":{"b":"q"}}"#
        let rows = [#"x\ty\n\r\\"# + "\tz\t1", "\t\t[1, 2]", "q\t\t"]
        #expect(try run(input) { $0.layout = layout } == (rows, 0))
        #expect(try run(input + #"{"d":1}"#) { $0.layout = layout } == (rows, 65))
        #expect(try run(#"{"fail":"limit"}"#) { $0.layout = layout } == ([], 77))
    }

    @Test func columnsCanBeTerminatedByNUL() throws {
        let layout = try #require(RecordLayout(fields: "a,b", terminator: 0))
        #expect(try run(#"{"a":1,"b":"x\ny"}{"b":2}"#) { $0.layout = layout }.lines == ["1\tx\\ny\0\t2\0"])
    }

    @Test func fieldPathsAreParsedFromACommaSeparatedList() {
        #expect(RecordLayout(fields: "a.b") == .fields(["a.b"], terminator: 10))
        #expect(
            RecordLayout(fields: "date, cache.key", terminator: 0) == .fields(["date", "cache.key"], terminator: 0))
        for bad in ["", ",", "a,", ",a", "a,,b", "a,.b", "a..b", " "] {
            #expect(RecordLayout(fields: bad) == nil, "\(bad)")
        }
    }

    @Test func missingPartIsDescribedByItsFieldPaths() {
        #expect(RecordLayout(fields: "a.b")?.part == "a.b")
        #expect(RecordLayout(fields: "a,b,c")?.part == "a, b or c")
    }

    @Test func textsAreSeparatedAndAMissingTextFails() throws {
        let text = RecordText(part: "name", separator: "--\n") { record in record.string("name").map { "<\($0)>" } }
        let layout = RecordLayout.text(text)
        #expect(try run(#"{"name":"a"}{"name":"b"}"#) { $0.layout = layout } == (["<a>", "--", "<b>"], 0))
        #expect(try run(#"{"name":"a"}{}{"name":"b"}"#) { $0.layout = layout } == (["<a>", "--", "<b>"], 65))
        #expect(try run(#"{"fail":"limit"}{"name":"b"}"#) { $0.layout = layout } == (["<b>"], 77))
    }
}
