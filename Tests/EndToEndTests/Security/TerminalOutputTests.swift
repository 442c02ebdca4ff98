import Records
import Support
import TestSupport
import Testing

/// Untrusted text on a terminal.
struct TerminalOutputTests {
    /// ESC, OSC, BEL, C1, a direction override and zero-width characters, as in a hostile record.
    private static let title = #"\u001b]0;x\u0007\u009b31m\u202e\u200b\u00ad!"#
    private static let raw = "\u{1B}]0;x\u{7}\u{9B}31m\u{202E}\u{200B}\u{AD}!"
    private static let record =
        #"{"date":"2024-02-01","title":"\#(title)","raw":"\#(raw.unicodeScalars.dropFirst(6).map { String($0) }.joined())","#
        + #""media_type":"image","url":"https://example.org/a.jpg","explanation":"\#(title)"}"#

    private func isSafe(_ output: ToolOutput) -> Bool {
        // The terminal adds carriage returns to line ends.
        output.stdout.replacing("\r\n", with: "\n").unicodeScalars.allSatisfy {
            $0 == "\n" || $0 == "\t" || !$0.isUnseen
        }
    }

    @Test func recordsAreEscapedAsEquivalentJSON() throws {
        let home = try ToolHome()
        for options in [[], ["--pretty"]] {
            let arguments = ["get", "--field", "url=none"] + options
            let shown = try home.run("img-cache", arguments, stdin: .text(Self.record), stdout: .terminal)
            let piped = try home.run("img-cache", arguments, stdin: .text(Self.record))
            #expect(isSafe(shown) && !isSafe(piped), "\(shown)")
            let records = try [shown, piped].map {
                try Record(parsing: Array($0.stdout.utf8.filter { $0 != 0x0A && $0 != 0x0D }))
            }
            for field: FieldPath in ["title", "raw"] { #expect(records[0].string(field) == records[1].string(field)) }
            #expect(records[0].string("title") == Self.raw)
        }
    }

    @Test func printedValuesAreEscapedAsText() throws {
        let home = try ToolHome()
        for (fields, piped) in [("title", Self.raw + "\n"), ("date,title", "2024-02-01\t\(Self.raw)\n")] {
            let arguments = ["get", "--field", "url=none", "--print", fields]
            let shown = try home.run("img-cache", arguments, stdin: .text(Self.record), stdout: .terminal)
            #expect(
                isSafe(shown) && shown.stdout.contains(#"\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{200b}\u{ad}!"#), "\(shown)")
            #expect(try home.run("img-cache", arguments, stdin: .text(Self.record)).stdout == piped)
        }
    }

    @Test(arguments: ["text", "markdown", "html", "atom", "url"])
    func everyFormatOfADayIsEscaped(_ format: String) throws {
        let service = try SampleServer([])
        let home = try ToolHome(environment: service.environment)
        try home.run("apod-fetch", ["--date", "2024-02-01", "--format", format], stdout: .terminal).expect(0)
        let shown = try home.run(
            "apod-fetch", ["--date", "2024-02-01", "--format", format], environment: ["NO_COLOR": "1"],
            stdout: .terminal
        ).expect(0)
        #expect(isSafe(shown) && !shown.stdout.isEmpty, "\(shown)")
    }

    @Test func pathsAndReportsAreEscaped() throws {
        let home = try ToolHome()
        let root = home.folder.path("cache/a\u{1B}b\u{202E}")
        try home.write("m.png", DrawnPicture.noise(20, 10, seed: 1).png())
        func run(_ arguments: [String], _ stream: ToolStream = .terminal) throws -> ToolOutput {
            try home.run("img-cache", arguments, environment: ["APOD_TOOLS_CACHE_DIR": root], stdout: stream).expect(0)
        }
        _ = try run(["put", "m.png", "--key", "a\u{202E}b"])
        for arguments in [
            ["path", "--key", "a\u{202E}b"], ["get", "--key", "a\u{202E}b"], ["info", "--key", "a\u{202E}b"], ["ls"],
            ["ls", "--json"], ["info", "--json", "--key", "a\u{202E}b"], ["settings"], ["settings", "--json"],
            ["verify"],
            ["stats"], ["stats", "--json"], ["scope", "list"], ["--help"],
        ] {
            #expect(try isSafe(run(arguments)), "\(arguments)")
        }
        #expect(try run(["path", "--key", "a\u{202E}b"], .collected).stdout.hasPrefix(root))
    }
}
