import Support
import TestSupport
import Testing

/// The scripts in `completions/`, each run by its shell.
struct CompletionTests {
    /// A command line with its expected completions.
    struct Case: Sendable {
        let line: String
        var has: [String] = []
        var lacks: [String] = []
        /// Whether the shell must offer no other completions.
        var isAll = false
    }

    private static let files = ["a.jpg", "b c.jpg", "thumbs"]
    private static let folder = "\(Corpus.packageRoot)/completions"

    private static let cases: [Case] = [
        // Commands and options.
        Case(line: "img-cache ", has: ["put", "get", "scope", "settings"], lacks: files),
        Case(line: "img-cache help pu", has: ["put", "pull", "push"], isAll: true),
        Case(line: "img-cache sc", has: ["scope"], isAll: true),
        Case(line: "img-cache scope ", has: ["list", "current", "switch", "purge"], isAll: true),
        Case(line: "img-cache --scope work g", has: ["get"], isAll: true),
        Case(line: "img-cache --match x ls --pinn", has: ["--pinned"], isAll: true),
        Case(line: "img-cache put --off", has: ["--offline"], isAll: true),
        Case(line: "img-cache get --off", isAll: true),
        Case(line: "img-cache put --no-s", has: ["--no-stale"], isAll: true),
        Case(line: "img-downsample st", has: ["styles"], isAll: true),
        Case(line: "img-downsample a.jpg --gravi", has: ["--gravity"], isAll: true),
        Case(line: "img-downsample styles --js", has: ["--json"], isAll: true),
        Case(line: "apod-fetch --fallback", has: ["--fallback-previous"], isAll: true),
        // Files and folders.
        Case(line: "img-downsample ", has: files + ["styles"]),
        Case(line: "img-downsample a", has: ["a.jpg"], isAll: true),
        Case(line: "img-downsample b", has: ["b c.jpg"], isAll: true),
        Case(line: "img-downsample --output-dir ", has: ["thumbs"], isAll: true),
        Case(line: "img-downsample --output-dir t", has: ["thumbs"], isAll: true),
        Case(line: "img-downsample -o ", has: files, lacks: ["styles"]),
        Case(line: "img-cache --config ", has: files, isAll: true),
        Case(line: "img-cache --config=a", has: ["--config=a.jpg"], isAll: true),
        Case(line: "img-cache put --header ", isAll: true),
        Case(line: "img-cache put --bearer-file ", has: files, isAll: true),
        Case(line: "img-cache put --jobs 4 a", has: ["a.jpg"], isAll: true),
        // Values.
        Case(line: "img-downsample --variant ", has: ["pager", "overlay", "launch-card"], lacks: files),
        Case(line: "img-downsample --variant pager,ov", has: ["pager,overlay"], isAll: true),
        Case(line: "img-downsample --variant=pager,ov", has: ["--variant=pager,overlay"], isAll: true),
        Case(line: "img-downsample --variant pager,p", has: ["pager,preference-view"], isAll: true),
        Case(line: "img-downsample --format ", has: ["auto", "jpeg", "png", "webp", "avif", "gif"], isAll: true),
        Case(line: "img-downsample --gravity north", has: ["north", "northeast", "northwest"], isAll: true),
        Case(line: "img-downsample --rotate ", has: ["90", "180", "270"], isAll: true),
        Case(line: "img-cache put --policy ", has: ["enabled", "disabled", "memory"], isAll: true),
        Case(line: "img-cache stats --format ", has: ["text", "json", "prometheus"], isAll: true),
        Case(line: "apod-fetch --media image,v", has: ["image,video"], isAll: true),
        Case(line: "apod-fetch --last ", isAll: true),
    ]

    /// A home with two pictures and a subfolder.
    private func home(_ environment: [String: String] = [:]) throws -> ToolHome {
        let home = try ToolHome(environment: environment)
        try home.write("a.jpg", "")
        try home.write("b c.jpg", "")
        try home.folder.makeFolder("work/thumbs")
        return home
    }

    private func check(_ cases: [Case], _ shell: CompletingShell, in home: ToolHome) throws {
        let offers = try shell.offers(cases.map(\.line), scripts: Self.folder, in: home)
        #expect(offers.count == cases.count)
        for (test, offers) in zip(cases, offers) {
            let words = Set(offers.map(\.word))
            let missing = Set(test.has).subtracting(words)
            #expect(missing.isEmpty, "\(shell) at \"\(test.line)\" lacks \(missing.sorted())")
            let added = test.isAll ? words.subtracting(test.has) : words.intersection(test.lacks)
            #expect(added.isEmpty, "\(shell) at \"\(test.line)\" offers \(added.sorted())")
        }
    }

    @Test(arguments: CompletingShell.allCases.filter(\.isPresent))
    func commandsOptionsFilesAndValuesAreCompleted(shell: CompletingShell) throws {
        try check(Self.cases, shell, in: try home())
    }

    @Test(arguments: CompletingShell.allCases.filter(\.isPresent))
    func scopesAndKeysAreCompletedFromTheCache(shell: CompletingShell) throws {
        let home = try home()
        let picture = try home.folder.write("picture.png", DrawnPicture.gradient(4, 4).png())
        try home.run("img-cache", ["put", picture, "--key", "alpha one"]).expect(0)
        try home.run("img-cache", ["put", picture]).expect(0)
        try home.run("img-cache", ["put", picture, "--scope", "work"]).expect(0)
        try check(
            [
                Case(line: "img-cache --scope ", has: ["default", "work"], isAll: true),
                Case(line: "img-cache --scope=w", has: ["--scope=work"], isAll: true),
                Case(line: "img-cache scope switch w", has: ["work"], isAll: true),
                Case(line: "gif-cache ls --scope w", has: ["work"], isAll: true),
                Case(line: "img-cache get ", has: ["key:alpha one", "file://\(picture)"] + Self.files, isAll: true),
                // In bash, a colon ends a word.
                Case(line: "img-cache get key:", has: ["key:alpha one"], lacks: ["file://\(picture)"]),
                Case(line: "img-cache rm file:", has: ["file://\(picture)"], lacks: ["key:alpha one"]),
                Case(line: "img-cache rm file:///", has: ["file://\(picture)"], lacks: ["key:alpha one"]),
            ], shell, in: home)
    }

    @Test(arguments: CompletingShell.allCases.filter(\.isPresent))
    func exercisesAreCompletedFromTheCachedList(shell: CompletingShell) throws {
        let service = try SampleServer(["--exercises", "40"])
        let home = try home(service.environment)
        let list = try home.run("gif-cache", ["list"]).expect(0).records
        try home.run("gif-cache", ["put", "0001"]).expect(0)
        let parts = Array(Set(list.compactMap { $0.string("bodyPart") }))
        let items = Array(Set(list.compactMap { $0.string("equipment") }))
        service.stop()
        let first = try #require(parts.sorted().first { !$0.contains(" ") })
        try check(
            [
                Case(line: "gif-cache list --body-part ", has: parts, isAll: true),
                Case(line: "gif-cache mirror --equipment ", has: items, isAll: true),
                Case(
                    line: "gif-cache list --body-part \(first),",
                    has: parts.filter { $0 != first }.map { "\(first),\($0)" }, isAll: true),
                Case(line: "gif-cache get ", has: ["0001"], isAll: true),
                Case(line: "gif-cache put --resolution ", has: ["180", "360", "720", "1080"], isAll: true),
            ], shell, in: home)
    }

    @Test(.enabled(if: CompletingShell.bash.isPresent)) func quotedKeysAreCompleted() throws {
        let home = try home()
        let picture = try home.folder.write("picture.png", DrawnPicture.gradient(4, 4).png())
        try home.run("img-cache", ["put", picture, "--key", "q?a=1&b"]).expect(0)
        let offers = try CompletingShell.bash.offers(
            ["img-cache get 'key:", "img-cache get \"key:q", "img-cache get key\\:q"], scripts: Self.folder, in: home)
        // Outside quotes, bash keeps the text before the last `=`.
        #expect(offers.map { $0.map(\.word) } == [["'key:key:q?a=1&b"], ["\"key:key:q?a=1&b"], ["key:key:q?a=1&b"]])
    }

    /// Names with shell metacharacters. Unescaped, each would run a command or become several arguments.
    private static let hostile = [
        "1 two  blanks", "2$(touch pwned)", "3`touch pwned`", "4'single", "5\"double", "6;touch pwned", "7&touch pwned",
        "8|<>(){}[]*?~#%^", "9\\back\\,slash\\", "aé ü 🌌", "b=c:d,e", "c$HOME", "d!!", "e' ; touch pwned ; '",
        "f\" ; touch pwned ; \"",
    ]

    @Test(arguments: CompletingShell.allCases.filter(\.canBeTypedIn))
    func hostileNamesReachTheToolUnchanged(shell: CompletingShell) throws {
        let home = try home()
        let picture = try home.folder.write("picture.png", DrawnPicture.gradient(4, 4).png())
        for name in Self.hostile {
            try home.run("img-cache", ["put", picture, "--key", name, "--scope", "s\(name)"]).expect(0)
            try home.run("img-cache", ["put", picture, "--key", name]).expect(0)
        }
        let prefixes = Self.hostile.map { $0.prefix(1) }
        let lines =
            prefixes.map { "img-cache get key:\($0)" } + prefixes.map { "img-cache scope switch s\($0)" }
            + prefixes.map { "img-cache ls --scope=s\($0)" } + ["img-cache put b"]
        let arguments = try shell.arguments(typing: lines, scripts: Self.folder, in: home)
        let gets = Self.hostile.map { ["get", "key:\($0)"] }
        let switches = Self.hostile.map { ["scope", "switch", "s\($0)"] }
        let lists = Self.hostile.map { ["ls", "--scope=s\($0)"] }
        #expect(arguments == gets + switches + lists + [["put", "b c.jpg"]])
        #expect(!TestFile.exists(home.path("pwned")), "a name was executed as a command")
    }

    @Test(arguments: CompletingShell.allCases.filter(\.canBeTypedIn))
    func keysBesideFileNamesReachTheToolUnchanged(shell: CompletingShell) throws {
        let home = try home()
        let picture = try home.folder.write("picture.png", DrawnPicture.gradient(4, 4).png())
        try home.run("img-cache", ["put", picture, "--key", "a $(touch pwned) `touch pwned` ' \" ;"]).expect(0)
        let arguments = try shell.arguments(typing: ["img-cache get k"], scripts: Self.folder, in: home)
        #expect(arguments == [["get", "key:a $(touch pwned) `touch pwned` ' \" ;"]])
        #expect(!TestFile.exists(home.path("pwned")), "a name was executed as a command")
    }

    @Test(arguments: CompletingShell.allCases.filter(\.canBeTypedIn))
    func quotedNamesReachTheToolUnchanged(shell: CompletingShell) throws {
        let home = try home()
        let picture = try home.folder.write("picture.png", DrawnPicture.gradient(4, 4).png())
        for name in Self.hostile { try home.run("img-cache", ["put", picture, "--key", name]).expect(0) }
        // Within double quotes, bash expands `!` as a history reference.
        let names = Self.hostile.filter { !$0.contains("!") }
        let lines = ["'", "\""].flatMap { quote in names.map { "img-cache get \(quote)key:\($0.prefix(1))" } }
        let arguments = try shell.arguments(typing: lines, scripts: Self.folder, in: home)
        #expect(arguments == (names + names).map { ["get", "key:\($0)"] })
        #expect(!TestFile.exists(home.path("pwned")), "a name was executed as a command")
        if shell == .bash {
            #expect(try shell.offers(["img-cache get \"key:d"], scripts: Self.folder, in: home) == [[]])
        }
    }

    @Test(arguments: CompletingShell.allCases.filter(\.isPresent)) func completionScriptIsValid(shell: CompletingShell)
        throws
    {
        let home = try ToolHome()
        let name = shell == .zsh ? "_apod-tools" : "apod-tools.\(shell)"
        let output = try home.run("/usr/bin/env", [shell.rawValue, "-n", "\(Self.folder)/\(name)"]).expect(0)
        #expect(output.stderr == "")
        let printed = try home.run("img-downsample", ["--generate", "complete-\(shell)"]).expect(0).stdoutBytes
        #expect(try printed == TestFile.bytes("\(Self.folder)/\(name)"))
    }
}
