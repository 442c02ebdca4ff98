import Libc
import Support
import TestSupport

/// Mounts that only the tools started through it see: small disks, read-only ones. They go with the last reference.
final class MountNamespace: Sendable {
    private let home: ToolHome
    private let holder: RunningTool

    /// Makes the namespace and runs `script` in it, with `$ROOT` for the cache root, which is made before.
    init(_ home: ToolHome, _ script: String) throws {
        self.home = home
        // It lives as long as its first process, which waits for the end of its input.
        holder = try home.start(
            "/usr/bin/env",
            Self.unshare + ["mkdir -p -m 700 \"$ROOT\" && { \(script); } >&2 && echo ready && read -r _ || exit 0"],
            environment: ["ROOT": home.cacheRoot])
        guard holder.readLine() == "ready" else {
            throw SystemFailure(errno: EPERM, "mount: \(holder.wait(deadline: .seconds(1)))")
        }
    }

    /// Runs a tool, or any program, that sees these mounts. The working folder is the file system's root.
    func run(
        _ tool: String, _ arguments: [String] = [], stdin: ToolInput = .empty,
        environment: [String: String?] = [:]
    ) throws -> ToolOutput {
        try home.run(
            "/usr/bin/env", ["nsenter", "--mount=/proc/\(holder.processID)/ns/mnt", try Tools.path(tool)] + arguments,
            stdin: stdin, environment: environment)
    }

    /// The path by which a test reaches a file inside these mounts.
    func path(_ path: String) -> String { "/proc/\(holder.processID)/root\(path)" }

    /// A copy of the root as seen in these mounts. (SQLite resolves links itself, and would leave through the link in
    /// `path`.)
    func copy(as name: String) throws -> CacheOnDisk {
        try run("/bin/cp", ["-r", home.cacheRoot, home.path(name)]).expect(0)
        return CacheOnDisk(home.path(name))
    }

    private static let unshare = ["unshare", "--mount", "--propagation", "private", "bash", "-c"]

    /// Whether this process may make such mounts. Says loudly, once a run, that tests are skipped where it may not.
    static let isPossible: Bool = {
        let probe = try? ToolHome().run(
            "/usr/bin/env", unshare + ["mount -t tmpfs -o size=1m none \"$TMPDIR\" && nsenter --version"])
        if probe?.status == 0 { return true }
        Log.standardError(
            "\n*** NO MOUNTS: the tests on full disks and read-only roots are SKIPPED.\n"
                + "*** They need Linux, `unshare` and `nsenter`, and the rights of root, to run.\n\n")
        return false
    }()
}

/// Running a tool as another user, whom, unlike root, the modes of files bind.
enum OtherUser {
    /// A home whose folders every user may enter.
    static func home(environment: [String: String] = [:]) throws -> ToolHome {
        let home = try ToolHome(environment: environment)
        chmod(home.folder.path, 0o755)
        return home
    }

    /// Changes the owner of everything at `path` to that user.
    static func own(_ path: String, _ home: ToolHome) throws {
        try home.shell("mkdir -p '\(path)' && chown -R \(id):\(id) '\(path)'").expect(0)
    }

    static func run(_ home: ToolHome, _ tool: String, _ arguments: [String]) throws -> ToolOutput {
        try home.run("/usr/bin/env", command + [try Tools.path(tool)] + arguments)
    }

    /// The user `nobody` of nearly every system: owner of nothing.
    private static let id = 65534
    private static let command = ["setpriv", "--reuid", "\(id)", "--regid", "\(id)", "--clear-groups"]

    /// Whether this process may become that user, who may run the tools. Says loudly where not.
    static let isPossible: Bool = {
        if let home = try? home(), (try? run(home, "img-cache", ["--version"]).status) == 0 { return true }
        Log.standardError(
            "\n*** NO OTHER USER: the tests on roots that belong to somebody else are SKIPPED.\n"
                + "*** They need `setpriv`, the rights of root, and tools that everybody may run.\n\n")
        return false
    }()
}
