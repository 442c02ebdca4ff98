import Fetch
import Libc
import Options
import Store
import Support

/// A tool: its commands and the general part of its help.
public struct Tool: Sendable {
    public let command: Command
    /// The lines of the help about exit statuses.
    public let exitStatus: String
    /// Returns name and version of each library in use; loads the libraries that are loaded on demand.
    public let libraries: @Sendable () -> [String]
    let exercises: KnownExercises

    /// Returns the values of a field among the exercises that a cache lists, or the ids of its GIFs
    /// (`Completion.exerciseID`).
    public typealias KnownExercises = @Sendable (_ field: String, ToolContext, CacheSettings) throws -> [String]

    /// - Parameter exercises: for completions.
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

/// Runs a tool's command line from beginning to end: the `main` of every tool.
///
/// Help is printed on standard output with status 0; a wrong command line is reported on standard error with status 64;
/// any other failure as `tool: message` with its own status.
public func runTool(_ tool: Tool, words: [String] = ProgramArguments.ofProcess()) -> Never {
    // A closed pipe then shows as a failed write, which ends the run in order.
    signal(SIGPIPE, SIG_IGN)
    // A limit on the size of files is then a failed write, too, like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    occupyClosedStreams()
    StandardError.silenceLibraries()
    let secrets = ArgumentSecrets(words)
    if !secrets.parts.isEmpty { ProcessArguments.conceal(secrets.parts, of: words) }
    if words.first == "--complete" { complete(tool, words.dropFirst()) }
    // Each run removes the files that earlier ones kept outside the cache for a while.
    RuntimePlaces(environment: .ofProcess()).sweep()
    do {
        exit(try run(tool, words, secrets))
    } catch let failure as SystemFailure where failure.isBrokenPipe {
        // The reader of our output has seen enough.
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
        // The message quotes arguments without knowing which are secret.
        throw UsageFailure(secrets.redacted(failure(of: error).message))
    }
    switch request {
    case .run(let command, let arguments): return try command.run?(arguments) ?? 0
    case .help(let path, isShort: true): try print(Command.shortHelp(path))
    case .help(let path, isShort: false): try print(Command.fullHelp(path, exitStatus: tool.exitStatus))
    case .version: try print(tool.version)
    case .generate(let kind): try print(tool.generated(kind))
    }
    return 0
}

private func print(_ text: String) throws {
    try TextOutput.standard().write(text)
}

extension Tool {
    /// Name and version, then the libraries.
    var version: String {
        "\(command.name) \(toolsVersion)\n" + libraries().map { "\($0)\n" }.joined()
    }
}

/// Keeps files that are opened later from taking the place of a standard stream that was closed (`2>&-`), so that log
/// lines would go into them. The place is taken in such a way that using it fails, as it would have.
private func occupyClosedStreams() {
    for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) < 0 {
        _ = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
    }
}
