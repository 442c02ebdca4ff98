import ArgumentParser
import Cache
import Commands
import Records
import Support

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say what put would do now, and why, without doing it.",
        discussion: """
            Nothing is fetched, changed or counted; only the name of the server is looked up, unless --offline is given. \
            The decision is hit, revalidate, fetch, stale, offline-miss, remembered-failure or refused. On a terminal \
            it is written for eyes, elsewhere as records with the field `explain`.

            EXAMPLES
              img-cache explain https://example.org/m31.jpg
              img-cache explain --json --refresh https://example.org/m31.jpg | jq .explain
              img-cache explain --print explain.decision < records.ndjson
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var fetch: FetchOptions

    @Flag(help: "Write records also to a terminal.")
    var json = false

    @Argument(help: "Addresses; - for records on standard input.")
    var pictures: [String] = []

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let settings = try fetch.cacheSettings(common, context)
        var options = try stream.runOptions(context, jobs: 4)
        let writesText = options.layout == .lines && !json && Terminal.isTerminal(1)
        if writesText { options.layout = .field(ExplainTool.textField, terminator: UInt8(ascii: "\n")) }
        let explainer = Explainer(
            settings: settings, client: try fetch.client(context), log: context.log,
            interruption: context.interruption)
        let tool = ExplainTool(
            explainer: explainer, rules: try keys.rules(arguments: pictures), writesText: writesText,
            request: try fetch.request(context, arguments: pictures))
        var needs = fetch.needs(pictures)
        needs.changesCache = false
        context.confine(settings, needs)
        let status = try context.run(
            tool, options: options, arguments: pictures, expecting: "addresses", job: pictureJob)
        try end(with: status)
    }
}
