import ArgumentParser
import Commands
import Support

@main
struct GIFCacheCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gif-cache",
        abstract: "Keep ExerciseDB's GIFs on the disk.",
        discussion: """
            GIFs are found by the exercise's id and the resolution, and kept in the cache that img-cache uses. The \
            service is named by EXERCISEDB_API_URL, the key by EXERCISEDB_API_KEY or --api-key-file. Only put asks it.

            EXAMPLES
              gif-cache put 0001 0002
              gif-cache put < exercises.ndjson | img-downsample --width 96 --format png
              gif-cache get 0001 --print path
              gif-cache poster 0001 --print poster.path
              gif-cache info 0001 curl.gif
              gif-cache rm --unused-for 30d

            EXIT STATUS
              0 all done, 1 not in the cache, 64 usage, 65 not a GIF,
              66 no such file, 69 no such exercise, 73/74 cannot write,
              75 may work later (also a quota that is used up),
              77 not allowed (a key is missing or wrong), 78 configuration.
            """,
        version: toolsVersion,
        subcommands: [
            PutCommand.self, GetCommand.self, HasCommand.self, CatCommand.self, PathCommand.self, InfoCommand.self,
            PosterCommand.self, ListCommand.self, SizeCommand.self, RemoveCommand.self, ClearCommand.self,
            PinCommand.self, UnpinCommand.self, VerifyCommand.self,
        ])

    static func main() { runTool(Self.self, quick: { line in QuickLine(line).map { $0.run } }) }
}
