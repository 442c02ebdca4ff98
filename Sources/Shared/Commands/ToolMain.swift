import ArgumentParser
import Cache
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Runs a tool's command line from beginning to end: what every `main.swift` calls.
///
/// Help goes to standard output with status 0; a wrong command line is said on standard error with status 64; any
/// other failure as `tool: message` with its own status.
///
/// - Parameter quick: reads the lines that are written most and gives what they do; nil for any other. It is asked
///   first: ArgumentParser's reading costs by the options that there are, not by those that are given.
public func runTool<Root: ParsableCommand>(
    _ root: Root.Type, quick: ([String]) -> (() throws -> Void)? = { _ in nil },
    arguments: [String] = ProgramArguments.ofProcess()
) -> Never {
    // A closed pipe is then seen where it is written to, and ends the run in order.
    signal(SIGPIPE, SIG_IGN)
    // So is a limit on the size of files, which is an error of writing like a full disk.
    signal(SIGXFSZ, SIG_IGN)
    occupyClosedStreams()
    // Whatever this run is for, it removes what earlier ones kept past the cache for a while.
    RuntimePlaces(environment: .ofProcess()).sweep()
    let tool = root.configuration.commandName ?? "apod-tools"
    let secrets = ArgumentSecrets(arguments)
    if !secrets.parts.isEmpty { ProcessArguments.conceal(secrets.parts, of: arguments) }
    do {
        let arguments = ArgumentRewriting.completed(arguments)
        if let run = quick(arguments) {
            try run()
        } else {
            var command = try parse(root, arguments)
            try command.run()
        }
        exit(0)
    } catch let failure as SystemFailure where failure.isBrokenPipe {
        // Whoever read our output has seen enough.
        exit(0)
    } catch let failure as any Failure {
        report(failure.message, tool: tool, arguments)
        exit(failure.exitCode.rawValue)
    } catch let code as ArgumentParser.ExitCode {
        exit(code.rawValue)
    } catch {
        let status = root.exitCode(for: error).rawValue
        if status == 0 {
            print(root.fullMessage(for: error))
            exit(0)
        }
        // ArgumentParser throws errors of its own for a wrong command line; others have nothing to do with it.
        guard root.exitCode(for: error) == .validationFailure else {
            report(UnexpectedFailure(error).message, tool: tool, arguments)
            exit(Support.ExitCode.software.rawValue)
        }
        let message = secrets.redacted(root.message(for: error))
        let words = "\(message)\(message.hasSuffix("?") ? " See" : "; see") \(commandLine(root, arguments)) --help"
        report(words, tool: tool, arguments)
        exit(Support.ExitCode.usage.rawValue)
    }
}

/// Keeps a file of ours from taking the place of a standard stream that was closed (`2>&-`), where log lines would go
/// into it. The place is taken so that using it fails, as it would have.
private func occupyClosedStreams() {
    for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) < 0 {
        _ = open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
    }
}

/// Reads the command line. A subcommand that comes first, as it nearly always does, is read without the commands around
/// it, which saves a third of a cold start; whatever is not right about the line is left to the whole parser, whose
/// words for it name the tool.
private func parse<Root: ParsableCommand>(
    _ root: Root.Type, _ arguments: [String]
) throws -> any ParsableCommand {
    guard !root.configuration.subcommands.isEmpty else { return try root.parseAsRoot(arguments) }
    var command: any ParsableCommand.Type = root
    var words: [String] = []
    var rest = arguments[...]
    while !command.configuration.subcommands.isEmpty {
        let subcommands = command.configuration.subcommands
        let names = subcommands.compactMap { $0.configuration.shouldDisplay ? $0.configuration.commandName : nil }
        guard let first = rest.first else {
            throw UsageFailure("say what to do: \(names.joined(separator: ", ")); see --help")
        }
        guard let subcommand = subcommands.first(where: { $0.configuration.commandName == first }) else {
            if first.hasPrefix("-") || first == "help" { return try root.parseAsRoot(arguments) }
            throw UsageFailure(
                "there is no command \"\((words + [first]).joined(separator: " "))\""
                    + "; there are \(names.joined(separator: ", "))\(NearMatch.advice(for: first, among: names))")
        }
        command = subcommand
        words.append(first)
        rest = rest.dropFirst()
    }
    if let command = try? command.parse(Array(rest)) { return command }
    return try root.parseAsRoot(arguments)
}

/// The tool with the commands that the line begins with.
private func commandLine(_ root: any ParsableCommand.Type, _ arguments: [String]) -> String {
    var command = root
    var words = [root.configuration.commandName ?? "apod-tools"]
    for argument in arguments {
        guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == argument })
        else { break }
        command = next
        words.append(argument)
    }
    return words.joined(separator: " ")
}

/// Says a failure in the form that was asked for, even where the command line as a whole could not be read.
private func report(_ message: String, tool: String, _ arguments: [String]) {
    let isJSON = zip(arguments, arguments.dropFirst()).contains { $0 == "--log-format" && $1 == "json" }
    Log(tool: tool, format: isJSON || arguments.contains("--log-format=json") ? .json : .plain).error(message)
}

/// Ends a command with this status, without another word.
public func end(with status: Int32) throws {
    if status != 0 { throw ArgumentParser.ExitCode(status) }
}
