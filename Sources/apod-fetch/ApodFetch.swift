import APOD
import ArgumentParser
import Commands
import Records
import Support

@main
struct ApodFetch: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apod-fetch",
        abstract: "Get NASA's picture of the day as records.",
        discussion: """
            Asks NASA's new service (science.nasa.gov), and the old one (api.nasa.gov) only where the new one cannot \
            answer. Both give the same record. Alone it fetches the newest picture.

            Days go from 1995-06-16 to today. Months and years that have only begun, and ranges without an end, go to \
            the newest picture that is published; days that never had one (1995-06-17 to 19, 2020-06-10) are left out.

            What NASA said of a day is kept in the cache, of past days for ever, so that nothing is asked for twice.

            EXAMPLES
              apod-fetch --date | img-cache put | img-downsample --variant overlay
              apod-fetch --date 2024-02-03 --print hdurl
              apod-fetch --date 2024-02 --date 2023-12-24 --date today > days.ndjson
              apod-fetch --last 7 --pretty
              apod-fetch --start-date 2024-02-01 --end-date 2024-02-29 > february.ndjson
              apod-fetch --start-date 1995 --jobs 8 --progress plain > archive.ndjson
              apod-fetch --count 5 --seed 42 --print date
              apod-fetch --date --format text
              apod-fetch --last 30 --media image --format url | wget -i -
              apod-fetch --date --fallback-previous --print hdurl
              apod-fetch --date 2024 --offline > year.ndjson
              apod-fetch - < days.txt
              apod-fetch - --retry-errors < february.ndjson > february2.ndjson

            EXIT STATUS
              0 all done, 64 usage, 65 an answer that cannot be understood,
              or a line of the input that is no day,
              69 no picture that day, or only a stand-in, 75 may work later,
              77 not allowed (a key is missing or wrong), 78 configuration.
            """,
        version: toolsVersion)

    static func main() { runTool(Self.self) }

    @OptionGroup var options: APODOptions

    func run() throws {
        let context = try options.context(tool: "apod-fetch")
        let time = Clock.system.now()
        let source = try options.days.source(at: time)
        let plan = if case .request(let request) = source { try DayPlan(request, at: time) } else { DayPlan?.none }
        let runOptions = try options.pictureRunOptions(context)
        let caches = try options.caches(context)
        let client = try options.client(context, caches, jobs: runOptions.jobs)
        var needs = options.networkNeeds
        needs.changesCache = !options.offline
        context.confine(caches.settings, needs)
        if options.seed == nil, case .request(.random(_, let seed)) = source {
            context.log.detail("--seed \(seed) draws the same days again")
        }
        context.progress.expect(days: plan?.dayCount)
        var pictures = plan.map(client.pictures)
        var input: DayInput?
        let status = try context.run(PictureTool(client: client), options: runOptions) { flush in
            if pictures != nil { return try pictures?.nextInput(context.progress, willWait: flush) }
            let days = try input
                ?? DayInput(context.standardInput(flush), client: client, progress: context.progress, willWait: flush)
            input = days
            return try days.next()
        }
        caches.close()
        if let plan { DayPlan.noteGaps(plan.gaps, context.log) }
        client.tellLeftOut()
        try end(with: status)
    }
}
