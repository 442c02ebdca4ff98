import Support
import TestSupport
import Testing

/// Documents must name only existing files, options and fields.
@Suite struct DocumentsTests {
    private static func document(_ name: String) throws -> String {
        try TestFile.text("\(Corpus.packageRoot)/\(name)")
    }

    /// The documents for users, without the manuals.
    private static let documents =
        ["README.md", "SECURITY.md", "CHANGELOG.md"]
        + [
            "records", "sizes-and-styles", "cache", "days", "exercises", "gallery", "security", "settings", "scripting",
            "packages", "compatibility", "scale", "remote",
        ].map { "docs/\($0).md" }

    /// The code spans of a text. A span does not cross lines.
    private static func quoted(_ text: some StringProtocol) -> [Substring] {
        text.split(separator: "\n").flatMap { line in
            line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
                .compactMap { $0.offset % 2 == 1 ? Substring($0.element) : nil }
        }
    }

    @Test func listOfDocumentsIsComplete() throws {
        let pages = TemporaryFolder.names(in: "\(Corpus.packageRoot)/docs").filter { $0.hasSuffix(".md") }
        #expect(Set(pages.map { "docs/\($0)" }) == Set(Self.documents.filter { $0.hasPrefix("docs/") }))
        #expect(try Self.document("README.md").utf8.count <= 9216)
    }

    @Test(arguments: documents + ["CONTRIBUTING.md"])
    func documentsNameOnlyExistingOptions(name: String) throws {
        let commands =
            [
                ["apod-fetch"], ["img-downsample"], ["img-downsample", "gallery"],
            ]
            + [
                "list", "mirror", "put", "get", "has", "path", "cat", "info", "poster", "ls", "rm", "pin", "unpin",
                "verify",
            ].map { ["gif-cache", $0] }
            + [
                "put", "prefetch", "explain", "get", "has", "path", "cat", "ls", "info", "rm", "pin", "unpin", "clean",
                "verify", "push", "pull", "stats",
            ].map { ["img-cache", $0] } + ["list", "current", "switch", "purge"].map { ["img-cache", "scope", $0] }
        let home = try ToolHome()
        // Options of scripts and other programs, a property of CSS, and two options that no help lists.
        var options: Set<Substring> = [
            "--with-bench", "--filter", "--sanitize", "--shared-libraries", "--with-packaging", "--one-program",
            "--check-reproducible", "--check-install", "--revision", "--uninstall", "--now", "--user", "--bg-fill",
            "--generate", "--complete", "--pipe", "--keep-order", "--sshlogin", "--verify", "--double-tap",
        ]
        for command in commands {
            let help = try home.run(command[0], command.dropFirst() + ["--help"]).expect(0).stdout
            for word in Self.options(in: help) { options.insert(Substring(word)) }
        }
        for option in Self.options(in: try Self.document(name)) {
            #expect(options.contains(Substring(option)), "\(name) names \(option), which no tool has")
        }
    }

    /// All options of the form `--word` in a text.
    private static func options(in text: String) -> Set<String> {
        let letters = text.split { !($0.isLetter || $0.isNumber || $0 == "-") }
        return Set(letters.filter { $0.hasPrefix("--") && $0.dropFirst(2).first?.isLetter == true }.map(String.init))
    }

    @Test(arguments: ["apod-fetch", "img-cache", "img-downsample", "gif-cache"])
    func manualListsExactlyTheOptionsOfItsTool(tool: String) throws {
        let known = try Self.helpOptions(of: tool).union(["--help", "--version"])
        let named = Self.manualOptions(in: try Self.document("man/\(tool).1"))
        #expect(known.subtracting(named).isEmpty, "the manual lacks \(known.subtracting(named).sorted())")
        #expect(named.subtracting(known).isEmpty, "no command has \(named.subtracting(known).sorted())")
    }

    @Test func everyOptionIsInAHandwrittenPage() throws {
        let tools = ["apod-fetch", "img-cache", "img-downsample", "gif-cache"]
        var known: Set<String> = []
        for tool in tools { known.formUnion(try Self.helpOptions(of: tool)) }
        var named: Set<String> = []
        for name in Self.documents where name != "CHANGELOG.md" {
            var page = try Self.document(name)
            // Excludes the generated table of settings.
            if let table = page.firstRange(of: "<!-- The table"), let end = page.firstRange(of: "<!-- End of") {
                page.removeSubrange(table.lowerBound..<end.lowerBound)
            }
            named.formUnion(Self.options(in: page))
        }
        for name in TemporaryFolder.names(in: "\(Corpus.packageRoot)/man/parts") {
            let part = try Self.document("man/parts/\(name)")
            named.formUnion(Self.manualOptions(in: part).union(Self.options(in: part.replacing("\\-", with: "-"))))
        }
        #expect(known.count > 50)
        #expect(known.subtracting(named).isEmpty, "no page names \(known.subtracting(named).sorted())")
    }

    /// The long options in the help of a tool and its commands.
    private static func helpOptions(of tool: String) throws -> Set<String> {
        let home = try ToolHome()
        var options: Set<String> = []
        // Each command and its subcommands.
        var commands = [[tool]]
        while let command = commands.popLast() {
            let lines = try home.run(command[0], command.dropFirst() + ["--help"]).expect(0).lines
            // A row is a name, at least two spaces, and its description.
            let rows = lines.filter { $0.hasPrefix("  -") }.map { $0.dropFirst(2).split(separator: "  ")[0] }
            for row in rows { options.formUnion(Self.options(in: String(row))) }
            let list = lines.drop { $0 != "COMMANDS" }.dropFirst().prefix { $0.hasPrefix("  ") }
            for line in list where line.dropFirst(2).first != " " {
                commands.append(command + [String(line.split(separator: " ")[0])])
            }
        }
        return options
    }

    /// The long options in the source of a manual page: `Fl -word`, separated by commas.
    private static func manualOptions(in page: String) -> Set<String> {
        var options: Set<String> = []
        for line in page.replacing("\\-", with: "-").split(separator: "\n") where line.hasPrefix(".") {
            guard let start = line.firstRange(of: "Fl ")?.upperBound else { continue }
            for word in line[start...].split(separator: " ") where word.hasPrefix("-") && word.count > 2 {
                options.insert("-\(word)")
            }
        }
        return options
    }

    @Test func everyFieldOfTheConfigurationFileIsAccepted() throws {
        let rows = try Self.document("docs/settings.md").split(separator: "\n")
            .map { $0.split(separator: "|", omittingEmptySubsequences: false) }
        guard let table = rows.firstIndex(where: { $0.count == 7 && $0[4].contains("field of the file") }) else {
            Issue.record("there is no table of settings")
            return
        }
        let values = [
            "cache_dir": "x", "scope": "x", "ttl": "1d", "capacity": "1GB", "lease": "1m", "jobs": "2", "timeout": "9s",
            "retries": "1", "max_bytes": "1MB", "allow_private": "1", "allow_shared_root": "true", "quality": "50",
            "effort": "9",
            "science_url": "https://example.org", "api_url": "https://example.org",
            "exercisedb_url": "https://example.org", "resolution": "360", "max_pixels": "9", "max_frames": "9",
            "max_animation_pixels": "9", "max_memory": "9MB", "max_seconds": "9", "metrics": "metrics.ndjson",
            "negative_ttl": "1m", "respect_cache_control": "true", "jobs_per_host": "2", "rate": "1MB",
            "header_file": "headers", "bearer_file": "token", "netrc_file": "netrc", "netrc": "false",
            "decoder": "full", "linear": "true", "fallback_icon": "icon.png", "font": "sans", "page_size": "9",
            "feed_url": "https://example.org/a.xml",
            "allow_path": "/pictures:/more",
            "service": "science", "sync": "true", "confinement": "true", "policy": "enabled", "memory_capacity": "9MB",
            "memory_entries": "9", "memory_bytes": "9MB", "remote": "https://example.org", "remote_mode": "read",
            "remote_scopes": "none", "remote_timeout": "1s", "remote_wait": "1s", "remote_header_file": "headers",
            "remote_key_file": "key", "remote_cacert": "ca.pem", "allow_insecure_redirects": "true",
            "log_format": "json", "progress": "none", "cacert": "ca.pem", "delay": "1s", "degrade": "false",
            "key_ignore_query": "utm", "expiry_fields": "until", "exercisedb_api_key_file": "token",
        ]
        // Fields whose values are objects.
        let objects = [
            "styles": #""styles": {"hero": {"width": 9}}"#, "policy_rules": #""policy_rules": {"*/x/*": "disabled"}"#,
        ]
        var fields: Set<String> = []
        for row in rows[(table + 2)...].prefix(while: { $0.count == 7 }) {
            // The name of a field may be followed by the form of its object, which begins with `{`.
            for field in Self.quoted(row[4]) where !field.hasPrefix("{") { fields.insert(String(field)) }
        }
        #expect(fields == Set(values.keys).union(objects.keys))
        let object = (values.map { "\"\($0.key)\": \"\($0.value)\"" } + objects.values).joined(separator: ", ")
        let home = try ToolHome()
        let file = try home.write("config.json", "{\(object)}")
        for (name, text) in ["headers": "X: 1", "token": "t", "netrc": "", "key": "0123456789abcdef"] {
            try home.write(name, text)
        }
        for tool in ["img-cache put", "gif-cache put", "img-downsample --width 9"] {
            let words = tool.split(separator: " ").map(String.init)
            try home.run(words[0], words.dropFirst() + ["--config", file]).expect(0)
        }
    }

    @Test func filesNamedInTheArchitectureExist() throws {
        let sources = try Self.sourceNames()
        let rows = try Self.document("ARCHITECTURE.md").split(separator: "\n").filter { $0.hasPrefix("| ") }
        #expect(rows.count { $0.split(separator: "|").count == 3 } > 15)
        for row in rows.dropFirst() {
            let cells = row.split(separator: "|")
            guard cells.count == 3, let last = cells.last else { continue }
            for name in Self.quoted(last) {
                let file = name.contains(".") ? String(name) : "\(name).swift"
                #expect(sources.contains(file), "ARCHITECTURE names \(name)")
            }
        }
    }

    /// The names of all files below `Sources`.
    private static func sourceNames() throws -> Set<String> {
        let found = try ToolHome().run("/usr/bin/find", ["\(Corpus.packageRoot)/Sources", "-type", "f"]).expect(0)
        return Set(found.lines.map { String($0.split(separator: "/").last ?? "") })
    }

    @Test(arguments: documents + ["ARCHITECTURE.md", "CONTRIBUTING.md"])
    func linksWithinTheRepositoryAreValid(name: String) throws {
        for piece in try Self.document(name).split(separator: "](").dropFirst() {
            let target = piece.prefix { $0 != ")" && $0 != "#" }
            guard !target.hasPrefix("http") else { continue }
            let folder = name.hasPrefix("docs/") ? "/docs" : ""
            #expect(TestFile.exists("\(Corpus.packageRoot)\(folder)/\(target)"), "\(name) links to \(target)")
        }
    }
}
