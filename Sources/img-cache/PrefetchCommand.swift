import ArgumentParser
import Cache
import Commands
import Support

struct PrefetchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefetch",
        abstract: "Download pictures ahead of their use, giving way to everything else.",
        discussion: """
            Does what put does, two at a time, at a lower priority, and passes over what is fresh. At the end it says on \
            standard error how many were skipped, done and failed.

            EXAMPLES
              apod-fetch --count 30 | img-cache prefetch --delay 2s > month.ndjson
              img-cache prefetch -q --jobs 1 < tomorrow.ndjson > /dev/null
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var keys: KeyOptions
    @OptionGroup var fetch: FetchOptions

    @Option(help: ArgumentHelp("From one download's beginning to the next one's, at least, such as 2s.", valueName: "time"))
    var delay: String?

    @Argument(help: "Addresses or files; - for records on standard input.")
    var pictures: [String] = []

    func run() throws {
        BackgroundPriority.take()
        let context = try common.context(tool: "img-cache")
        let settings = try fetch.cacheSettings(common, context)
        let options = try stream.runOptions(context, jobs: 2)
        let rules = try keys.rules(arguments: pictures)
        let request = try fetch.request(context, arguments: pictures)
        let client = try fetch.client(context)
        let delay = try context.setting(
            "delay", option: delay, expected: "a time such as 2s", parse: TimeSpan.parse)
        context.confine(settings, fetch.needs(pictures))
        let caches = Caches(
            settings: settings, log: context.log, metrics: context.metrics, interruption: context.interruption)
        var put = PutTool(caches: caches, client: client, rules: rules, request: request)
        if let delay {
            put.pacing = StartPacing(delay: delay, sleep: context.interruption.sleep)
        }
        let tool = PrefetchTool(put: put)
        let status = try context.run(
            tool, options: options, arguments: pictures, expecting: "addresses or files", job: pictureJob)
        caches.close()
        context.log.notice(tool.summary.text)
        try end(with: status)
    }
}
