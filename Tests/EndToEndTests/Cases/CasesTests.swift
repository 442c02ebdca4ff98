import Libc
import Support
import TestSupport
import Testing

/// Runs every case of `Tests/Cases`; its README describes how to add a case.
@Suite struct CasesTests {
    private static let root = "\(Corpus.packageRoot)/Tests/Cases"

    /// `tool/name` of each case.
    private static let names: [String] = TemporaryFolder.names(in: root).sorted().flatMap { tool in
        tool == "README.md" ? [] : TemporaryFolder.names(in: "\(root)/\(tool)").sorted().map { "\(tool)/\($0)" }
    }

    /// The cases whose names contain the value of `APOD_TOOLS_CASES`, or all cases if it is unset.
    private static let chosen: [String] = {
        guard let part = getenv("APOD_TOOLS_CASES").map({ String(cString: $0) }) else { return names }
        return names.filter { $0.contains(part) }
    }()

    /// The files that define a case. All other files are copied for its commands.
    private static let parts: Set = ["args", "in", "out", "err", "code", "setup", "service", "session", "unchecked"]

    private static let server = try? SampleServer(["--size", "40x30", "--exercises", "20"])

    @Test func everyToolHasCases() {
        #expect(Self.names.count > 60)
        for tool in ["apod-fetch", "gif-cache", "img-cache", "img-downsample"] {
            #expect(Self.names.contains { $0.hasPrefix("\(tool)/") }, "\(tool) has no cases")
        }
    }

    @Test(arguments: chosen) func caseHasItsExpectedResult(_ name: String) throws {
        let tool = String(name.prefix { $0 != "/" })
        func file(_ part: String) -> String? { try? TestFile.text("\(Self.root)/\(name)/\(part)") }
        let server =
            try file("service").map { try SampleServer($0.split(whereSeparator: \.isWhitespace).map(String.init)) }
            ?? #require(Self.server)
        let home = try ToolHome(environment: server.environment.merging(["SERVER": server.address]) { $1 })
        for part in TemporaryFolder.names(in: "\(Self.root)/\(name)") where !Self.parts.contains(part) {
            try home.write(part, TestFile.bytes("\(Self.root)/\(name)/\(part)"))
        }
        if let setup = file("setup") { try home.shell("set -e\n\(setup)").expect(0) }
        let schema = try file("unchecked") == nil ? RecordSchema.published.get() : nil
        if let session = file("session") {
            if let fault = try Session(session).run(in: home, schema) { Issue.record("\(name): \(fault)") }
            let given = TemporaryFolder.names(in: "\(Self.root)/\(name)").map { "! -name '\($0)' " }.joined()
            let made = try home.shell("find . -maxdepth 1 -type f -size -200k \(given)-exec grep -ah '^{' {} +")
            let fault = try schema?.fault(ofLinesIn: made.stdoutBytes)
            #expect(fault == nil, "\(name) writes a record that docs/record.schema.json does not describe")
            return
        }
        let arguments = try #require(file("args"), "\(name) has neither args nor session")
        let output = try home.shell("\(tool) \(arguments)", stdin: file("in").map { .text($0) } ?? .empty)

        let fault = try schema?.fault(ofLinesIn: output.stdoutBytes)
        #expect(fault == nil, "\(name) prints a record that docs/record.schema.json does not describe")
        let expected = file("code").flatMap { Int32($0.filter { !$0.isWhitespace }) } ?? 0
        #expect(output.status == expected, "\(name) should end with \(expected): \(output)")
        for (part, text) in [("out", output.stdout), ("err", output.stderr)] {
            guard let wanted = file(part) else { continue }
            #expect(LinePattern.fits(text, wanted), "\(name): standard \(part) should be\n\(wanted)\nbut: \(output)")
        }
    }

    @Test(arguments: [
        ("a\nb\n", "a\nb\n", true), ("a\n", "b\n", false), ("a\nb\nc\n", "a\n...\n", true), ("", "...\n", true),
        ("a\nb\nc\n", "...\nc\n", true), ("a\nb\n", "...\nc\n", false), ("xyz\n", "x*z\n", true), ("xy\n", "*\n", true),
        ("a\n", "", false), ("", "", true), ("aab\n", "*ab\n", true),
    ])
    func patternsMatchAsDocumented(_ text: String, _ wanted: String, _ fit: Bool) {
        #expect(LinePattern.fits(text, wanted) == fit)
    }
}
