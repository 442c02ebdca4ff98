import ArgumentParser
import Commands
import Support

/// The commands that scripts call for single pictures, with the options that most of their calls have: tried first,
/// since reading a command line costs by the options that there are.
struct QuickCommand: LookupCommand, StreamArguments, FetchArguments, CommonArguments, KeyArguments {
    /// ArgumentParser looks in every line for the wish for a completion script, by parsing two more commands before
    /// this one; it leaves that out for a command that is said to be below another. A wish for one is for the whole.
    static let configuration = CommandConfiguration(commandName: "img-cache", _superCommandName: "")

    @Option var print: String?
    @Option var scope: String?
    @Option var cacheDir: String?

    /// The command's name, then pictures.
    @Argument var words: [String]

    var common: Self { self }
    var keys: Self { self }
    var pictures: [String] { Array(words.dropFirst()) }

    /// Refuses what is none of these, which leaves it to the whole parser.
    func validate() throws {
        let allowed = print == nil ? ["put", "get", "has", "path", "cat"] : ["put", "get"]
        guard let command = words.first, allowed.contains(command) else { throw UsageFailure("another command") }
    }

    func run() throws {
        switch words[0] {
        case "put": try put(self, self, incremental: false)
        case "get": try get(self)
        case "has": try has()
        case "path": try printPaths(nullTerminated: false)
        default: try cat()
        }
    }
}
