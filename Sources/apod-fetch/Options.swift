import APOD
import ArgumentParser
import Cache
import Commands
import HTTP
import Records
import Support

/// All options, in one group: each group costs a cold start more than five options do.
///
/// Those of the other tools that are about pictures in the cache are left out: how much is kept, for how long, and how
/// long a path stays valid.
struct APODOptions: ParsableArguments, CommonArguments, StreamArguments, NetworkArguments {
    // MARK: Days

    @Option(
        help: ArgumentHelp(
            """
            today (the newest picture that is published), yesterday, a day (2024-02-03), a month (2024-02) or a year \
            (2024); may stand there several times, and alone means today.
            """,
            valueName: "day"))
    var date: [String] = []

    @Option(help: ArgumentHelp("That many of the newest days, the oldest first.", valueName: "n"))
    var last: String?

    @Option(help: ArgumentHelp("The first day of a range, or the month or year that it begins with.", valueName: "day"))
    var startDate: String?

    @Option(
        help: ArgumentHelp(
            "The last day of the range, or the month or year that it ends with; the newest where it is left out.",
            valueName: "day"))
    var endDate: String?

    @Option(help: ArgumentHelp("That many different days drawn at random.", valueName: "n"))
    var count: String?

    @Option(
        help: ArgumentHelp(
            "Draw the same days again (-v tells the seed of days that were drawn).", valueName: "number"))
    var seed: String?

    // MARK: Pictures

    @Option(
        help: ArgumentHelp(
            "Which of NASA's services to ask: auto (the usual), science (the new one) or api (the old one).",
            valueName: "service"))
    var service: String?

    @Option(
        help: ArgumentHelp(
            "File that holds the key for api.nasa.gov (else NASA_API_KEY, else DEMO_KEY).", valueName: "file"))
    var apiKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "Leave out days without these: image, video, other, or several with commas.", valueName: "types"))
    var media: String?

    @Flag(help: "Give the latest image before a day that has none.") var fallbackPrevious = false
    @Flag(help: "Ask NASA also for days that are kept.") var refresh = false
    @Flag(help: "Never open a connection: give what is kept.") var offline = false
    @Flag(help: "Add NASA's own object as the field raw.") var raw = false

    // MARK: Records

    @Option(
        help: ArgumentHelp(
            """
            How records are written: json (the usual), text (to be read), markdown, or url (the picture's address alone).
            """,
            valueName: "format"))
    var format: String?

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp("How many requests to have under way at once (4).", valueName: "n"))
    var jobs: String?

    @Flag(help: "Let each record of standard input leave as soon as it is done.") var unordered = false
    @Flag(help: "Stop at the first failure.") var failFast = false
    @Flag(help: "Count records that came in with an error in the exit status.") var strict = false
    @Flag(help: "Take records that bear this tool's own passing error as fresh ones.") var retryErrors = false

    @Option(
        help: ArgumentHelp(
            "Print only this field, raw, one a line; a dotted path such as apod.service.", valueName: "field"))
    var print: String?

    @Flag(
        name: [.customShort("0"), .customLong("null")], help: "End what --print prints by NUL instead of a line feed.")
    var nullTerminated = false

    @Flag(help: "Indent the records.") var pretty = false

    // MARK: Network

    @Option(help: .timeout) var timeout: String?
    @Option(help: .retries) var retries: String?
    @Option(help: .allowPrivate) var allowPrivate: String?
    @Option(help: .cacert) var cacert: String?
    @Flag(help: .netrc) var netrc = false
    @Option(help: .netrcFile) var netrcFile: String?

    // MARK: Words and places

    @Flag(name: .shortAndLong, help: "Print errors only.") var quiet = false
    @Flag(name: .shortAndLong, help: "Say what happens.") var verbose = false

    @Option(help: ArgumentHelp("How standard error is written: plain (the usual) or json.", valueName: "format"))
    var logFormat: String?

    @Option(
        help: ArgumentHelp(
            "How progress is shown: auto (the usual: on a terminal), plain (lines for a log) or none.",
            valueName: "style"))
    var progress: String?

    @Option(
        help: ArgumentHelp(
            "Append an event for each step of the work to this file (APOD_TOOLS_METRICS).", valueName: "file"))
    var metrics: String?

    @Option(help: ArgumentHelp("Configuration file, instead of the usual one.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Cache root (APOD_TOOLS_CACHE_DIR).", valueName: "folder"))
    var cacheDir: String?

    @Flag(help: "Use a cache root that belongs to another user or that everyone may write to, as in a container.")
    var allowSharedRoot = false

    @Option(
        help: ArgumentHelp(
            "Scope: a part of the cache that shares nothing with the others (APOD_TOOLS_SCOPE).", valueName: "name"))
    var scope: String?

    @Option(
        help: ArgumentHelp(
            "Where the days' records are kept: enabled (on the disk, the usual), disabled (nowhere) or memory.",
            valueName: "policy"))
    var policy: String?

    @Option(
        help: ArgumentHelp(
            "Another policy for some addresses, such as 'science.nasa.gov=disabled'; the first that matches counts.",
            valueName: "pattern=policy"))
    var policyRule: [String] = []

    @Flag(help: "Keep all rights that the process does not need, to find out why something is refused.")
    var noConfinement = false

    @Argument(help: ArgumentHelp("- for days, one a line, or records with a date, on standard input.", valueName: "-"))
    var operands: [String] = []
}

extension APODOptions {
    var days: DayArguments {
        var days = DayArguments()
        days.dates = date
        days.last = last
        days.start = startDate
        days.end = endDate
        days.count = count
        days.seed = seed
        days.operands = operands
        return days
    }

    func client(_ context: ToolContext, _ caches: Caches, jobs: Int) throws -> APODClient {
        let choice = try context.setting("service", option: service, expected: ServiceChoice.expected) {
            try ServiceChoice(typed: $0)
        }
        let science = try address("science-url", "APOD_SCIENCE_URL", APODClient.scienceAddress, context)
        let api = try address("api-url", "APOD_API_URL", APODClient.apiAddress, context)
        return APODClient(
            choice: choice ?? .auto, options: try pictureOptions(), science: science, api: api,
            key: try context.secret(file: apiKeyFile, variable: "NASA_API_KEY") ?? APODClient.demoKey,
            http: try client(context, passwords: try passwords(context)) {
                QuotaTransport(over: $0, ledger: caches.quotas(log: context.log), log: context.log)
            },
            store: CachedDays(caches: caches, addresses: [.science: science, .api: api], log: context.log), jobs: jobs,
            interruption: context.interruption, log: context.log)
    }

    private func address(
        _ name: String, _ variable: String, _ standard: String, _ context: ToolContext
    ) throws -> WebURL {
        try context.setting(name, option: nil, variable: variable, expected: "an http or https address") {
            try WebURL($0)
        } ?? WebURL(standard)
    }

    private func pictureOptions() throws -> PictureOptions {
        if refresh, offline { throw UsageFailure("--refresh and --offline cannot be combined") }
        var options = PictureOptions(fallsBack: fallbackPrevious, raw: raw, refreshes: refresh, isOffline: offline)
        if let media { options.media = try Picture.MediaType.types(typed: media) }
        if fallbackPrevious, !options.media.contains(.image) {
            throw UsageFailure("--fallback-previous gives images, which --media leaves out")
        }
        return options
    }

    /// How records are worked on and written; the format as well.
    func pictureRunOptions(_ context: ToolContext) throws -> RecordRunOptions {
        var options = try runOptions(context, jobs: 4)
        guard let format else { return options }
        let picked = try PictureFormat(typed: format)
        if print != nil { throw UsageFailure("--format and --print cannot be combined") }
        if pretty, picked != .json { throw UsageFailure("--pretty goes with --format json") }
        options.layout = picked.layout(for: .standardOutput(environment: context.environment)) ?? options.layout
        return options
    }
}
