import Libc
import Records
import Support
import TestSupport
import Testing

/// Whether the kernel supports the confinement that these tests expect. If not, prints that they are skipped.
let canConfine: Bool = {
    #if os(Linux)
    let lines = (try? ToolHome().run("confinement-probe", ["none", "--"]).stdout) ?? ""
    let isAble = lines.contains("landlock") && !lines.contains("landlock 0") && lines.contains("seccomp 1")
    if !isAble { print("NO CONFINEMENT: this kernel has no Landlock, or no seccomp; its tests are SKIPPED") }
    return isAble
    #else
    return false
    #endif
}()

/// The remaining permissions of a confined process, tested from within the process.
@Suite(.enabled(if: canConfine))
struct ConfinementTests {
    private let home: ToolHome
    private let root: String

    init() throws {
        home = try ToolHome(environment: ["EXERCISEDB_API_URL": "https://example.org"])
        root = home.cacheRoot
        #expect(mkdir(root, 0o700) == 0)
    }

    /// Performs actions under a plan. Returns the error number of each.
    private func attempt(_ plan: [String], _ attempts: [String]) throws -> [Int32] {
        let output = try home.run("confinement-probe", plan + ["--"] + attempts).expect(0)
        return output.lines.suffix(attempts.count).map { line in
            Int32(line.split(separator: " ").last ?? "") ?? -1
        }
    }

    private func expect(
        _ plan: [String], _ attempts: KeyValuePairs<String, Int32>, location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try attempt(plan, attempts.map(\.key))
        for (attempt, found) in zip(attempts, found) {
            #expect(found == attempt.value, "\(attempt.key)", sourceLocation: location)
        }
    }

    @Test func otherFilesAreNotReadable() throws {
        let picture = try home.write("a.jpg", "picture")
        let secret = try home.write("secret", "word")
        try expect(
            ["cache=\(root)", "input=\(picture)"],
            [
                "read=\(picture)": 0, "read=\(secret)": EACCES, "read=/etc/shadow": EACCES, "read=/etc/passwd": EACCES,
                "list=\(home.work)": EACCES, "list=/": EACCES, "read=/proc/self/environ": EACCES,
                "write=\(picture)": EACCES,
            ])
    }

    @Test func onlyTheRootIsWritable() throws {
        let beside = try home.folder.write("cache/beside", "mine")
        try expect(
            ["cache=\(root)"],
            [
                "write=\(root)/a": 0, "folder=\(root)/b": 0, "move=\(root)/a:\(root)/b/c": 0, "remove=\(root)/b/c": 0,
                "write=\(beside)": EACCES, "truncate=\(beside)": EPERM, "remove=\(beside)": EACCES,
                "write=\(root)-next": EACCES, "folder=\(root)-next": EACCES, "move=\(root)/b:\(root)-next": EACCES,
                "link=\(root)/link": EPERM, "pipe=\(root)/pipe": EPERM,
            ])
        #expect(try TestFile.bytes(beside) == Array("mine".utf8))
    }

    @Test func outputIsWritableOnlyInItsFolder() throws {
        try expect(
            ["output=\(home.path("out.jpg"))"],
            ["write=\(home.path("out.jpg"))": 0, "write=\(home.environment["HOME"] ?? "")/out.jpg": EACCES])
    }

    @Test func processWithoutTheNetworkHasNoSockets() throws {
        let server = try LoopbackServer { _, _ in }
        try expect(
            ["cache=\(root)"],
            ["connect=\(server.port)": EPERM, "listen": EPERM, "unix-socket": EPERM])
    }

    @Test func processWithTheNetworkConnectsButCannotListen() throws {
        let server = try LoopbackServer { _, _ in }
        try expect(
            ["network"],
            [
                "connect=\(server.port)": 0, "listen": EPERM, "unix-socket": EPERM,
                "read=/etc/hosts": 0, "read=/etc/shadow": EACCES,
            ])
    }

    @Test func threadsStartedLaterAreConfined() throws {
        try expect(["network"], ["thread": EPERM])
    }

    /// With ENOSYS, a C library that uses newer system calls falls back on older calls.
    /// 435 is clone3, 437 is openat2, and 470 and 600 do not exist yet.
    @Test func newerSystemCallsFailWithENOSYS() throws {
        try expect(["network"], ["call=470": ENOSYS, "call=600": ENOSYS, "call=435": ENOSYS, "call=437": ENOSYS])
    }

    @Test func refusedSystemCallIsReportedOnceByName() throws {
        let output = try home.run("confinement-probe", ["network", "verbose", "--", "listen", "listen", "unix-socket"])
        #expect(try output.expect(0).lines.suffix(3) == ["listen \(EPERM)", "listen \(EPERM)", "unix-socket \(EPERM)"])
        #expect(output.errorLines == ["confinement-probe: refused the system call bind, which no tool needs"])
        let quiet = try home.run("confinement-probe", ["network", "--", "listen"]).expect(0)
        #expect(quiet.errorLines.isEmpty)
    }

    // MARK: The tools

    @Test(arguments: [
        ("img-cache", ["put"]), ("img-cache", ["get"]), ("img-cache", ["explain"]),
        ("img-downsample", ["--variant", "pager"]), ("img-downsample", ["--variant", "pager", "--fallback"]),
        ("gif-cache", ["put"]), ("gif-cache", ["info"]), ("apod-fetch", ["-"]),
    ])
    func everyThreadIsConfinedBeforeTheToolReads(_ tool: String, _ arguments: [String]) throws {
        let running = try home.start(tool, arguments + ["-v"])
        // The tool logs its confinement before it waits for input.
        while let line = running.readErrorLine(), !line.contains("confined by Landlock") {}
        let threads = try home.shell("grep -h -e NoNewPrivs: -e Seccomp: /proc/\(running.processID)/task/*/status")
        #expect(Set(try threads.expect(0).lines) == ["NoNewPrivs:\t1", "Seccomp:\t2"])
        running.closeInput()
        try running.wait().expect(0)
    }

    /// The rule for a path applies to the file that had the path at the time of confinement, so a replacement is
    /// refused.
    @Test func refusalByConfinementIsExplained() throws {
        let first = try home.write("first.png", DrawnPicture.gradient(9, 9).png())
        try home.write("second.png", DrawnPicture.gradient(8, 8).png())
        let tool = try home.start("img-cache", ["put", "-v", "-", first])
        while let line = tool.readErrorLine(), !line.contains("confined by Landlock") {}
        try home.shell("mv second.png first.png").expect(0)
        tool.closeInput()
        let output = try tool.wait().expect(66)
        #expect(try output.record.string("error.code") == "confined")
        #expect(output.stderr.contains("APOD_TOOLS_CONFINEMENT=false"))
        try home.run("img-cache", ["put", first]).expect(0)
    }

    @Test(.enabled(if: !Sanitizer.isActive)) func argumentsMayNameFilesInAnyFolder() throws {
        try home.write("in.png", DrawnPicture.gradient(30, 20).png())
        let lines = [
            // A named pipe, and a pipe opened by the shell.
            "mkfifo pipe && { cat in.png > pipe & img-downsample pipe --width 9 -o pipe.png; }",
            "exec 3< in.png && img-downsample /dev/fd/3 --width 9 -o three.png",
            "img-downsample - --width 9 --format png -o /dev/stdout < in.png > stdout.png",
            "img-downsample - --width 9 -o - < in.png > piped.png",
            // Output in another folder, created or reached by a link.
            "mkdir ../there && ln -s ../there/real.png link.png && img-downsample in.png --width 9 -o link.png"
                + " && test -L link.png && test -s ../there/real.png",
            "img-downsample in.png --width 9 --output-dir \"$HOME/made/for/this\"",
            // A minimal environment, as under cron.
            "cd / && env -i HOME=\"$HOME\" PATH=\"$PATH\" APOD_TOOLS_METRICS=\"$HOME/metrics\" img-cache put \"$OLDPWD/in.png\"",
            "env -i PATH=\"$PATH\" img-cache put in.png --cache-dir own && img-cache get in.png --cache-dir own",
        ]
        for line in lines { try home.shell(line).expect(0) }
    }

    @Test(arguments: [
        "img-cache get https://example.org/a.jpg", "img-cache has https://example.org/a.jpg", "img-cache ls",
        "img-cache stats", "img-cache info https://example.org/a.jpg", "img-cache verify", "img-cache scope list",
        "img-cache scope current", "img-cache clean --dry-run", "img-cache explain --offline https://example.org/a.jpg",
        "gif-cache get 0001", "gif-cache ls", "gif-cache verify",
        "apod-fetch --date 2024-02-03 --offline",
    ])
    func lookupsCreateNoRoot(_ line: String) throws {
        let home = try ToolHome()
        let output = try home.shell("\(line) -v")
        #expect([0, 1, 75].contains(output.status), "\(output)")
        #expect(output.stderr.contains("confined by Landlock"))
        #expect(!output.stdout.contains("root-removed"))
        #expect(!TestFile.exists(home.cacheRoot))
    }

    /// By default, SQLite writes the undo data of a long statement, and rows that it sorts, to temporary files.
    @Test(arguments: ["scope purge alice", "ls --all-scopes", "scope purge --all-scopes"])
    func largeIndexNeedsNoTemporaryFile(_ line: String) throws {
        let home = try ToolHome()
        try home.write("in.png", DrawnPicture.gradient(30, 20).png())
        try home.shell("img-cache put in.png --key one --scope alice").expect(0)
        let columns = """
            parent, parent_sha256, url, bytes, content_type, sha256, width, height, details, etag, last_modified,
            fetched_at, expires_at, last_used, lease_until, pinned, unsettled, must_revalidate
            """
        try CacheOnDisk(home).execute(
            """
            WITH RECURSIVE rows(row) AS (SELECT 1 UNION ALL SELECT row + 1 FROM rows WHERE row < 8000)
            INSERT INTO entries (scope, name, key, kind, file, \(columns))
            SELECT scope, lower(hex(randomblob(16))), 'key:' || row, kind, lower(hex(randomblob(16))) || '.png', \(columns)
            FROM entries, rows
            """)
        let output = try home.shell("img-cache \(line) -v").expect(0)
        #expect(output.stderr.contains("confined by Landlock"))
    }

    @Test func confinementIsDisabledByOptionOrFile() throws {
        let byOption = try home.run("img-cache", ["put", "-v", "APOD_TOOLS_CONFINEMENT=false"]).expect(0)
        #expect(byOption.stderr.contains("not confined, because the setting confinement is false"))
        let config = try home.write("config.json", #"{"confinement": false}"#)
        let byFile = try home.run("img-downsample", ["--width", "9", "-v", "--config", config]).expect(0)
        #expect(byFile.stderr.contains("not confined, because the setting confinement is false"))
        let bad = try home.write("bad.json", #"{"confinement": "perhaps"}"#)
        #expect(try home.run("gif-cache", ["ls", "--config", bad]).expect(78).stderr.contains("true or false"))
    }
}
