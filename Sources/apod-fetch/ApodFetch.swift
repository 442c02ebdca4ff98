import APOD
import ArgumentParser
import Cache
import Commands
import HTTP
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

            EXAMPLES
              apod-fetch --date | img-cache put | img-downsample --variant overlay
              apod-fetch --date 2024-02-03 --print hdurl
              apod-fetch --start-date 2024-02-01 --end-date 2024-02-29 > february.ndjson
              apod-fetch --count 5 --seed 42 --pretty

            EXIT STATUS
              0 all done, 64 usage, 65 an answer that cannot be understood,
              69 no picture that day, or only a stand-in, 75 may work later,
              77 not allowed (a key is missing or wrong), 78 configuration.
            """,
        version: toolsVersion)

    static func main() { runTool(Self.self) }

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var network: NetworkOptions

    @Option(
        defaultAsFlag: "today",
        help: ArgumentHelp("A day: today (the newest picture that is published), yesterday, or 2024-02-03.", valueName: "day"))
    var date: String?

    @Option(help: ArgumentHelp("The first day of a range.", valueName: "day"))
    var startDate: String?

    @Option(help: ArgumentHelp("The last day of the range; the newest where it is left out.", valueName: "day"))
    var endDate: String?

    @Option(help: ArgumentHelp("That many days drawn at random, 1 to 100.", valueName: "n"))
    var count: String?

    @Option(help: ArgumentHelp("Draw the same days again.", valueName: "number"))
    var seed: String?

    @Option(help: ArgumentHelp("auto, science or api.", valueName: "service"))
    var service: String?

    @Option(help: ArgumentHelp("File that holds the key for api.nasa.gov (else NASA_API_KEY, else DEMO_KEY).", valueName: "file"))
    var apiKeyFile: String?

    func run() throws {
        let context = try common.context(tool: "apod-fetch")
        let options = try stream.runOptions(context, jobs: 4)
        let caches = try common.caches(context)
        let client = try client(context, caches, jobs: options.jobs)
        var pictures = try client.pictures(try DayArguments(self).request(at: Clock.system.now()))
        let status = try context.run(PassingTool(name: "apod-fetch"), options: options) { flush in
            guard let result = try pictures.next(willWait: flush) else { return nil }
            return result.failure.map { .bad($0, in: result.record) } ?? .job(RecordJob(result.record))
        }
        caches.close()
        try end(with: status)
    }

    private func client(_ context: ToolContext, _ caches: Caches, jobs: Int) throws -> APODClient {
        let choice = try service.map { name in
            guard let choice = ServiceChoice(rawValue: name) else {
                let names = ServiceChoice.allCases.map(\.rawValue)
                throw UsageFailure(
                    "--service takes \(names.joined(separator: ", ")), not \"\(name)\"\(NearMatch.advice(for: name, among: names))")
            }
            return choice
        }
        let science = try address("science-url", "APOD_SCIENCE_URL", APODClient.scienceAddress, context)
        let api = try address("api-url", "APOD_API_URL", APODClient.apiAddress, context)
        return APODClient(
            choice: choice ?? .auto, science: science, api: api,
            key: try context.secret(file: apiKeyFile, variable: "NASA_API_KEY") ?? APODClient.demoKey,
            http: try network.client(context, passwords: try network.passwords(context)) {
                QuotaTransport(over: $0, ledger: MemoryQuotas(), log: context.log)
            },
            store: CachedDays(caches: caches, addresses: [.science: science, .api: api], log: context.log), jobs: jobs,
            interruption: context.interruption, log: context.log)
    }

    private func address(_ name: String, _ variable: String, _ standard: String, _ context: ToolContext) throws -> WebURL {
        try context.setting(name, option: nil, variable: variable, expected: "an http or https address") {
            try WebURL($0)
        } ?? WebURL(standard)
    }
}

/// Which days the arguments ask for.
struct DayArguments {
    let arguments: ApodFetch

    init(_ arguments: ApodFetch) { self.arguments = arguments }

    func request(at time: Timestamp) throws -> DayRequest {
        let range = arguments.startDate != nil || arguments.endDate != nil
        guard [arguments.date != nil, range, arguments.count != nil].count(where: { $0 }) <= 1 else {
            throw UsageFailure("--date, --start-date with --end-date, and --count exclude each other")
        }
        guard arguments.seed == nil || arguments.count != nil else { throw UsageFailure("--seed goes with --count") }
        if range {
            guard let start = arguments.startDate else { throw UsageFailure("--end-date needs --start-date") }
            return .range(
                from: try NamedDays(typed: start, at: time),
                through: try arguments.endDate.map { try NamedDays(typed: $0, at: time) })
        }
        if let count = arguments.count {
            guard let number = Int(count) else { throw UsageFailure("--count takes a number, not \"\(count)\"") }
            return .random(count: number, seed: try seed())
        }
        return .named([try arguments.date.map { try NamedDays(typed: $0, at: time) } ?? .today])
    }

    private func seed() throws -> UInt64 {
        guard let text = arguments.seed else { return UInt64.random(in: 0...UInt64.max) }
        guard let seed = UInt64(text) else { throw UsageFailure("--seed takes a whole number, not \"\(text)\"") }
        return seed
    }
}
