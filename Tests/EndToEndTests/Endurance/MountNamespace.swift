import Libc
import Support
import TestSupport

/// A mount namespace with small or read-only disks, which only tools started in it can see. The namespace ends when
/// this object is released.
final class MountNamespace: Sendable {
    private let home: ToolHome
    private let holder: RunningTool

    /// Creates the namespace and runs `script` in it. `$ROOT` is the cache root, which exists.
    init(_ home: ToolHome, _ script: String) throws {
        self.home = home
        // The namespace exists as long as its first process, which waits for the end of its input.
        holder = try home.start(
            "/usr/bin/env",
            Self.unshare + ["mkdir -p -m 700 \"$ROOT\" && { \(script); } >&2 && echo ready && read -r _ || exit 0"],
            environment: ["ROOT": home.cacheRoot])
        guard holder.readLine() == "ready" else {
            throw SystemFailure(errno: EPERM, "mount: \(holder.wait(deadline: .seconds(1)))")
        }
    }

    /// Runs a program in the namespace, with `/` as working folder.
    func run(
        _ tool: String, _ arguments: [String] = [], stdin: ToolInput = .empty,
        environment: [String: String?] = [:]
    ) throws -> ToolOutput {
        try home.run(
            "/usr/bin/env", ["nsenter", "--mount=/proc/\(holder.processID)/ns/mnt", try Tools.path(tool)] + arguments,
            stdin: stdin, environment: environment)
    }

    /// The path of a file in the namespace as seen from outside.
    func path(_ path: String) -> String { "/proc/\(holder.processID)/root\(path)" }

    /// Copies the root out of the namespace. SQLite cannot open the root through `path`, because SQLite resolves
    /// symbolic links itself, and the resolved path leads out of the namespace.
    func copy(as name: String) throws -> CacheOnDisk {
        try run("/bin/cp", ["-r", home.cacheRoot, home.path(name)]).expect(0)
        return CacheOnDisk(home.path(name))
    }

    private static let unshare = ["unshare", "--mount", "--propagation", "private", "bash", "-c"]

    /// Whether this process may create mount namespaces. If not, prints once that tests are skipped.
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

/// Runs tools as an unprivileged user, because file permissions do not apply to root.
enum OtherUser {
    /// A home whose top folder every user may enter.
    static func home(environment: [String: String] = [:]) throws -> ToolHome {
        let home = try ToolHome(environment: environment)
        chmod(home.folder.path, 0o755)
        return home
    }

    /// Creates `path` if it is missing, and makes the unprivileged user the owner of everything in it.
    static func own(_ path: String, _ home: ToolHome) throws {
        try home.shell("mkdir -p '\(path)' && chown -R \(id):\(id) '\(path)'").expect(0)
    }

    static func run(_ home: ToolHome, _ tool: String, _ arguments: [String]) throws -> ToolOutput {
        try home.run("/usr/bin/env", command + [try Tools.path(tool)] + arguments)
    }

    /// The user `nobody` on most systems, who owns no files.
    private static let id = 65534
    private static let command = ["setpriv", "--reuid", "\(id)", "--regid", "\(id)", "--clear-groups"]

    /// Whether this process may run tools as that user. If not, prints once that tests are skipped.
    static let isPossible: Bool = {
        if let home = try? home(), (try? run(home, "img-cache", ["--version"]).status) == 0 { return true }
        Log.standardError(
            "\n*** NO OTHER USER: the tests on roots of another user are SKIPPED.\n"
                + "*** They need `setpriv`, the rights of root, and tools that everybody may run.\n\n")
        return false
    }()
}
