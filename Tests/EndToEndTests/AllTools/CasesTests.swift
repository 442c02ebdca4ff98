import Support
import TestSupport
import Testing

/// Runs every case of `Tests/Cases`; the README there says how to add one.
@Suite struct CasesTests {
    private static let root = "\(Corpus.packageRoot)/Tests/Cases"

    /// `tool/name` of each case.
    private static let names: [String] = TemporaryFolder.names(in: root).sorted().flatMap { tool in
        tool == "README.md" ? [] : TemporaryFolder.names(in: "\(root)/\(tool)").sorted().map { "\(tool)/\($0)" }
    }

    private static let server = try? SampleServer(["--size", "40x30", "--exercises", "20"])

    @Test func thereAreCasesForEachTool() {
        #expect(Self.names.count > 60)
        for tool in ["apod-fetch", "gif-cache", "img-cache", "img-downsample"] {
            #expect(Self.names.contains { $0.hasPrefix(tool) }, "none for \(tool)")
        }
    }

    @Test(arguments: names) func eachCaseEndsAsItSays(_ name: String) throws {
        let server = try #require(Self.server)
        let tool = String(name.prefix { $0 != "/" })
        func file(_ part: String) -> String? { try? TestFile.text("\(Self.root)/\(name)/\(part)") }
        let arguments = try #require(file("args"), "\(name) has no args")
        let home = try ToolHome(environment: server.environment.merging(["SERVER": server.address]) { $1 })
        if let setup = file("setup") { try home.shell("set -e\n\(setup)").expect(0) }
        let output = try home.shell("\(tool) \(arguments)", stdin: file("in").map { .text($0) } ?? .empty)

        let expected = file("code").flatMap { Int32($0.filter { !$0.isWhitespace }) } ?? 0
        #expect(output.status == expected, "\(name) should end with \(expected): \(output)")
        for (part, text) in [("out", output.stdout), ("err", output.stderr)] {
            guard let wanted = file(part) else { continue }
            #expect(Self.fits(text, wanted), "\(name): standard \(part) should be\n\(wanted)\nbut: \(output)")
        }
    }

    /// Whether a text is as a case says: line by line, with `*` for any characters of a line, and `...` alone on a line
    /// for any lines.
    static func fits(_ text: String, _ wanted: String) -> Bool {
        fits(lines(text)[...], lines(wanted)[...])
    }

    private static func lines(_ text: String) -> [String] {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        if lines.last == "" { lines.removeLast() }
        return lines
    }

    private static func fits(_ lines: ArraySlice<String>, _ wanted: ArraySlice<String>) -> Bool {
        guard let first = wanted.first else { return lines.isEmpty }
        if first == "..." {
            return fits(lines, wanted.dropFirst()) || !lines.isEmpty && fits(lines.dropFirst(), wanted)
        }
        guard let line = lines.first, matches(Substring(line), Substring(first)) else { return false }
        return fits(lines.dropFirst(), wanted.dropFirst())
    }

    private static func matches(_ line: Substring, _ pattern: Substring) -> Bool {
        guard let star = pattern.firstIndex(of: "*") else { return line == pattern }
        let head = pattern[..<star]
        guard line.hasPrefix(head) else { return false }
        var rest = line.dropFirst(head.count)
        let tail = pattern[pattern.index(after: star)...]
        while true {
            if matches(rest, tail) { return true }
            if rest.isEmpty { return false }
            rest = rest.dropFirst()
        }
    }

    @Test(arguments: [
        ("a\nb\n", "a\nb\n", true), ("a\n", "b\n", false), ("a\nb\nc\n", "a\n...\n", true), ("", "...\n", true),
        ("a\nb\nc\n", "...\nc\n", true), ("a\nb\n", "...\nc\n", false), ("xyz\n", "x*z\n", true), ("xy\n", "*\n", true),
        ("a\n", "", false), ("", "", true), ("aab\n", "*ab\n", true),
    ])
    func patternsMeanWhatTheReadmeSays(_ text: String, _ wanted: String, _ fit: Bool) {
        #expect(Self.fits(text, wanted) == fit)
    }
}
