import APOD
import Commands
import Fetch
import HTTP
import Options
import Records
import Store
import Support

extension Tool {
    public static let apodFetch = Tool(
        Command(
            "apod-fetch", summary: "Get NASA's picture of the day as records.",
            details: """
                Queries NASA's service (science.nasa.gov), and if it cannot answer, your own server at APOD_API_URL, \
                if set. Both return the same record. Without options, fetches the newest picture.

                Days range from 1995-06-16 to today. The current month and year, and ranges without an end, end with \
                the newest published picture. Days that never had a picture (1995-06-17 to 19, 2020-06-10) are skipped.

                NASA's answers are cached, for past days permanently, so that no day is requested twice.
                """,
            examples: [
                "apod-fetch --date | img-cache put | img-downsample --variant overlay",
                "apod-fetch 2024-02-03 --print hdurl",
                "apod-fetch --date 2024-02 --date 2023-12-24 --date today > days.ndjson",
                "apod-fetch --last 7 --pretty",
                "apod-fetch --date 2024-02-01..2024-02-29 > february.ndjson",
                "apod-fetch --date 2024-02-03..2024-02-09 --print hdurl",
                "apod-fetch --require-today --print hdurl",
                "apod-fetch --date 1995.. --jobs 8 > archive.ndjson",
                "apod-fetch --count 5 --seed 42 --print date,title",
                "apod-fetch --date --format text",
                "apod-fetch --search 'horsehead nebula' --print date,title",
                "apod-fetch --count 1 --offline --media image --no-copyright --print hdurl",
                "apod-fetch --last 9 --format atom > feed.xml",
                "apod-fetch --last 30 --media image --format url | wget -i -",
                "apod-fetch --date --fallback-previous --print hdurl",
                "apod-fetch --date 2024 --offline > year.ndjson",
                "apod-fetch - < days.txt",
                "apod-fetch - --retry-errors < february.ndjson > february2.ndjson",
            ],
            operands: .init(
                "DAY", "Days, months, years or ranges, as for --date, or - for days or records from standard input."),
            options: { [.days, .choice, .stream, .network, .place, .sharing, .messages] },
            run: fetch),
        exitStatus: """
            0 all done, 64 usage, 65 an invalid answer of the service,
            or an invalid day in the input,
            69 no picture that day, or only a stand-in,
            75 try again later, or not published yet,
            77 not allowed, 78 configuration.
            """,
        libraries: { [CurlTransport.libraryVersion, indexLibraryVersion] })

    @Sendable private static func fetch(_ arguments: Arguments) throws -> Int32 {
        let context = try ToolContext(arguments)
        let looksAtKept = arguments[.search] != nil || arguments[.offline] && arguments.days.count != nil
        // Check the days first, so that invalid days are refused before any other work.
        var plan = try arguments.days.plan(at: Clock.system.now(), log: looksAtKept ? .silent : context.log)
        let runOptions = try context.pictureRunOptions()
        var settings = try context.cacheSettings()
        if arguments.isOffline { context.lookForRoot(&settings) }
        let remote = arguments[.search] == nil ? try context.remoteSettings() : nil
        let caches = context.caches(settings, remote: context.remote(remote))
        let client = try context.client(caches, jobs: runOptions.jobs)
        var requirements = try context.networkRequirements()
        requirements.changesCache = !arguments.isOffline
        requirements.remote = remote
        context.confine(&settings, requirements)
        if looksAtKept {
            plan = try arguments.days.plan(
                ofKept: { try client.wantedKeptDays(in: $0) }, at: Clock.system.now(), log: context.log)
            if plan?.dayCount == 0 { client.logNoMatch() }
        }
        let input = try? File(descriptor: 0, path: "standard input", closes: false)
        if arguments.days == DayArguments(), input?.isRegular == true {
            context.log.warning("standard input is ignored; to read days from it, add the argument -")
        }
        context.progress.expect(days: plan?.dayCount)
        let pictures = plan.map(client.pictures)
        var dayInput: DayInput?
        let status = try context.run(PictureTool(client: client), options: runOptions) { flush in
            if pictures != nil { return try pictures?.nextInput(context.progress, willWait: flush) }
            let days =
                try dayInput
                ?? DayInput(context.standardInput(flush), client: client, progress: context.progress, willWait: flush)
            dayInput = days
            return try days.next()
        }
        caches.close()
        if let plan { DayPlan.noteGaps(plan.gaps, context.log) }
        client.logSkippedDays()
        return status
    }
}
