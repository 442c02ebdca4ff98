import Support
import Testing

@testable import Records

private func record(_ text: String) throws -> Record { try Record(parsing: Array(text.utf8)) }

private func text(_ record: Record) -> String { String(decoding: record.line, as: UTF8.self) }

@Suite struct RecordTests {
    @Test func newFieldsAreAppended() throws {
        var r = try record(#"{"b": 1.10 , "a":"x"}"#)
        r.set("path", .string("/tmp/ä \"1\""))
        #expect(text(r) == #"{"b": 1.10 , "a":"x","path":"/tmp/ä \"1\""}"#)
        r.set("n", .integer(-3))
        #expect(text(r) == #"{"b": 1.10 , "a":"x","path":"/tmp/ä \"1\"","n":-3}"#)
        #expect(r.integer("n") == -3)
    }

    @Test func existingValueIsReplacedInPlace() throws {
        var r = try record(#"{"a":1,"path":"old","z":[1,2]}"#)
        r.set("path", .object(["k": .bool(true)]))
        #expect(text(r) == #"{"a":1,"path":{"k":true},"z":[1,2]}"#)
        r.set("z", .null)
        r.set("a", .array([.integer(1), .string("b")]))
        #expect(text(r) == #"{"a":[1,"b"],"path":{"k":true},"z":null}"#)
    }

    @Test func fieldsCanBeAddedToAnEmptyRecord() {
        var r = Record()
        r.set("a", .integer(1))
        r.set("b", .integer(2))
        #expect(text(r) == #"{"a":1,"b":2}"#)
    }

    @Test(arguments: [("a", #"{"b":2,"c":3}"#), ("b", #"{"a":1,"c":3}"#), ("c", #"{"a":1,"b":2}"#)])
    func fieldsAreRemovedWithTheirComma(name: String, expected: String) throws {
        var r = try record(#"{"a":1,"b":2,"c":3}"#)
        r.remove(name)
        #expect(text(r) == expected)
        #expect(try Record(parsing: r.line).names.count == 2)
        r.set("new", .bool(false))
        #expect(try Record(parsing: r.line).bool("new") == false)
    }

    @Test(arguments: [
        (#"{ "a" : 1 , "b" : 2 , "a" : 3 , "c" : 4 , "\u0061" : 5 }"#, #"{ "b" : 2 , "c" : 4 }"#),
        (#"{ "b" : 2 ,"a":3, "a" : 1 , "c":4}"#, #"{ "b" : 2 , "c":4}"#),
        (#"{ "a":1,"a":2 }"#, #"{  }"#),
    ]) func removeDeletesDuplicatesAndKeepsOtherBytes(_ before: String, after: String) throws {
        var r = try record(before)
        r.remove("a")
        #expect(text(r) == after)
        #expect(r.names == (try record(after).names))
        r.set("d", .integer(6))
        #expect(try Record(parsing: r.line).integer("d") == 6)
    }

    @Test func theOnlyFieldCanBeRemoved() throws {
        var r = try record(#"{ "a" : 1 }"#)
        r.remove("a")
        #expect(try Record(parsing: r.line).isEmpty)
    }

    @Test func pathsReachIntoObjectsAndArrays() throws {
        let r = try record(
            #"{"image":{"image_url":"u","alt":[{"x":1},{"x":"\u00e9\n"}]},"a.b":"dotted","list":[ 10 , 20 ],"e":{}}"#)
        #expect(r.string("image.image_url") == "u")
        #expect(r.string("image.alt.1.x") == "é\n")
        #expect(r.integer("list.1") == 20)
        #expect(r.string("a.b") == "dotted")
        #expect(r.raw("image.none") == nil)
        #expect(r.raw("list.2") == nil)
        #expect(r.raw("e.x") == nil)
        #expect(r.raw("list.x") == nil)
        for wrong in ["a..b", "", ".a", "a."] { #expect(FieldPath(wrong) == nil) }
    }

    @Test func escapedNamesEqualUnescapedNames() throws {
        let r = try record(#"{"\u0070ath":"/x","quote\"d":1}"#)
        #expect(r.string("path") == "/x")
        #expect(r.names == ["path", "quote\"d"])
    }

    /// Some programs treat composed and decomposed é as the same name, others as two names.
    @Test func namesAreComparedByBytesAtEveryLevel() throws {
        let r = try record(#"{"\u00e9":1,"o":{"\u00e9":1,"e\u0301":2,"\u0062":3,"b":4,"\u212a":5}}"#)
        #expect(r.integer("\u{E9}") == 1 && r.integer("e\u{301}") == nil)
        #expect(r.integer("o.\u{E9}") == 1 && r.integer("o.e\u{301}") == 2)
        #expect(r.integer("o.b") == 4)
        #expect(r.integer("o.K") == nil)
    }

    @Test func lastOfDuplicateFieldsWins() throws { #expect(try record(#"{"a":1,"a":2}"#).integer("a") == 2) }

    @Test func valuesOfAnotherTypeAreNil() throws {
        let r = try record(#"{"s":"1","n":1.5,"b":true,"z":null}"#)
        #expect(r.integer("s") == nil)
        #expect(r.integer("n") == nil)
        #expect(r.string("b") == nil)
        #expect(r.bool("s") == nil)
        #expect(r.printable("z") == nil)
        #expect(r.printable("n") == "1.5")
    }

    @Test func stringsSurviveARoundTrip() throws {
        for value in ["", "plain", "\"\\/\u{8}\u{C}\n\r\t", "\u{0}\u{1F}\u{7F}", "é漢😀\u{2028}", "\u{FEFF}x"] {
            var r = Record()
            r.set("v", .string(value))
            #expect(try Record(parsing: r.line).string("v") == value)
        }
    }

    @Test func surrogatePairsAreDecodedAndLoneSurrogatesReplaced() throws {
        #expect(try record(#"{"v":"\ud83d\ude00"}"#).string("v") == "😀")
        #expect(try record(#"{"v":"\ud83dx\ude00"}"#).string("v") == "\u{FFFD}x\u{FFFD}")
    }

    @Test func indentingKeepsEveryToken() {
        var out: [UInt8] = []
        JSONBytes.indent(Array(#"{"a":[1,{}],"b":{"c":"x,{"},"d":[]}"#.utf8), into: &out)
        #expect(
            String(decoding: out, as: UTF8.self)
                == "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": {\n    \"c\": \"x,{\"\n  },\n  \"d\": []\n}")
    }

    @Test func settingSeveralFieldsEqualsSettingEachField() throws {
        let values: [JSON?] = [nil, .integer(7), .string("x")]
        let lines = [
            "{}", "{ }", #"{"a":1}"#, #"{ "b" : [1] , "a":1 , "c":2 }"#, #"{"c":1,"b":2,"c":3,"a":4}"#,
            #"{"\u0061":1,"d":{"a":2},"a":3}"#, #"{"d":0,"a":1,"b":2,"c":3,"e":5}"#,
        ]
        for line in lines {
            for (a, b, c) in values.flatMap({ a in values.flatMap { b in values.map { (a, b, $0) } } }) {
                var together = try record(line)
                together.set(["a": a, "b": b, "c": c])
                var oneByOne = try record(line)
                for (name, value) in [("a", a), ("b", b), ("c", c)] {
                    if let value { oneByOne.set(name, value) } else { oneByOne.remove(name) }
                }
                let read = try Record(parsing: together.line)
                #expect(read.names == together.names)
                #expect(
                    read.names.map { read.raw(FieldPath(stringLiteral: $0)) }
                        == oneByOne.names.map { oneByOne.raw(FieldPath(stringLiteral: $0)) })
                #expect(Set(together.names) == Set(oneByOne.names))
            }
        }
    }

    @Test func stringsReadsAStringOrAnArray() throws {
        let record = try record(#"{"a":"x","b":["y" , 1, "z\u0021",["n"]],"c":[],"d":7}"#)
        #expect(record.strings("a") == ["x"])
        #expect(record.strings("b") == ["y", "z!"])
        for path in ["c", "d", "e"] as [FieldPath] { #expect(record.strings(path).isEmpty) }
        #expect(record.string("b.2") == "z!" && record.string("b.3.0") == "n")
        #expect(record.raw("b.9223372036854775807") == nil)
    }

    @Test func listAcceptsAnyLayout() throws {
        #expect(try Record.list(parsing: Array("[{\"a\":1},{\"b\":2}]".utf8)).count == 2)
        #expect(throws: LineFailure.self) { try Record.list(parsing: Array("<html>".utf8)) }
        #expect(throws: InputFailure.notOneObject(count: 2)) { try Record(parsing: Array("{}{}".utf8)) }
    }
}
