import TestSupport
import Testing

/// The help of each command.
struct HelpTests {
    /// All commands and subcommands that help lists, as argument lists.
    static let commands: [[String]] = {
        var found: [[String]] = []
        var left = ["apod-fetch", "img-cache", "img-downsample", "gif-cache"].map { [$0] }
        while let command = left.popLast() {
            found.append(command)
            let lines = (try? run(command[0], command.dropFirst() + ["--help"]).lines) ?? []
            let list = lines.drop { $0 != "COMMANDS" }.dropFirst().prefix { $0.hasPrefix("  ") }
            for line in list where !line.hasPrefix("   ") {
                left.append(command + [String(line.split(separator: " ")[0])])
            }
        }
        return found
    }()

    @Test func helpListsAllCommands() {
        #expect(Self.commands.count == 4 + 19 + 4 + 2 + 14)
        #expect(Self.commands.contains(["img-cache", "scope", "switch"]))
    }

    @Test(arguments: commands)
    func helpIsPrintedToStandardOutputWithExamples(_ command: [String]) throws {
        let line = command.joined(separator: " ")
        let full = try run(command[0], command.dropFirst() + ["--help"]).expect(0)
        #expect(full.stderr == "" && full.stdout.contains("USAGE: \(line)"), "\(full)")
        #expect(full.stdout.contains("EXAMPLES") && full.stdout.contains("--help"), "\(full)")
        // Only examples, which are not wrapped, may be wider than 78 columns.
        let wide = full.lines.prefix { $0 != "EXAMPLES" }.filter { $0.count > 78 }
        #expect(wide.isEmpty, "\(line): \(wide)")
        #expect(full.lines.allSatisfy { $0.count <= 80 }, "\(line): \(full.lines.filter { $0.count > 80 })")
        let below = Array(command[1...])
        for words in [["help"] + below, below + ["x", "--help", "y"]] {
            #expect(try run(command[0], words).expect(0).stdout == full.stdout, "\(words)")
        }
    }

    @Test(arguments: commands)
    func fullHelpFitsAFewScreens(_ command: [String]) throws {
        let full = try run(command[0], command.dropFirst() + ["--help"]).expect(0)
        #expect(full.lines.count <= 120, "\(command) has \(full.lines.count) lines")
    }

    @Test(arguments: commands)
    func shortHelpFitsAScreen(_ command: [String]) throws {
        let line = command.joined(separator: " ")
        let short = try run(command[0], command.dropFirst() + ["-h"]).expect(0)
        #expect(short.stderr == "" && short.stdout.contains("USAGE: \(line)"), "\(short)")
        #expect(short.lines.count <= 42 && short.lines.allSatisfy { $0.count <= 78 }, "\(short)")
        #expect(short.lines.last == "See \(line) --help for details.")
    }

    @Test(arguments: ["apod-fetch", "img-cache", "img-downsample", "gif-cache"])
    func everyToolShowsVersionLibrariesAndExitStatuses(_ tool: String) throws {
        let version = try run(tool, ["--version"]).expect(0)
        let words = version.lines[0].split(separator: " ")
        #expect(words.count == 2 && words[0] == tool && words[1].contains("."), "\(version)")
        #expect(version.lines.contains { $0.hasPrefix("SQLite ") }, "\(version)")
        #expect(version.stderr == "")
        let help = try run(tool, ["--help"]).expect(0).stdout
        #expect(help.contains("EXIT STATUS"))
        for code in ["64", "75", "77", "78"] { #expect(help.contains(code), "\(tool) does not explain \(code)") }
    }

    /// Each option in an example must be listed in the help of its command.
    @Test(arguments: commands)
    func examplesUseExistingOptions(_ command: [String]) throws {
        var helps: [String: String] = [:]
        func help(_ command: [String]) throws -> String {
            let name = command.joined(separator: " ")
            if let known = helps[name] { return known }
            helps[name] = try run(command[0], Array(command[1...]) + ["--help"]).expect(0).stdout
            return helps[name] ?? ""
        }
        let lines = try help(command).split(separator: "\n").map(String.init)
        let start = try #require(lines.firstIndex { $0 == "EXAMPLES" })
        for line in lines[(start + 1)...].prefix(while: { $0.hasPrefix("  ") }) {
            for part in line.split(whereSeparator: { "|;&\"()".contains($0) }) {
                let words = part.split(separator: " ").map(String.init)
                guard let tool = words.firstIndex(where: { name in Self.commands.contains { $0[0] == name } }) else {
                    continue
                }
                let used = try #require(
                    Self.commands.filter { words[tool...].starts(with: $0) }.max { $0.count < $1.count })
                let text = try help(used)
                for option in words[tool...].filter({ $0.hasPrefix("--") }) {
                    #expect(text.contains(option), "\(used.joined(separator: " ")) has no \(option): \(line)")
                }
            }
        }
    }

    @Test func missingOrUnknownCommandIsRefused() throws {
        for tool in ["img-cache", "gif-cache"] {
            try run(tool).expectRefusal(64, tool, "no command", "put")
            try run(tool, ["pt"]).expectRefusal(64, tool, "pt", "did you mean put?")
            try run(tool, ["help", "nope"]).expectRefusal(64, tool, "nope")
            try run(tool, ["remove"]).expectRefusal(64, tool, "did you mean rm?")
            try run(tool, ["put", "--hepl"]).expectRefusal(64, tool, "did you mean --help?")
        }
        try run("img-cache", ["list"]).expectRefusal(64, "img-cache", "did you mean ls?")
    }

    @Test(.enabled(if: TestFile.exists("/dev/full")))
    func helpReportsAFullDisk() throws {
        for words in [["--help"], ["-h"], ["--version"]] {
            let output = try run(
                "/bin/sh", ["-c", "exec \"$0\" \"$@\" > /dev/full", try Tools.path("img-cache")] + words)
            try output.expectRefusal(74, "img-cache", "space")
        }
    }
}
