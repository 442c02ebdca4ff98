import TestSupport
import Testing

/// What each command says about itself.
struct HelpTests {
    private static let commands =
        [
            ["apod-fetch"], ["img-cache"], ["img-downsample"], ["gif-cache"],
        ]
        + [
            "put", "get", "has", "cat", "path", "info", "poster", "ls", "size", "rm", "clear", "pin", "unpin", "verify",
        ].map { ["gif-cache", $0] }
        + [
            "put", "get", "has", "cat", "path", "ls", "info", "rm", "pin", "unpin", "clean", "verify", "stats",
        ].map { ["img-cache", $0] }

    @Test(arguments: commands)
    func helpGoesToStandardOutputAndHasExamples(_ command: [String]) throws {
        for flag in ["--help", "-h"] {
            let output = try run(command[0], Array(command[1...]) + [flag]).expect(0)
            #expect(output.stderr == "")
            #expect(output.stdout.contains("EXAMPLES"), "\(output)")
            #expect(output.stdout.contains("USAGE: \(command.joined(separator: " "))"), "\(output)")
            #expect(output.stdout.contains("--help"))
        }
    }

    @Test(arguments: ["apod-fetch", "img-cache", "img-downsample", "gif-cache"])
    func everyToolSaysItsVersionAndItsExitStatus(_ tool: String) throws {
        let version = try run(tool, ["--version"]).expect(0)
        #expect(version.lines.count == 1 && version.stdout.contains("."), "\(version)")
        #expect(version.stderr == "")
        let help = try run(tool, ["--help"]).expect(0).stdout
        #expect(help.contains("EXIT STATUS"))
        for code in ["64", "75", "77", "78"] { #expect(help.contains(code), "\(tool) does not tell of \(code)") }
    }

    /// Whatever stands behind a tool's name in an example is an option that its command knows.
    @Test(arguments: commands)
    func theExamplesUseOptionsThatThereAre(_ command: [String]) throws {
        var helps: [String: String] = [:]
        func help(_ command: [String]) throws -> String {
            let name = command.joined(separator: " ")
            if let known = helps[name] { return known }
            helps[name] = try run(command[0], Array(command[1...]) + ["--help"]).expect(0).stdout
            return helps[name] ?? ""
        }
        let lines = try help(command).split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0.hasSuffix("EXAMPLES") })
        for line in lines[(start + 1)...].prefix(while: { $0.hasPrefix("  ") }) {
            for part in line.split(whereSeparator: { "|;&\"()".contains($0) }) {
                let words = part.split(separator: " ").map(String.init)
                guard let tool = words.firstIndex(where: { name in Self.commands.contains { $0[0] == name } }) else {
                    continue
                }
                let known = Self.commands.contains { words[tool...].starts(with: $0) && $0.count == 2 }
                let used = Array(words[tool...].prefix(known ? 2 : 1))
                let text = try help(used)
                for option in words[tool...].filter({ $0.hasPrefix("--") }) {
                    #expect(text.contains(option), "\(used.joined(separator: " ")) has no \(option): \(line)")
                }
            }
        }
    }

    @Test func aMissingCommandShowsWhatThereIs() throws {
        for tool in ["img-cache", "gif-cache"] {
            let output = try run(tool)
            #expect(output.status == 0 || output.status == 64, "\(output)")
            #expect((output.stdout + output.stderr).contains("put"), "\(output)")
            try run(tool, ["pt"]).expectRefusal(64, tool, "pt")
        }
    }
}
