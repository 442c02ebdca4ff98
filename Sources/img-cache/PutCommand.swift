import CacheTools
import Commands
import Fetch
import Options
import Support

extension Command {
    static let put = Command(
        "put", summary: "Download pictures, or add files, to the cache.",
        details: """
            Fresh pictures are not requested again. A record's picture is the first of hdurl, url, thumbnail_url, \
            image_url, image.image_url, image and gifUrl that can be fetched. If an address fails temporarily, the \
            next address is used until the failed address works again, and the record has cache.degraded.

            With --output-dir, a picture whose copy is unchanged is not requested, even if it was evicted from the \
            cache. The cache.status of its record is then "kept". --refresh sends a request.
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
        "prefetch", summary: "Download pictures before they are used, at a low priority.",
        details: """
            Works like put, but downloads two pictures at a time, at a lower priority. Finally reports three numbers \
            on standard error: the pictures that were skipped (already fresh), done, and failed.
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
        "explain", summary: "Show what put would do, and why, without doing it.",
        details: """
            Fetches, changes and counts nothing. Only resolves the name of the server and queries the remote, unless \
            --offline is given. The decision is hit, revalidate, remote, fetch, stale, offline-miss, \
            remembered-failure or refused. Writes text on a terminal, otherwise records with the field `explain`.
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
        var settings = try context.fetchSettings()
        let rules = try context.rules(settings)
        let request = try context.requests()
        let client = try context.downloadClient()
        var requirements = try context.fetchRequirements()
        requirements.remote = try context.remoteSettings()
        requirements.changesCache = false
        context.confine(&settings, requirements)
        let explainer = Explainer(
            settings: settings, remote: context.remote(requirements.remote), client: client, log: context.log,
            interruption: context.interruption)
        return try context.describe(arguments.items, as: "explain", .downloads) {
            try ExplainedPicture(of: $0, explainer, rules: rules, request: request)
        }
    }
}
