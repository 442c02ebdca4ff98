import ArgumentParser
import Cache
import Commands
import Support

struct InfoCommand: ParsableCommand, LookupCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Say all that is known of pictures, without the network.",
        discussion: """
            `file` is ok, missing, other-size, or with --verify other-content. Asking counts as no use of the picture.

            EXAMPLES
              img-cache info https://example.org/m31.jpg
              img-cache info --key my-photo --json | jq .expires_at
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var keys: KeyOptions

    @Argument(help: ArgumentHelp("Addresses, or files that were put.", valueName: "pictures"))
    var pictures: [String] = []

    @Flag(help: "Read the file, and compare its SHA-256.")
    var verify = false

    @Flag(help: "Write JSON, also to a terminal.")
    var json = false

    func run() throws {
        let output = try ReportOutput(json: json)
        var isFirst = true
        try forEachEntry(handingOut: false) { entry, cache in
            let details = try EntryDetails(entry, in: cache, hashing: verify)
            if output.isForPeople, !isFirst { try output.write(.null, "\n") }
            isFirst = false
            try output.write(details.json, details.text(now: .now()))
        }
    }
}
