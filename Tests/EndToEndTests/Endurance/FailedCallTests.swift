import Libc
import Records
import Support
import TestSupport
import Testing

/// Injects failures of system calls into the real tools. An error does not prove that a file is absent, so no pinned
/// picture may be lost.
@Suite(.serialized)
struct FailedCallTests {
    private let server: PictureServer
    private let home: ToolHome
    private let urls: [String]

    init() throws {
        server = try PictureServer()
        home = try OtherUser.home(environment: server.environment)
        urls = ["a", "b", "c", "d"].map(server.url)
        try home.run("img-cache", ["put"] + urls).expect(0)
        try home.run("img-cache", ["pin"] + urls).expect(0)
        try home.shell("cp -a \"$APOD_TOOLS_CACHE_DIR\" \"$HOME/saved\"").expect(0)
    }

    private static let commands = [
        ["get"], ["put"], ["put", "--offline"], ["clean"], ["verify", "--repair"], ["scope", "switch", "b"],
    ]

    private func arguments(_ command: [String]) -> [String] {
        ["get", "put"].contains(command[0]) ? command + urls : command
    }

    private func expectEverythingKept(_ what: @autoclosure () -> String) throws {
        let kept = try home.run("img-cache", ["ls", "--pinned", "--scope", "default"]).expect(0).records
        #expect(kept.count == urls.count, "\(what())")
        #expect(kept.allSatisfy { $0.string("path").map(TestFile.exists) == true }, "\(what())")
    }

    // MARK: Injected errors

    /// System calls, each with the occurrences that fail.
    private static let faults = [
        "openat2:when=1", "openat2:when=4", "openat2:when=1+", "getdents64:when=1", "fcntl:when=2",
    ]
    private static let errors = [
        ("EACCES", 74), ("EIO", 74), ("EMFILE", 75), ("ENFILE", 75), ("ENOMEM", 75), ("ESTALE", 75), ("ETIMEDOUT", 75),
        ("EINTR", 0),
    ]

    /// Tests all pairs of a command and an error, of a command and a fault, and of an error and a fault.
    @Test(.enabled(if: Strace.isPossible), arguments: errors.indices)
    func failedSystemCallLosesNoPicture(_ index: Int) throws {
        let (error, status) = Self.errors[index]
        // A call that always fails with EINTR would be repeated forever.
        let faults = Self.faults.filter { error != "EINTR" || !$0.hasSuffix("+") }
        for (place, command) in Self.commands.enumerated() {
            let fault = faults[(index + place) % faults.count]
            try home.shell("rm -rf \"$APOD_TOOLS_CACHE_DIR\" && cp -a \"$HOME/saved\" \"$APOD_TOOLS_CACHE_DIR\"")
                .expect(0)
            let parts = fault.split(separator: ":")
            let output = try Strace.run(
                home, "\(parts[0]):error=\(error):\(parts[1])", "img-cache", arguments(command))
            #expect([0, Int32(status)].contains(output.status), "\(command) with \(error) at \(fault): \(output)")
            if output.status != 0 {
                #expect(output.errorLines.first?.contains("; ") == true, "the message has no remedy: \(output)")
            }
            try expectEverythingKept("\(command) with \(error) at \(fault): \(output)")
        }
    }

    /// Calls that always fail, on any file or only on `path`. A `*` in the message matches any characters.
    private struct NamedFailure: Sendable, CustomTestStringConvertible {
        let calls: String
        let error: String
        var path: String?
        var setup = "true"
        let arguments: [String]
        let message: String

        var testDescription: String { "\(calls): \(error)" }
    }

    private static let disk = "Input/output error; check the disk and the system log"
    private static let thread = "cannot start a thread: Resource temporarily unavailable"
    private static let namedFailures = [
        NamedFailure(
            calls: "fdatasync", error: "EIO", arguments: ["put", "--sync", "moon.png"],
            message: "moon.png: cannot sync */partial/* to disk: \(disk)"),
        NamedFailure(
            calls: "fsync", error: "EIO", arguments: ["put", "--sync", "moon.png"],
            message: "moon.png: cannot sync the folder */scopes/* to disk: \(disk)"),
        NamedFailure(
            calls: "fsync", error: "EIO", arguments: ["put", "--sync", "moon.png", "--output-dir", "new"],
            message: "cannot sync the folder of new to disk: \(disk)"),
        NamedFailure(calls: "clone,clone3", error: "EAGAIN", arguments: ["verify", "--jobs", "2"], message: thread),
        NamedFailure(
            calls: "fcntl", error: "EIO", path: "locks/all",
            setup: "touch \"$APOD_TOOLS_CACHE_DIR/locks/$(printf %032d-%032d 0 0)\"",
            arguments: ["clean", "--dry-run"],
            message: "cannot query the locks of */locks/all: \(disk)"),
        NamedFailure(
            calls: "socket", error: "EMFILE", arguments: ["push", "--remote", "redis://127.0.0.1:1", "-v"],
            message: """
                the remote redis://127.0.0.1:1/0: 127.0.0.1:1: cannot open a socket: Too many open files; use fewer \
                --jobs or raise the limit of open files (ulimit -n); this run continues without it
                """),
        NamedFailure(
            calls: "?readlink,readlinkat", error: "EACCES", path: "/proc/self/exe",
            arguments: ["scope", "switch", "b", "--purge", "-v"],
            message: """
                cannot start a process that removes the purged files: cannot find the path of this program: \
                Permission denied; check the permissions of the file and the folders above it; later runs will \
                remove them
                """),
    ]

    @Test(.enabled(if: Strace.isPossible), arguments: namedFailures.indices)
    func messageNamesTheFailedOperation(_ index: Int) throws {
        let failure = Self.namedFailures[index]
        try home.write("moon.png", DrawnPicture.noise(20, 10, seed: 1).png())
        try home.shell(failure.setup).expect(0)
        let path = failure.path.map { $0.hasPrefix("/") ? $0 : "\(home.cacheRoot)/\($0)" }
        let output = try Strace.run(
            home, "\(failure.calls):error=\(failure.error)", path: path, "img-cache", failure.arguments)
        #expect(LinePattern.fits(output.stderr, "...\nimg-cache: \(failure.message)\n..."), "\(output)")
    }

    // MARK: Real errors

    @Test(.enabled(if: OtherUser.isPossible), arguments: commands)
    func unreadableFolderLosesNoPicture(command: [String]) throws {
        try OtherUser.own(home.cacheRoot, home)
        try home.shell("chmod 755 \"$XDG_CACHE_HOME\"; chmod 000 \"$APOD_TOOLS_CACHE_DIR\"/scopes/*").expect(0)

        let output = try OtherUser.run(home, "img-cache", arguments(command))
        try output.expect(74)

        try home.shell("chmod 700 \"$APOD_TOOLS_CACHE_DIR\"/scopes/*; chown -R 0 \"$APOD_TOOLS_CACHE_DIR\"").expect(0)
        try home.run("img-cache", ["clean"]).expect(0)
        try expectEverythingKept("\(command): \(output)")
    }

    @Test(arguments: 5...16) func lowLimitOfOpenFilesLosesNoPicture(limit: Int) throws {
        for command in Self.commands {
            let line = arguments(command).map { "'\($0)'" }.joined(separator: " ")
            let output = try home.shell("ulimit -n \(limit); exec img-cache \(line)")
            #expect([0, 75].contains(output.status) || limit < 7, "\(limit), \(command): \(output)")
        }
        try expectEverythingKept("\(limit) open files")
    }

    @Test func jobsAdaptToTheLimitOfOpenFiles() throws {
        let many = (0..<60).map { server.url("many\($0)") }
        let input = ToolInput.bytes(Array(many.joined(separator: "\n").utf8))
        let output = try home.run(
            "/usr/bin/env", ["bash", "-c", "ulimit -n 64; APOD_TOOLS_JOBS_PER_HOST=64 exec img-cache put --jobs 64"],
            stdin: input)
        try output.expect(0)
        #expect(try output.records.count == 60)
        #expect(output.errorLines.count == 1 && output.stderr.contains("the number of jobs is 5"), "\(output)")
        try expectEverythingKept("\(output)")
    }
}

/// Runs tools with injected errors of system calls.
private enum Strace {
    /// - Parameter path: the only file whose calls fail; nil for all files.
    static func run(
        _ home: ToolHome, _ fault: String, path: String? = nil, _ tool: String, _ arguments: [String]
    ) throws -> ToolOutput {
        let call = fault.prefix { $0 != ":" }
        let place = path.map { ["-P", $0] } ?? []
        return try home.run(
            "/usr/bin/env",
            command + ["-e", "trace=\(call)"] + place + ["-e", "inject=\(fault)", try Tools.path(tool)] + arguments)
    }

    /// With `--seccomp-bpf`, a tool stops only at the traced calls.
    private static let command = ["strace", "-f", "--seccomp-bpf", "-qq", "-o", "/dev/null"]

    /// Whether strace is installed and permitted. If not, prints once that tests are skipped.
    static let isPossible: Bool = {
        let probe = try? ToolHome().run("/usr/bin/env", command + ["true"])
        if probe?.status == 0 { return true }
        Log.standardError("\n*** NO STRACE: the tests with injected failures of system calls are SKIPPED.\n\n")
        return false
    }()
}
