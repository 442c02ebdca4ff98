import Libc
import Support

/// A private home for the tools of a test: `HOME`, XDG folders, working folder and cache root. The environment inherits
/// nothing from the test process. The folder is removed when this object is released.
public final class ToolHome: Sendable {
    public let folder: TemporaryFolder
    /// The cache root, `APOD_TOOLS_CACHE_DIR`. Not created in advance.
    public let cacheRoot: String
    /// The working folder of the tools.
    public let work: String
    /// The environment of all tools in this home.
    public let environment: [String: String]

    /// - Parameter environment: variables to add or replace.
    public init(environment added: [String: String] = [:]) throws {
        folder = try TemporaryFolder()
        cacheRoot = folder.path("cache/apod-tools")
        work = try folder.makeFolder("work")
        environment = [
            "PATH": ((Tools.folder.map { [$0] } ?? []) + ["/usr/local/bin", "/usr/bin", "/bin"]).joined(separator: ":"),
            "HOME": try folder.makeFolder("home"),
            "TMPDIR": try folder.makeFolder("tmp"),
            "XDG_CACHE_HOME": try folder.makeFolder("cache"),
            "XDG_CONFIG_HOME": try folder.makeFolder("config"),
            "XDG_DATA_HOME": try folder.makeFolder("data"),
            "XDG_RUNTIME_DIR": try folder.makeFolder("run"),
            "APOD_TOOLS_CACHE_DIR": cacheRoot,
            "LC_ALL": "C.UTF-8",
        ].merging(Self.sanitizerOptions) { _, new in new }.merging(added) { _, new in new }
    }

    /// The options of `scripts/test --sanitize` for the tools' sanitizers, if any.
    private static let sanitizerOptions: [String: String] = {
        var options: [String: String] = [:]
        for name in ["ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"] {
            if let value = getenv(name) { options[name] = String(cString: value) }
        }
        return options
    }()

    /// Returns the absolute path of a file in the tools' working folder.
    public func path(_ name: String) -> String { "\(work)/\(name)" }

    /// Writes a file into the tools' working folder and returns its absolute path.
    @discardableResult
    public func write(_ name: String, _ bytes: [UInt8]) throws -> String { try folder.write("work/\(name)", bytes) }

    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String { try folder.write("work/\(name)", text) }

    /// Runs a tool to its end. Arguments such as `APOD_TOOLS_LEASE=0s` become environment variables. Check the exit
    /// status with `try output.expect(0)`, whose error shows both streams.
    ///
    /// - Parameters:
    ///   - environment: changes for this run; nil removes a variable.
    ///   - deadline: after this time, the tool is killed, but not its children.
    public func run(
        _ tool: String, _ arguments: [String] = [], stdin: ToolInput = .empty, environment: [String: String?] = [:],
        stdout: ToolStream = .collected, stderr: ToolStream = .collected, deadline: Duration = .seconds(60)
    ) throws -> ToolOutput {
        try start(tool, arguments, stdin: stdin, environment: environment, stdout: stdout, stderr: stderr)
            .wait(deadline: deadline)
    }

    /// Starts a tool, with arguments and environment as in `run`.
    public func start(
        _ tool: String, _ arguments: [String] = [], stdin: ToolInput = .pipe, environment: [String: String?] = [:],
        stdout: ToolStream = .collected, stderr: ToolStream = .collected
    ) throws -> RunningTool {
        var merged = self.environment
        for (name, value) in environment { merged[name] = value }
        let settings = arguments.filter { word in
            // An argument after `bash` may be a script that begins with such an assignment.
            arguments.first != "bash" && ["APOD_TOOLS_", "EXERCISEDB_"].contains(where: word.hasPrefix)
                && word.contains("=")
        }
        for setting in settings {
            let pieces = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            merged[String(pieces[0])] = String(pieces[1])
        }
        return try RunningTool(
            home: self, Tools.path(tool), arguments.filter { !settings.contains($0) }, environment: merged,
            folder: work, stdin: stdin, stdout: stdout,
            stderr: stderr)
    }

    /// Runs a script in bash with `pipefail` and the tools in its PATH.
    public func shell(
        _ script: String, stdin: ToolInput = .empty, environment: [String: String?] = [:],
        deadline: Duration = .seconds(60)
    ) throws -> ToolOutput {
        try run(
            "/usr/bin/env", ["bash", "-o", "pipefail", "-c", script], stdin: stdin, environment: environment,
            deadline: deadline)
    }
}

/// Runs a tool in a new home.
public func run(
    _ tool: String, _ arguments: [String] = [], stdin: ToolInput = .empty, environment: [String: String?] = [:],
    deadline: Duration = .seconds(60)
) throws -> ToolOutput {
    try ToolHome().run(tool, arguments, stdin: stdin, environment: environment, deadline: deadline)
}
