import Records
import Support
import TestSupport
import Testing

/// Records on their way through a tool, whatever the tool does. What needs no picture is passed by its `error`.
struct StreamTests {
    /// A record that every tool passes, with `body` as the rest of its fields.
    private func passing(_ body: String) -> String { "{\(body),\"error\":{}}" }

    @Test func whatAToolDoesNotOwnGoesThroughByteForByte() throws {
        let lines = [
            passing(#""n":1.10,"id":12345678901234567890,"e":1E+2,"z":-0.0"#),
            passing(#""a":"caf\u00e9 \ud83d\ude00 \/ é","b" : [ 1 ,2 ], "nested":{"x" :null,"y":true}"#),
            passing(#""twice":1,"twice":2,"":"empty name","tab":"\t""#),
            #"  {"error":{}  ,"indented":1 }"#.replacing("  {", with: "{"),
            passing(#""long":"\#(String(repeating: "x", count: 200_000))""#),
        ]
        for (tool, arguments) in [
            ("img-cache", ["put"]), ("img-cache", ["get"]), ("img-downsample", ["--variant", "pager"]),
            ("gif-cache", ["put"]),
        ] {
            let output = try run(tool, arguments, stdin: .lines(lines)).expect(0)
            #expect(output.lines == lines, "\(tool)")
            #expect(output.stderr == "")
        }
    }

    @Test func addedFieldsLeaveTheOthersAsTheyWere() throws {
        let home = try Sample.home()
        let url = try Sample.url("added.jpg")
        let input = #"{ "n":1.10, "url" : "\#(url)" ,"é":"\u00e9","path":"old","cache":null,"last":[1.0] }"#
        let line = try home.run("img-cache", ["put"], stdin: .lines([input])).expect(0).lines[0]
        // An older value is replaced where it stands.
        #expect(line.hasPrefix(#"{ "n":1.10, "url" : "\#(url)" ,"é":"\u00e9","path":"/"#), "\(line)")
        #expect(line.contains(#","cache":{"key":"#) && line.hasSuffix(#","last":[1.0] }"#), "\(line)")
        #expect(try Record(parsing: Array(line.utf8)).names == ["n", "url", "é", "path", "cache", "last"])
    }

    @Test func noFileTakesThePlaceOfAClosedStream() throws {
        let home = try Sample.home()
        let url = try Sample.url("closed.jpg")
        let record = try home.shell("img-cache put -v '\(url)' 2>&-").expect(0).record
        let path = try #require(record.string("path"))
        #expect(try TestFile.bytes(path).count == record.integer("cache.bytes"), "a log line went into the picture")
        try home.shell("img-cache put <&-").expectRefusal(74, "img-cache", "standard input")
        try home.shell("img-cache path '\(url)' >&-").expectRefusal(74, "img-cache", "standard output")
    }

    @Test func keysAndConfigurationMayComeThroughAPipe() throws {
        let home = try Sample.home()
        let refused = try home.shell("apod-fetch --service api --retries 0 --api-key-file <(echo invalid)").expect(77)
        #expect(try refused.record.string("error.code") == "api-key-invalid")
        try home.shell(#"img-cache stats --config <(echo '{"capacity":"plenty"}')"#).expectRefusal(
            78, "img-cache", "plenty")
    }

    @Test func everyLayoutOfRecordsIsRead() throws {
        let expected: [String] = (1...4).map { "{\"n\":\($0),\"error\":{}}" }
        let pretty: [String] = expected.map {
            $0.replacing("{\"n\"", with: "{\n  \"n\"").replacing(",\"e", with: ",\n  \"e")
        }
        let layouts: [String] = [
            expected.joined(separator: "\n"), expected.joined(separator: "\r\n"), expected.joined(),
            "[\(expected.joined(separator: ","))]", "\u{FEFF}\(expected.joined(separator: "\n\n"))",
            "[\n\(pretty.joined(separator: ",\n"))\n]\n", pretty.joined(separator: "\n"),
        ]
        for layout in layouts {
            let records = try run("img-cache", ["get"], stdin: .text(layout)).expect(0).records
            #expect(records.map { $0.integer("n") } == [1, 2, 3, 4], "\(layout)")
        }
    }

    @Test func badLinesBecomeRecordsAndTheStreamGoesOn() throws {
        let good = passing("\"n\":1")
        let lines = [
            good, "nonsense", "[1]", "42", "\"text\"", "{\"broken\":", good, "{\"a\":\"\u{1}\"}", "{'a':1}", good,
        ]
        let output = try run("img-cache", ["get", "-v"], stdin: .lines(lines)).expect(65)
        let records = try output.records
        #expect(records.filter { $0.integer("n") == 1 }.count == 3, "\(output)")
        let bad = records.filter { $0.has("input_line") }
        #expect(bad.compactMap { $0.integer("input_line") } == [2, 3, 4, 5, 6, 8, 9], "\(output)")
        for record in bad {
            #expect(record.names == ["error", "input_line"])
            #expect(record.string("error.tool") == "img-cache" && record.integer("error.exit") == 65)
            let line = try #require(record.integer("input_line"))
            #expect(output.errorLines.contains { $0.hasPrefix("img-cache: line \(line): ") }, "\(output)")
        }
        let few = try run("img-cache", ["get"], stdin: .lines(lines)).expect(65)
        #expect(few.errorLines.contains("img-cache: (and 2 more lines, 4, 5: not-an-object)"), "\(few)")
    }

    @Test func failuresNameTheirRecordsAndAreFolded() throws {
        let records = (1...40).map { #"{"date":"2024-01-\#($0 < 10 ? "0" : "")\#($0)","media_type":"video"}"# }
        let output = try run("img-cache", ["put", "-j1"], stdin: .lines(records)).expect(69)
        #expect(output.errorLines.count == 2, "\(output)")
        #expect(output.errorLines.first?.hasPrefix("img-cache: 2024-01-01: ") == true, "\(output)")
        let rest = "img-cache: (and 39 more days, 2024-01-02 to 2024-01-40: no-picture)"
        #expect(output.errorLines.last == rest, "\(output)")
        let line = try #require(
            try run("img-cache", ["get", "--log-format", "json"], stdin: .lines(["{}", "{}"])).errorLines.last)
        let event = try Record(parsing: Array(line.utf8))
        #expect(event.integer("count") == 1 && event.string("code") == "no-picture", "\(line)")
    }

    @Test func aFileThatIsMissingIsNamedInItsRecord() throws {
        for (tool, arguments) in [
            ("img-cache", ["put", "gone.png"]), ("img-downsample", ["gone.png", "--width", "5"]),
        ] {
            let record = try run(tool, arguments).expectFailure(66, code: "no-such-file", tool: tool)
            #expect(record.string("path")?.hasSuffix("/gone.png") == true, "\(record)")
        }
    }

    @Test func aRecordOfSeventeenMegabytesIsRefusedAndNotKept() throws {
        let long = "{\"a\":\"" + String(repeating: "a", count: 17 << 20) + "\"}"
        let output = try run("img-cache", ["get"], stdin: .lines([passing("\"n\":1"), long, passing("\"n\":2")]))
            .expect(65)
        let records = try output.records
        #expect(records.map { $0.integer("n") } == [1, nil, 2])
        #expect(records[1].string("error.code") == "record-too-long")
        #expect(records[1].integer("input_line") == 2)
    }

    @Test func fifteenMegabytesAreStillARecord() throws {
        let long = passing("\"a\":\"" + String(repeating: "a", count: 15 << 20) + "\"")
        #expect(try run("img-cache", ["get"], stdin: .lines([long])).expect(0).stdout == long + "\n")
    }

    @Test func anInputThatIsCutOffSaysSo() throws {
        let output = try run("img-cache", ["get"], stdin: .text(passing("\"n\":1") + "\n{\"n\":")).expect(65)
        #expect(try output.records.last?.string("error.code") == "truncated-input", "\(output)")
        #expect(try run("img-cache", ["get"], stdin: .text("[" + passing("\"n\":1"))).expect(65).records.count == 2)
    }

    @Test func noRecordsAreASuccess() throws {
        for (tool, arguments) in [
            ("img-cache", ["put"]), ("img-cache", ["get"]), ("img-downsample", ["--variant", "pager"]),
            ("gif-cache", ["put"]), ("gif-cache", ["get"]),
        ] {
            for input in [ToolInput.empty, "", "\n\n", "[]", "[ \n ]"] {
                let output = try run(tool, arguments, stdin: input).expect(0)
                #expect(output.stdout == "" && output.stderr == "", "\(output)")
            }
        }
    }

    @Test func aTerminalInPlaceOfRecordsIsRefused() throws {
        for (tool, arguments) in [
            ("img-cache", ["put"]), ("img-cache", ["get"]), ("img-downsample", ["--variant", "pager"]),
            ("gif-cache", ["put"]),
        ] {
            let output = try run(tool, arguments, stdin: .terminal, deadline: .seconds(20))
            try output.expectRefusal(64, tool, "standard input", "--help")
        }
    }

    // MARK: What is printed

    @Test func printGivesAFieldRaw() throws {
        let lines = [passing(#""a":{"b":"caf\u00e9\nnew"},"n":1.10"#), passing(#""a":{"b":true},"n":[1, 2]"#)]
        #expect(
            try run("img-cache", ["get", "--print", "a.b"], stdin: .lines(lines)).expect(0).stdout
                == "café\nnew\ntrue\n")
        #expect(
            try run("img-cache", ["get", "--print", "n"], stdin: .lines(lines)).expect(0).stdout == "1.10\n[1, 2]\n")
        #expect(
            try run("img-cache", ["get", "--print", "a.b", "-0"], stdin: .lines(lines)).expect(0).stdout
                == "café\nnew\0true\0")
        try run("img-cache", ["get", "-0"], stdin: .lines(lines)).expectRefusal(64, "img-cache", "-0", "--print")
        try run("img-cache", ["get", "--print", "a..b"], stdin: .lines(lines)).expectRefusal(64, "img-cache", "a..b")
    }

    @Test func aFieldThatIsMissingGivesTheStatusOfTheRecordsError() throws {
        let broken = #"{"n":1,"error":{"tool":"x","exit":69,"transient":false}}"#
        let busy = #"{"n":2,"error":{"tool":"x","exit":75,"transient":true}}"#
        #expect(try run("img-cache", ["get", "--print", "path"], stdin: .lines([broken])).expect(69).stdout == "")
        #expect(try run("img-cache", ["get", "--print", "path"], stdin: .lines([busy])).expect(75).stdout == "")
        #expect(
            try run("img-cache", ["get", "--print", "path"], stdin: .lines([busy, broken])).expect(69).stdout == "")
        #expect(try run("img-cache", ["get", "--print", "n"], stdin: .lines([broken])).expect(0).stdout == "1\n")
        // A record that is well but has no such field.
        #expect(
            try run("img-downsample", ["--variant", "pager", "--print", "path"], stdin: .lines(["{\"a\":1}"])).expect(
                65
            ).stdout == "")
    }

    /// `--print path` gave a stranger's path to whatever came next, as if the picture lay there.
    @Test(
        arguments: [
            ("img-cache", ["put"], 77), ("img-cache", ["prefetch"], 77), ("img-cache", ["get"], 1),
            ("img-cache", ["info"], 1), ("img-cache", ["pin"], 1), ("gif-cache", ["put", "--no-placeholder"], 65),
            ("gif-cache", ["get"], 65), ("gif-cache", ["info"], 65), ("gif-cache", ["poster"], 65),
        ] as [(String, [String], Int32)])
    func aRecordThatAToolFailsSaysNothingOfAPictureAnyMore(tool: String, command: [String], status: Int32) throws {
        let home = try Sample.home()
        let line = #"""
            {"url":"http://127.0.0.1:1/x.jpg","path":"/etc/passwd","n":1,"cache":{"key":"k"},"id":"no id","path":"/x",\#
            "gif":{"placeholder":true},"\u0070ath":"/etc/hosts"}
            """#
        // Without the home's own leave to reach this machine.
        let guarded = command + (["put", "prefetch"].contains(command[0]) ? ["--allow-private", "0"] : [])
        let record = try home.run(tool, guarded, stdin: .lines([line])).expect(status).record
        #expect(record.names == ["url", "n", "id", "error"], "\(record)")
        let printed = try home.run(tool, guarded + ["--print", "path"], stdin: .lines([line])).expect(status)
        #expect(printed.stdout == "")
    }

    /// A list of 300,000 fields took 14 seconds.
    @Test func aRecordOfTinyFieldsPassesOrIsRefused() throws {
        let home = try Sample.home()
        let repeated = "{" + (0..<9_999).map { _ in "\"error\":{}" }.joined(separator: ",") + "}"
        #expect(try home.run("img-cache", ["put"], stdin: .lines([repeated])).expect(0).lines == [repeated])
        let tooMany = "{" + (0..<300_000).map { _ in "\"path\":0" }.joined(separator: ",") + "}"
        let record = try home.run("img-cache", ["put"], stdin: .lines([tooMany])).expect(65).record
        #expect(record.string("error.code") == "too-many-fields" && record.integer("input_line") == 1)
    }

    @Test func prettyIndentsAndChangesNothingElse() throws {
        let line = #"{"a":1.10,"b":[],"c":{},"d":[1,{"e":"x: {}, \" é"}],"error":{}}"#
        let output = try run("img-cache", ["get", "--pretty"], stdin: .lines([line])).expect(0)
        #expect(
            output.lines == [
                "{", "  \"a\": 1.10,", "  \"b\": [],", "  \"c\": {},", "  \"d\": [", "    1,", "    {",
                "      \"e\": \"x: {}, \\\" é\"", "    }", "  ],", "  \"error\": {}", "}",
            ], "\(output)")
    }

    @Test func theLogMayBeJSON() throws {
        let home = try Sample.home()
        let url = try Sample.url("log.jpg", faults: ["status-404"])
        let output = try home.run("img-cache", ["put", "--log-format", "json", url]).expect(69)
        let line = try Record(parsing: Array(output.stderr.utf8))
        #expect(line.names == ["time", "tool", "level", "message", "code", "url"])
        #expect(line.string("code") == "not-found" && line.string("url") == url)
        #expect(line.string("tool") == "img-cache" && line.string("level") == "error")
        try home.run("img-cache", ["put", "--log-format", "xml", url]).expectRefusal(64, "img-cache", "xml")
    }

    @Test func textOfStrangersIsHarmlessOnATerminal() throws {
        let home = try Sample.home()
        let output = try home.run("img-downsample", ["\u{1B}]0;owned\u{7}\u{202E}x.jpg", "--width", "9"]).expect(66)
        #expect(!output.stderr.contains("\u{1B}") && !output.stderr.contains("\u{202E}"), "\(output)")
        #expect(output.errorLines.count == 1)
    }
}
