import Records
import Support
import TestSupport
import Testing

/// Runs every command shown in the documents, in order, against the sample service.
///
/// A block marked `sh` contains commands, or a single script if it begins with `#!`. A block marked `console`, or an
/// indented block that begins with `$ `, contains commands after `$ ` and their output; `…` matches text that differs
/// between runs.
@Suite struct DocumentedCommandsTests {
    /// Each document, with the minimum number of its commands that the tests run. The sample service has a video on the
    /// 5th of each month, and the tests run on any day. So commands that download pictures name dates, choose one of
    /// the newest two days, which always have pictures, or count back so far that a 5th is always included.
    private static let documents: [(name: String, commands: Int)] = [
        ("README.md", 9), ("docs/cache.md", 17), ("docs/days.md", 8), ("docs/exercises.md", 6), ("docs/gallery.md", 5),
        ("docs/records.md", 11), ("docs/scripting.md", 30), ("docs/security.md", 4), ("docs/settings.md", 0),
        ("docs/sizes-and-styles.md", 5), ("docs/packages.md", 0), ("docs/compatibility.md", 0), ("docs/scale.md", 7),
        ("docs/remote.md", 7),
    ]

    private static let tools = ["apod-fetch", "img-cache", "img-downsample", "gif-cache"]

    /// The beginnings of commands that no test can run, each with the reason.
    private static let notRun: [(beginning: String, reason: String)] = [
        ("scripts/", "they install packages and build the tools"),
        ("sudo ", "it needs an administrator"),
        ("systemctl ", "it needs the user's service manager"),
        ("gsettings ", "it needs a desktop"),
        ("plasma-apply-wallpaperimage ", "it needs a desktop"),
        ("osascript ", "it needs macOS"),
    ]

    /// Replacements for programs that documents call: `feh` and `xdg-open` check that their file exists, `parallel`
    /// passes all of its input to one command, `sleep` records its duration.
    private static let standIns = [
        "feh": "#!/bin/sh\nfor picture; do :; done\ntest -s \"$picture\"\n",
        "xdg-open": "#!/bin/sh\ntest -s \"$1\"\n",
        "parallel": "#!/bin/sh\nwhile [ \"$1\" != img-cache ]; do shift; done\nexec \"$@\"\n",
        "sleep": "#!/bin/sh\necho \"$1\" >> \"$HOME/slept\"\n",
    ]

    /// Substrings of commands that do not exit with status 0: the still of the 5th day's video is on YouTube, which
    /// tests cannot reach.
    private static let statuses: [(part: String, status: Int32)] = [
        ("apod-fetch --date 2024-02 |", 75), ("< february.ndjson", 75), ("apod-fetch --last 60 |", 75),
    ]

    private let server: SampleServer
    private let home: ToolHome

    init() throws {
        server = try SampleServer(["--size", "300x200", "--exercises", "20"])
        var environment = server.environment
        // Requests to public servers fail: they go to the sample service, which is not a proxy.
        environment["https_proxy"] = server.address
        environment["no_proxy"] = "127.0.0.1"
        home = try ToolHome(environment: environment)
        try home.folder.write("config/apod-tools/config.json", #"{"retries": 0}"#)
        for (name, script) in Self.standIns { try home.folder.write("stand-ins/\(name)", script, mode: 0o700) }
        try home.shell("sample-service --size 300x200 --draw m31.jpg > m31.jpg").expect(0)
        try home.write("addresses.txt", "\(server.url("/pictures/m31.jpg"))\n\(server.url("/pictures/m33.jpg"))\n")
        let launches = #"{"results":[{"id":"a","image":{"image_url":"\#(server.url("/pictures/pad.jpg"))"}}]}"#
        try home.write("launches.json", launches)
    }

    // MARK: Tests

    @Test(arguments: documents)
    func everyDocumentedCommandWorksAsShown(name: String, least: Int) throws {
        var count = 0
        var exports = ""
        var status: Int32 = 0
        let commands = try commands(of: name)
        for (index, command) in commands.enumerated() where !Self.isNotRun(command.text) {
            if command.text.hasPrefix("export ") { exports += command.text + "\n" }
            // If the next command is `echo $?`, its documented output is the expected status.
            let next = index + 1 < commands.count ? commands[index + 1] : nil
            let asked = next?.text == "echo $?" ? next?.output.flatMap { Int32($0.filter(\.isNumber)) } : nil
            let expected = asked ?? Self.statuses.first { command.text.contains(text: $0.part) }?.status ?? 0
            let output = try run(command, exports: exports, after: status)
            #expect(output.status == expected, "\(name), line \(command.line) should end with \(expected): \(output)")
            status = output.status ?? 1
            count += 1
            // Converts the output to the pattern syntax of the cases.
            guard let shown = command.output else { continue }
            let wanted = shown.replacing(text: "\n…\n", with: "\n...\n").replacing(text: "…", with: "*")
            let printed = "\n" + asShown(output.stdout)
            let place = "\(name), line \(command.line)"
            #expect(LinePattern.fits(printed, wanted), "\(place) shows\(wanted)but prints\(printed)")
        }
        #expect(count >= least, "only \(count) commands of \(name) were run")
    }

    @Test func commandsOfEveryDocumentAreRun() {
        let pages = TemporaryFolder.names(in: "\(Corpus.packageRoot)/docs").filter { $0.hasSuffix(".md") }
        #expect(Set(Self.documents.map(\.name)) == Set(pages.map { "docs/\($0)" } + ["README.md"]))
    }

    /// Commands in unmarked blocks would not be run.
    @Test(arguments: documents.map(\.name))
    func unmarkedBlocksContainNoCommand(name: String) throws {
        var language: Substring?
        for (index, line) in try Self.lines(of: name).enumerated() {
            if line.hasPrefix("```") {
                language = language == nil ? line.dropFirst(3) : nil
            } else if language.map({ $0 != "sh" && $0 != "console" }) ?? line.hasPrefix("    ") {
                let word = line.drop { $0 == " " }.prefix { $0 != " " }
                #expect(
                    !Self.tools.contains(String(word)),
                    "\(name), line \(index + 1): no test runs the commands of this block; mark it sh")
            }
        }
    }

    /// Commands that are not run must at least be valid bash and must not call the tools.
    @Test func commandsThatAreNotRunAreValidBash() throws {
        var unused = Set(Self.notRun.map(\.beginning))
        for (name, _) in Self.documents {
            for command in try commands(of: name) where Self.isNotRun(command.text) {
                unused = unused.filter { !command.text.hasPrefix($0) }
                try home.run("/usr/bin/env", ["bash", "-n", "-c", command.text]).expect(0)
                for word in command.text.split(separator: " ") {
                    #expect(!Self.tools.contains(String(word)), "\(command.text)")
                    if word.hasPrefix("scripts/") { #expect(TestFile.exists("\(Corpus.packageRoot)/\(word)")) }
                }
            }
        }
        #expect(unused.isEmpty, "no document contains these entries of notRun: \(unused)")
    }

    @Test func everyFieldOfTheReadmesRecordIsWritten() throws {
        let lines = try Self.lines(of: "README.md")
        let block = lines.drop { $0 != "```json" }.dropFirst().prefix { $0 != "```" }
        let shown = try Record(parsing: Array(block.joined(separator: " ").utf8))
        var command = try #require(try commands(of: "README.md").first)
        command.text = command.text.replacing(text: " --print variants.overlay.path", with: "")
        let record = try run(command).expect(0).record
        let paths = try Self.paths(of: shown)
        #expect(paths.count > 10)
        for path in paths { #expect(record.raw(path) != nil, "README shows \(path), which the record does not have") }
    }

    @Test func cronScriptRetriesAfterATransientFailure() throws {
        let script = try #require(try commands(of: "docs/scripting.md").first { $0.text.hasPrefix("#!") })
        let down = [
            "APOD_SCIENCE_URL": server.url("/wp-json/wp/v2/apod-basic", faults: ["status-503"]),
            "APOD_API_URL": server.url("/planetary/apod", faults: ["status-503"]),
        ]
        try run(script, environment: down).expect(75)
        let slept = try String(decoding: home.folder.read("home/slept"), as: UTF8.self)
        #expect(slept == "600\n3600\n7200\n0\n")
        try run(script).expect(0)
        #expect(home.folder.contents().contains { $0.hasPrefix("home/apod/") && $0.hasSuffix(".jpg") })
    }

    // MARK: Reading documents

    private struct DocumentedCommand {
        var text: String
        /// The number of the command's first line, from 1.
        let line: Int
        /// The documented output; nil if none is shown.
        var output: String?
    }

    private static func lines(of name: String) throws -> [String] {
        try TestFile.text("\(Corpus.packageRoot)/\(name)").split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
    }

    /// The commands of all blocks, in order.
    private func commands(of name: String) throws -> [DocumentedCommand] {
        var commands: [DocumentedCommand] = []
        var language: String?
        var isComplete = true
        var isIndented = false
        for (index, text) in try Self.lines(of: name).enumerated() {
            isIndented = language == nil && (text.hasPrefix("    $ ") || isIndented && text.hasPrefix("    "))
            let line = isIndented ? String(text.dropFirst(4)) : text
            if line.hasPrefix("```") {
                let isScript = commands.last?.text.hasPrefix("#!") == true
                #expect(
                    isComplete || isScript, "\(name), line \(index + 1): the command before this line is incomplete")
                language = language == nil ? String(line.dropFirst(3)) : nil
                isComplete = true
                continue
            }
            switch isIndented ? "console" : language {
            case "sh":
                if isComplete, line.isEmpty || line.hasPrefix("#") && !line.hasPrefix("#!") { continue }
                if isComplete {
                    commands.append(DocumentedCommand(text: line, line: index + 1))
                } else {
                    commands[commands.count - 1].text += "\n\(line)"
                }
                isComplete = try ends(commands[commands.count - 1].text)
            case "console":
                if !isComplete {
                    commands[commands.count - 1].text += "\n\(line)"
                    isComplete = try ends(commands[commands.count - 1].text)
                } else if line.hasPrefix("$ ") {
                    let text = String(line.dropFirst(2))
                    commands.append(DocumentedCommand(text: text, line: index + 1, output: "\n"))
                    isComplete = try ends(text)
                } else {
                    commands[commands.count - 1].output! += "\(line)\n"
                }
            default: break
            }
        }
        return commands
    }

    /// Returns whether the command is complete for bash. A script continues to the end of its block.
    private func ends(_ text: String) throws -> Bool {
        try !text.hasPrefix("#!") && !text.hasSuffix("\\")
            && home.run("/usr/bin/env", ["bash", "-n", "-c", text]).status == 0
    }

    private static func isNotRun(_ command: String) -> Bool { notRun.contains { command.hasPrefix($0.beginning) } }

    /// The paths of all fields of a record that are not objects.
    private static func paths(of record: Record) throws -> [FieldPath] {
        try record.names.flatMap { name -> [FieldPath] in
            let path = FieldPath(stringLiteral: name)
            guard let raw = record.raw(path), raw.first == UInt8(ascii: "{") else { return [path] }
            return try paths(of: Record(parsing: Array(raw))).map { FieldPath(stringLiteral: "\(name).\($0)") }
        }
    }

    // MARK: Running

    private func run(
        _ command: DocumentedCommand, exports: String = "", after status: Int32 = 0,
        environment: [String: String?] = [:]
    ) throws -> ToolOutput {
        var text = command.text
            .replacing(text: "https://example.org", with: "\(server.address)/pictures")
            .replacing(
                text: "https://ll.thespacedevs.com/2.3.0/launches/upcoming/?limit=10",
                with: "file://\(home.path("launches.json"))")
        if text.hasPrefix("#!") {
            let file = try home.folder.write("script", text + "\n", mode: 0o700)
            text = file
        }
        let prelude = "export PATH=\"\(home.folder.path("stand-ins")):$PATH\"\n\(exports)(exit \(status))\n"
        // Merges both streams, as a terminal does.
        return try home.shell(
            prelude + (command.output == nil ? text : "{ \(text)\n} 2>&1"), environment: environment)
    }

    /// Replaces addresses and paths in the output with the names that the documents show.
    private func asShown(_ text: String) -> String {
        text.replacing(text: "\(server.address)/pictures", with: "https://example.org")
            .replacing(text: home.cacheRoot, with: "/home/me/.cache/apod-tools")
            .replacing(text: home.work, with: "/home/me")
    }
}
