import Libc
import Options
import Store
import Support

/// A tool, with its commands and the general parts of its help.
public struct Tool: Sendable {
    public let command: Command
    /// The descriptions of the exit statuses for the help, one per line.
    public let exitStatus: String
    /// Returns the name and version of each library, including libraries that are loaded on first use.
    public let libraries: @Sendable () -> [String]
    let exercises: KnownExercises

    /// Returns the values of a field in the cached list of exercises. For `Completion.exerciseID`, returns the ids of
    /// the cached GIFs.
    public typealias KnownExercises = @Sendable (_ field: String, ToolContext, CacheSettings) throws -> [String]

    /// - Parameter exercises: returns the values that completions offer for exercises.
    public init(
        _ command: Command, exitStatus: String, libraries: @escaping @Sendable () -> [String],
        exercises: @escaping KnownExercises = { _, _, _ in [] }
    ) {
        self.command = command
        self.exitStatus = exitStatus
        self.libraries = libraries
        self.exercises = exercises
    }
}

/// Runs a tool's command line and exits: the `main` of every tool.
///
/// Prints help on standard output with status 0. Reports a failure on standard error as `tool: message`, and exits with
/// the status of the failure, which is 64 for an invalid command line.
public func runTool(_ tool: Tool, words: [String] = ProgramArguments.ofProcess()) -> Never {
    // Makes a write to a closed pipe fail with EPIPE, so that the run ends in an orderly way.
    signal(SIGPIPE, SIG_IGN)
    // Makes a write beyond the limit on file sizes fail, as a write to a full disk does.
    signal(SIGXFSZ, SIG_IGN)
    occupyClosedStreams()
    StandardError.silenceLibraries()
    let secrets = ArgumentSecrets(words)
    if !secrets.parts.isEmpty { ProcessArguments.conceal(secrets.parts, of: words) }
    if words.first == "--complete" { complete(tool, words.dropFirst()) }
    // Remove the temporary files outside the cache that earlier runs left behind.
    RuntimePlaces(environment: .ofProcess()).sweep()
    do {
        exit(try run(tool, words, secrets))
    } catch let failure as SystemFailure where failure.isBrokenPipe {
        // The reader of standard output closed the pipe, as `head` does.
        exit(0)
    } catch {
        let failure = failure(of: error)
        let format = Environment.ofProcess()["APOD_TOOLS_LOG_FORMAT"].flatMap(Log.Format.init)
        Log(tool: tool.command.name, format: format ?? .plain).error(failure)
        exit(failure.exitCode.rawValue)
    }
}

private func run(_ tool: Tool, _ words: [String], _ secrets: ArgumentSecrets) throws -> Int32 {
    let request: Request
    do {
        request = try tool.command.request(words)
    } catch {
        // The message may quote arguments that are secrets.
        throw UsageFailure(secrets.redacted(failure(of: error).message))
    }
    switch request {
    case .run(let command, let arguments): return try command.run?(arguments) ?? 0
    case .help(let path, isShort: true): try print(Command.shortHelp(path))
    case .help(let path, isShort: false): try print(Command.fullHelp(path, exitStatus: tool.exitStatus))
    case .version: try print("\(tool.command.name) \(toolsVersion)\n" + tool.libraries().map { "\($0)\n" }.joined())
    case .generate(let kind): try print(tool.generated(kind))
    }
    return 0
}

private func print(_ text: String) throws { try TextOutput.standard().write(text) }

/// Opens `/dev/null` for each standard stream that is closed (`2>&-`). Otherwise, a file that is opened later would get
/// the descriptor, and log lines would be written to it. The access mode makes reads of standard input and writes to
/// the other streams fail, as if they were still closed.
private func occupyClosedStreams() {
    for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) < 0 {
        _ = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
    }
}
