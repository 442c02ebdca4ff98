import CacheTools
import Commands
import Fetch
import Options
import Support

extension Command {
    static let put = Command(
        "put", summary: "Download pictures, or take files, and keep them.",
        details: """
            What is fresh is not asked for again. A record's picture is the first of hdurl, url, thumbnail_url, \
            image_url, image.image_url, image and gifUrl that can be had. If one fails for a time, the next is used \
            until it works again: cache.degraded tells.

            With --output-dir, a picture whose copy is there unchanged is not asked for, even if the cache has given \
            it up: its cache.status is kept. --refresh asks the server.
            """,
        examples: [
            "img-cache put https://example.org/m31.jpg",
            "img-cache put photo.png --key my-photo",
            "apod-fetch --last 7 | img-cache put --jobs 4 > week.ndjson",
            "img-cache put --retry-errors < week.ndjson > week2.ndjson",
            "img-cache put https://example.org/m31.jpg --ttl 90d",
            "img-cache put --incremental https://example.org/m31.jpg",
            "img-cache put --output-dir apod --name-template '{date}.{ext}' < week.ndjson",
        ],
        operands: .pictures,
        options: { [[.incremental, .skipMade], .keys, .putting, .copies, .stream, .fetching, .common] },
        synonyms: ["add", "download", "fetch", "store", "save"]
    ) { arguments in
        let context = try ToolContext(arguments)
        let options = try context.runOptions(.downloads)
        var (tool, caches) = try context.putTool()
        tool.revalidatesLater = true
        defer { caches.close() }
        let status = try context.run(tool, options: options, over: arguments.items)
        tool.revalidate(jobs: options.jobs)
        return status
    }

    static let prefetch = Command(
        "prefetch", summary: "Download pictures ahead of their use, giving way to everything else.",
        details: """
            Does what put does, two at a time, at a lower priority, and passes over what is fresh. At the end it says \
            on standard error how many were skipped, done and failed.
            """,
        examples: [
            "apod-fetch --count 30 | img-cache prefetch > month.ndjson",
            "img-cache prefetch -q --jobs 1 < tomorrow.ndjson > /dev/null",
        ],
        operands: .pictures,
        options: { [[.delay], .keys, .putting, .stream, .fetching, .common] }
    ) { arguments in
        BackgroundPriority.take()
        let context = try ToolContext(arguments)
        let options = try context.runOptions(.prefetches)
        let (tool, caches) = try context.putTool()
        let status = try context.run(tool, options: options, over: arguments.items)
        caches.close()
        let counts = tool.counts
        context.log.notice(
            "\(counts.hits) skipped, \(counts.fetched + counts.revalidated) done, \(counts.stale + counts.failed) failed"
        )
        return status
    }

    static let explain = Command(
        "explain", summary: "Say what put would do now, and why, without doing it.",
        details: """
            Nothing is fetched, changed or counted; only the name of the server is looked up, and the remote asked what \
            it has, unless --offline is given. The decision is hit, revalidate, remote, fetch, stale, offline-miss, \
            remembered-failure or refused. On a terminal it is text, elsewhere records with the field `explain`.
            """,
        examples: [
            "img-cache explain https://example.org/m31.jpg",
            "img-cache explain --json --refresh https://example.org/m31.jpg | jq .explain",
            "img-cache explain --print explain.decision < records.ndjson",
        ],
        operands: .pictures,
        options: { [.keys, .putting, [.json], .stream, .fetching, .common] }
    ) { arguments in
        let context = try ToolContext(arguments)
        let settings = try context.fetchSettings()
        let rules = try context.rules(settings)
        let request = try context.requests()
        var requirements = try context.fetchRequirements()
        requirements.remote = try context.remoteSettings()
        let explainer = Explainer(
            settings: settings, remote: context.remote(requirements.remote), client: try context.downloadClient(),
            log: context.log, interruption: context.interruption)
        requirements.changesCache = false
        context.confine(settings, requirements)
        return try context.describe(arguments.items, as: "explain", .downloads) {
            try ExplainedPicture(of: $0, explainer, rules: rules, request: request)
        }
    }
}
