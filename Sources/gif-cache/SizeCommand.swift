import ArgumentParser
import Commands
import GIFs
import Support

struct SizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "size",
        abstract: "Say how many GIFs the scope has, and how many bytes they take.",
        discussion: """
            Posters and other variants that were made from them are counted apart.

            EXAMPLES
              gif-cache size
              gif-cache size --json | jq .bytes
            """)

    @OptionGroup var common: CommonOptions
    @Flag(help: .json) var json = false

    func run() throws {
        let lookup = try GIFLookup(common, .looking)
        let output = try ReportOutput(json: json)
        let size = try lookup.gifs.size()
        try output.write(size.json, size.text)
    }
}
