import Support
import TestSupport
import Testing

/// `TOOL --complete`, which the completion scripts of shells call.
struct CompletionAnswerTests {
    private let home: ToolHome
    private let picture: String

    init() throws {
        home = try ToolHome()
        picture = try home.folder.write("picture.png", DrawnPicture.gradient(4, 4).png())
    }

    private func put(_ name: String, _ arguments: [String] = []) throws {
        try home.run("img-cache", ["put", picture, "--key", name] + arguments).expect(0)
    }

    private func answer(_ words: [String], _ environment: [String: String?] = [:]) throws -> [String] {
        let output = try home.run("img-cache", ["--complete"] + words, environment: environment).expect(0)
        #expect(output.stderr == "", "\(words)")
        return output.lines
    }

    @Test func completionUsesTheConfiguredCache() throws {
        let other = home.folder.path("home/other")
        try put("here")
        try put("work", ["--scope", "work"])
        try put("there", ["--cache-dir", other])
        try home.folder.write("config/apod-tools/config.json", #"{"scope":"work"}"#)
        #expect(try answer(["get", "key:"]) == [":", "key:work"])
        #expect(try answer(["get", "--scope", "default", "key:"]) == [":", "key:here"])
        #expect(try answer(["--scope=default", "get", "key:"]) == [":", "key:here"])
        #expect(try answer(["get", "key:"], ["APOD_TOOLS_SCOPE": "default"]) == [":", "key:here"])
        #expect(try answer(["--cache-dir", other, "--scope", "default", "get", "key:"]) == [":", "key:there"])
        #expect(try answer(["--cache-dir", "~/other", "--scope", "default", "get", "key:"]) == [":", "key:there"])
        let environment = ["APOD_TOOLS_CACHE_DIR": other, "APOD_TOOLS_SCOPE": "default"]
        #expect(try answer(["get", "key:"], environment) == [":", "key:there"])
        #expect(try answer(["--scope", ""]) == [":", "default", "work"])
        #expect(try answer(["--scope", ""], ["APOD_TOOLS_CACHE_DIR": other]) == [":", "default", "work"])
    }

    @Test func completionUsesTheCurrentScope() throws {
        try put("here")
        try home.run("img-cache", ["scope", "switch", "work"]).expect(0)
        #expect(try answer(["get", "key:"]) == [":"])
        #expect(try answer(["scope", "switch", ""]) == [":", "default", "work"])
    }

    private static let questions = [
        ["get", ""], ["get", "key:"], ["--scope", ""], ["scope", "purge", ""], ["put", "--output-dir", "m", ""],
        ["put", "--config", "no.json", "key:"], ["get", "--policy", "memory", ""], ["--unknown", "get", "key:"],
    ]

    @Test func completionCreatesNoFile() throws {
        let before = home.folder.contents()
        for words in Self.questions { _ = try answer(words) }
        #expect(try home.run("gif-cache", ["--complete", "list", "--target", ""]).expect(0).lines == [":nospace"])
        #expect(home.folder.contents() == before)
    }

    /// The content of every file in the home, by its path; empty for a folder.
    private func files() throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in home.folder.contents() { files[name] = (try? home.folder.read(name)) ?? [] }
        return files
    }

    @Test(arguments: [false, true]) func completionChangesNoFile(isWithoutLog: Bool) throws {
        try put("here")
        if isWithoutLog {
            // A backup may lack the files of the write-ahead log.
            try home.run("img-cache", ["clean"]).expect(0)
            try home.shell("sqlite3 \"$APOD_TOOLS_CACHE_DIR/index.sqlite\" 'PRAGMA wal_checkpoint(TRUNCATE)' || exit 0")
                .expect(0)
            for file in ["wal", "shm"] {
                try home.shell("rm -f \"$APOD_TOOLS_CACHE_DIR/index.sqlite-\(file)\"").expect(0)
            }
        }
        let before = try files()
        for words in Self.questions { _ = try answer(words) }
        let after = try files()
        #expect(after.keys.sorted() == before.keys.sorted())
        for (name, bytes) in before { #expect(after[name] == bytes, "\(name)") }
    }

    @Test(arguments: ["garbage", "empty", "link", "folder", "unreadable configuration", "no root", "a file as root"])
    func completionIgnoresErrors(kind: String) throws {
        try put("here")
        let index = "\(home.cacheRoot)/index.sqlite"
        var environment: [String: String?] = [:]
        switch kind {
        case "garbage": try home.shell("printf garbage >'\(index)'").expect(0)
        case "empty": try home.shell(": >'\(index)'").expect(0)
        case "link": try home.shell("mv '\(index)' '\(index)2' && ln -s '\(index)2' '\(index)'").expect(0)
        case "folder": try home.shell("rm '\(index)' && mkdir '\(index)'").expect(0)
        case "unreadable configuration": try home.folder.write("config/apod-tools/config.json", "{")
        case "no root": environment = ["APOD_TOOLS_CACHE_DIR": nil, "XDG_CACHE_HOME": nil, "HOME": nil]
        default: environment = ["APOD_TOOLS_CACHE_DIR": picture]
        }
        let before = home.folder.contents()
        #expect(try answer(["get", "key:"], environment) == [":"])
        #expect(try answer(["get", ""], environment) == [":files"])
        #expect(try answer(["get", "--offli"], environment) == [":"])
        #expect(try !answer(["put", "--offli"], environment).dropFirst().isEmpty)
        #expect(home.folder.contents() == before)
    }

    @Test func completionIgnoresAClosedPipe() throws {
        let output = try home.run("img-cache", ["--complete", ""], stdout: .closedPipe).expect(0)
        #expect(output.stderr == "")
    }

    @Test(arguments: ["apod-fetch", "img-cache", "img-downsample", "gif-cache"])
    func completeOptionIsHidden(tool: String) throws {
        #expect(try !home.run(tool, ["--help"]).expect(0).stdout.contains("--complete"))
        #expect(try home.run(tool, ["--complete"]).expect(0).lines.first?.hasPrefix(":") == true)
        #expect(try home.run(tool, ["--complete", "--compl"]).expect(0).lines == [":"])
        // The option is accepted only as the first word.
        try home.run(tool, ["--quiet", "--complete", ""]).expect(64)
    }
}
