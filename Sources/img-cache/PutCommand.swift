import Commands
import Fetch
import Options
import Previews
import Store
import Support
import Tools

extension Command {
    static let put = Command(
        "put", summary: "Download pictures, or take files, and keep them.",
        details: """
            What is fresh is not asked for again. A record's picture is the first of hdurl, url, thumbnail_url, \
            image_url, image.image_url, image and gifUrl that can be had; if one is gone for good, the next is tried.
            """,
        examples: [
            "img-cache put https://example.org/m31.jpg",
            "img-cache put photo.png --key my-photo",
            "apod-fetch --last 7 | img-cache put --jobs 4 > week.ndjson",
            "img-cache put --retry-errors < week.ndjson > week2.ndjson",
            "img-cache put --incremental https://example.org/m31.jpg",
        ],
        operands: .pictures,
        options: { [[.incremental], .keys, .stream, .fetching, .common] },
        synonyms: ["add", "download", "fetch", "store", "save"]
    ) { arguments in
        let context = try ToolContext(arguments)
        let settings = try context.fetchSettings()
        let options = try context.runOptions(jobs: 6)
        let rules = try arguments.rules()
        let request = try context.requests()
        let client = try context.downloadClient()
        context.confine(settings, context.fetchNeeds)
        let caches = context.caches(settings)
        var tool = PutTool(
            caches: caches, client: client, rules: rules,
            previews: arguments[.incremental] ? try previews(context, caches) : nil, request: request)
        if let limit = try context.value(.maxBytes) { tool.byteLimit = limit }
        defer { caches.close() }
        return try context.run(tool, options: options, over: arguments.things)
    }

    /// What makes previews. Those of earlier runs whose leases have ended go first.
    private static func previews(_ context: ToolContext, _ caches: Caches) throws -> PutTool.Previews {
        try caches.removeOldPreviews()
        return { PreviewMaker(log: context.log, interruption: context.interruption, ready: $0) }
    }

    static let prefetch = Command(
        "prefetch", summary: "Download pictures ahead of their use, giving way to everything else.",
        details: """
            Does what put does, two at a time, at a lower priority, and passes over what is fresh. At the end it says \
            on standard error how many were skipped, done and failed.
            """,
        examples: [
            "apod-fetch --count 30 | img-cache prefetch --delay 2s > month.ndjson",
            "img-cache prefetch -q --jobs 1 < tomorrow.ndjson > /dev/null",
        ],
        operands: .pictures,
        options: { [[.delay], .keys, .stream, .fetching, .common] }
    ) { arguments in
        BackgroundPriority.take()
        let context = try ToolContext(arguments)
        let settings = try context.fetchSettings()
        let options = try context.runOptions(jobs: 2)
        let rules = try arguments.rules()
        let request = try context.requests()
        let client = try context.downloadClient()
        context.confine(settings, context.fetchNeeds)
        let caches = context.caches(settings)
        var put = PutTool(caches: caches, client: client, rules: rules, request: request)
        if let limit = try context.value(.maxBytes) { put.byteLimit = limit }
        if let delay = arguments[.delay] {
            put.pacing = StartPacing(delay: delay, sleep: context.interruption.sleep)
        }
        let tool = PrefetchTool(put: put)
        let status = try context.run(tool, options: options, over: arguments.things)
        caches.close()
        context.log.notice(tool.summary.text)
        return status
    }

    static let explain = Command(
        "explain", summary: "Say what put would do now, and why, without doing it.",
        details: """
            Nothing is fetched, changed or counted; only the name of the server is looked up, unless --offline is \
            given. The decision is hit, revalidate, fetch, stale, offline-miss, remembered-failure or refused. On a \
            terminal it is text, elsewhere records with the field `explain`.
            """,
        examples: [
            "img-cache explain https://example.org/m31.jpg",
            "img-cache explain --json --refresh https://example.org/m31.jpg | jq .explain",
            "img-cache explain --print explain.decision < records.ndjson",
        ],
        operands: .pictures,
        options: { [.keys, [.json], .stream, .fetching, .common] }
    ) { arguments in
        let context = try ToolContext(arguments)
        let settings = try context.fetchSettings()
        var options = try context.runOptions(jobs: 4)
        let writesText = options.layout == .lines && !arguments[.json] && Terminal.isTerminal(1)
        if writesText { options.layout = .field(ExplainTool.textField, terminator: UInt8(ascii: "\n")) }
        let explainer = Explainer(
            settings: settings, client: try context.downloadClient(), log: context.log,
            interruption: context.interruption)
        let tool = ExplainTool(
            explainer: explainer, rules: try arguments.rules(), writesText: writesText, request: try context.requests())
        var needs = context.fetchNeeds
        needs.changesCache = false
        context.confine(settings, needs)
        return try context.run(tool, options: options, over: arguments.things)
    }
}
