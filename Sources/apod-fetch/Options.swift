import APOD
import Articles
import Commands
import Fetch
import HTTP
import Options
import Records
import Support

extension AnyOption {
    // MARK: Days

    static let date = Option<String>(
        "date", synonyms: ["start-date", "end-date"], form: .optionalValue("DAY", implied: "today"),
        group: .days, repeats: true, summary: "A day, month, year or range; repeatable.",
        manual: """
            A value is today (the newest picture that is published), yesterday, a day (2024-02-03), a month \
            (2024-02), a year (2024) or a range of these (2024-02-03..2024-02-09, or 1995.. up to today). The default \
            value is today.
            """, takesMore: { !$0.hasPrefix("-") }
    ) { $0 }
    static let last = Option.text("last", "N", .days, summary: "The newest N days, oldest first.")
    static let count = Option.text("count", "N", .days, summary: "N different days, drawn at random.")
    static let seed = Option.text(
        "seed", "NUMBER", .days, summary: "Draw the same days again, with the seed shown by -v.")

    static let requireToday = Option.flag(
        "require-today", .days, summary: "Fail (75) until today's picture is published.",
        manual: "Today is NASA's current day. Without this option, the newest published picture is returned.")

    static let search = Option<SearchWords>(
        "search", form: .value("WORDS"), group: .days,
        summary: "Only cached days with these words.",
        manual: """
            Selects cached days whose title or explanation contains all of these words, or words that begin with them. \
            Sends no request.
            """,
        read: { text in
            guard let words = SearchWords(text) else { throw UsageFailure("the text contains no words") }
            return words
        })

    // MARK: Service and pictures

    static let media = Option<Set<Picture.MediaType>>(
        "media", form: .value("TYPES"),
        completion: .list(["image", "video", "other"]), group: .own,
        summary: "Only days with image, video or other media.", manual: "Separate several types by commas.",
        read: { try Picture.MediaType.types(typed: $0) })
    static let noCopyright = Option.flag("no-copyright", summary: "Omit days that name a copyright holder.")
    static let fallbackPrevious = Option.flag(
        "fallback-previous", summary: "If a day has no image, use the latest earlier image.")
    static let raw = Option.flag("raw", summary: "Add NASA's original object as the field raw.")
    static let format = Option<ArticleFormat>.case(
        "format", "FORMAT", summary: "json, text, markdown, html, atom or url.",
        manual: "text is for reading, html is a page, atom a feed, and url only the picture's address."
    ).defaulting(to: .json)
}

extension Arguments {
    var days: DayArguments {
        var days = DayArguments()
        days.dates = all(.date)
        days.last = self[.last]
        days.count = self[.count]
        days.seed = self[.seed]
        days.requiresToday = self[.requireToday]
        days.operands = operands
        return days
    }

    /// Whether the run sends no requests to NASA.
    var isOffline: Bool { self[.offline] || self[.search] != nil }
}

extension ToolContext {
    func client(_ caches: Caches, jobs: Int) throws -> APODClient {
        let science = try value(.scienceURL)
        let api = try value(.apiURL)
        let choice = try value(.service, as: ServiceChoice.self)
        if choice == .api, api == nil {
            throw ConfigurationFailure(
                "the service \"api\" requires the address of your own server; set APOD_API_URL, or use"
                    + " the service \"science\", since api.nasa.gov no longer has pictures")
        }
        return APODClient(
            choice: choice, options: try pictureOptions(), science: science, api: api,
            http: try client(passwords: try passwords()) {
                QuotaTransport(over: $0, ledger: caches.quotas(log: log), log: log)
            },
            caches: caches, jobs: jobs, interruption: interruption, log: log)
    }

    private func pictureOptions() throws -> PictureOptions {
        var options = PictureOptions.standard
        options.media = arguments[.media] ?? options.media
        options.freeOnly = arguments[.noCopyright]
        options.words = arguments[.search]
        options.fallsBack = arguments[.fallbackPrevious]
        options.requiresToday = arguments[.requireToday]
        options.raw = arguments[.raw]
        options.refreshes = arguments[.refresh]
        options.isOffline = arguments.isOffline
        if options.refreshes, options.isOffline {
            throw UsageFailure("--refresh and --\(options.words == nil ? "offline" : "search") cannot be combined")
        }
        if options.fallsBack, options.words != nil {
            throw UsageFailure("--fallback-previous and --search cannot be combined")
        }
        if options.fallsBack, !options.media.contains(.image) {
            throw UsageFailure("--fallback-previous returns images, which --media excludes")
        }
        return options
    }

    /// Returns the options for processing and writing records, including the layout for `--format`.
    func pictureRunOptions() throws -> RecordRunOptions {
        var options = try runOptions(.days)
        guard arguments.isGiven(.format) else { return options }
        let format = arguments[.format]
        if arguments.isGiven(.print) { throw UsageFailure("--format and --print cannot be combined") }
        if arguments[.pretty], format != .json { throw UsageFailure("--pretty requires --format json") }
        let feed = AtomFeed.picturesOfTheDay(address: try value(.feedURL), updated: Clock.system.now())
        options.layout = format.layout(for: .standardOutput(environment: environment), feed: feed) ?? options.layout
        return options
    }
}

extension [AnyOption] {
    static let days: [AnyOption] = [.date, .last, .count, .seed, .search, .requireToday]

    static let choice: [AnyOption] = [
        .media, .noCopyright, .fallbackPrevious, .raw, .format, .feedURL, .service, .refresh, .offline,
    ]
}
