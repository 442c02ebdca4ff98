import ArgumentParser
import Commands
import Support

@main
struct ImgCache: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "img-cache",
        abstract: "Download pictures once and keep them.",
        discussion: """
            Records come in on standard input and leave with `path` and `cache` added; addresses and files may stand in \
            for them as arguments.

            EXAMPLES
              apod-fetch --date | img-cache put | img-downsample --variant overlay
              img-cache put https://example.org/m31.jpg --print path
              img-cache put --scope alice < records.ndjson > cached.ndjson
              img-cache get https://example.org/m31.jpg || echo "not there yet"
              img-cache cat https://example.org/m31.jpg > m31.jpg
              img-cache stats --json

            EXIT STATUS
              0 all done, 1 not in the cache, 64 usage, 65 not a picture,
              66 no such file, 69 gone for good, 73/74 cannot write,
              75 may work later, 77 not allowed, 78 configuration.
            """,
        version: toolsVersion,
        subcommands: [
            PutCommand.self, PrefetchCommand.self, ExplainCommand.self, GetCommand.self, HasCommand.self,
            CatCommand.self, PathCommand.self, ListCommand.self, InfoCommand.self, RemoveCommand.self, PinCommand.self,
            UnpinCommand.self, CleanCommand.self, VerifyCommand.self, ScopeCommand.self, ResetCommand.self,
            StatsCommand.self,
        ])

    static func main() { runTool(Self.self, quick: { line in QuickLine(line).map { $0.run } }) }
}
