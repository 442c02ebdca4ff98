import ArgumentParser
import Cache
import Commands
import Records
import Support

struct StatsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Say what the cache holds and what it has done.",
        discussion: """
            EXAMPLES
              img-cache stats
              img-cache stats --json | jq .scopes
            """)

    @OptionGroup var common: CommonOptions

    @Flag(help: "Write one JSON object.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let statistics = try common.open(context).statistics()
        let output = try File(descriptor: 1, path: "standard output", closes: false)
        let text = json ? statistics.json.bytes + [UInt8(ascii: "\n")] : Array(statistics.text.utf8)
        try output.write(text)
    }
}
