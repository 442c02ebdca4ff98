import CacheTools
import Commands
import Fetch
import GIFs
import HTTP
import Options
import Records
import Store
import Support

extension Command {
    static let exercises = Command(
        "list", summary: "List all exercises of the service as records.",
        details: """
            Writes the service's records unchanged. The list is requested only if no fresh list is cached (--ttl), \
            whatever the conditions. If the service cannot be reached, an expired list is used.
            """,
        examples: [
            "gif-cache list --print name",
            "gif-cache list --body-part back,chest | gif-cache put > exercises.ndjson",
            "gif-cache list --name curl --refresh",
            "gif-cache list equipment --body-part back",
        ],
        operands: .init(
            "PROPERTY", "body-part, target or equipment: print its distinct values instead of the exercises.",
            completion: .words(ExerciseProperty.allCases.map(\.rawValue)), atMost: 1),
        options: { [.conditionsOnExercises, .stream, .asking, .common] }
    ) { arguments in
        let property = try arguments.operands.first.map { word in
            guard let property = ExerciseProperty(rawValue: word) else {
                throw UsageFailure("list takes body-part, target or equipment, not \"\(word)\"")
            }
            return property
        }
        let work = try ServiceWork(arguments)
        if let property { return try write(valuesOf: property, work) }
        let options = try work.context.runOptions(.lookups)
        var rest = try work.exercises()[...]
        defer { work.caches.close() }
        return try work.context.run(PassingTool(name: "gif-cache"), options: options) { _ in
            rest.popFirst().map { .job(RecordJob($0)) }
        }
    }

    private static func write(valuesOf property: ExerciseProperty, _ work: ServiceWork) throws -> Int32 {
        let arguments = work.context.arguments
        for option in [.print, .pretty] as [AnyOption] where arguments.isGiven(option) {
            throw UsageFailure("--\(option.name) cannot be combined with list \(property.rawValue)")
        }
        let output = try TextOutput.standard()
        let values = try property.values(among: work.exercises())
        defer { work.caches.close() }
        for value in values { try output.write(line: Array(value.utf8), endedBy: arguments.terminator) }
        return 0
    }

    static let mirror = Command(
        "mirror", summary: "Fetch the missing GIFs of all exercises, three at a time.",
        details: """
            Combines list and put. Writes the records of all exercises, and reports on standard error how many GIFs \
            were cached (hit), fetched, revalidated because they had expired, or failed. If a run is interrupted, the \
            next run continues with the remaining GIFs. Simultaneous runs share the work. If all GIFs are cached and \
            fresh, none is requested.

            A GIF is fresh for a year, unless --ttl or the configuration file sets another time. Revalidating \
            expired GIFs uses at most a twentieth of the plan's remaining requests; the others are served stale.

            The default capacity of 200 MB suffices for the 1,300 GIFs of 180 pixels, but not for larger GIFs.
            """,
        examples: [
            "gif-cache mirror > exercises.ndjson", "gif-cache mirror --body-part back > back.ndjson",
            "gif-cache mirror --dry-run",
        ],
        options: {
            [[.dryRun, .delay, .resolution, .placeholder], .conditionsOnExercises, [.json], .stream, .asking, .common]
        }
    ) { arguments in
        let work = try ServiceWork(arguments)
        let context = work.context
        let naming = try context.naming()
        let options = try context.runOptions(.gifs)
        var tool = try work.tool(naming)
        if let delay = try context.value(.delay) {
            tool.pacing = StartPacing(delay: delay, sleep: context.interruption.sleep)
        }
        let exercises = try work.exercises()
        if arguments[.dryRun] { return try sayWhatIsMissing(of: exercises, work, naming) }
        context.progress.expect(records: exercises.count)
        var rest = exercises[...]
        let status = try context.run(tool, options: options) { _ in rest.popFirst().map { .job(RecordJob($0)) } }
        work.caches.close()
        context.log.notice(tool.counts.text)
        return status
    }

    private static func sayWhatIsMissing(
        of exercises: [Record], _ work: ServiceWork, _ naming: GIFNaming
    ) throws -> Int32 {
        let missing = try exercises.count { try !work.cache.isFresh(naming.wanted(by: RecordJob($0))) }
        work.caches.close()
        try work.context.report(
            .object(["exercises": .integer(exercises.count), "missing": .integer(missing)]),
            "\(missing) of \(exercises.count) GIFs would be fetched\n")
        return 0
    }

    static let put = Command(
        "put", summary: "Fetch missing GIFs, three at a time, and return the paths of all GIFs.",
        details: """
            If a GIF cannot be fetched, its record gets the error, gif.placeholder, and the path of a placeholder, a \
            small animation. When the plan's requests are used up, no further request is sent.
            """,
        examples: [
            "gif-cache put 0001 --resolution 360 --print path",
            "gif-cache put --placeholder ./soon.gif < workouts.ndjson",
            "gif-cache put --field id=exercise.id < workouts.ndjson",
            "gif-cache put 0001 --output-dir gifs --name-template '{id}-{gif.width}.{ext}'",
        ],
        operands: .exercises,
        options: {
            [[.resolution, .recordFields, .placeholder], .copies, .stream, .asking, .common]
        },
        synonyms: ["add", "download", "fetch", "store", "save"]
    ) { arguments in
        let work = try ServiceWork(arguments, refreshesGIFs: arguments[.refresh])
        let context = work.context
        var tool = try work.tool(context.naming())
        tool.copies = work.copies
        defer { work.caches.close() }
        return try context.run(tool, options: try context.runOptions(.gifs), over: arguments.items)
    }
}

/// The cache and the clients of a command that may send requests to ExerciseDB. Its initialiser opens neither a cache
/// nor a connection.
struct ServiceWork {
    let context: ToolContext
    let caches: Caches
    let cache: GIFCache
    /// Makes the copies in `--output-dir`; nil without this option.
    let copies: OriginalCopies?
    private let service: ExerciseService
    private let client: HTTPClient
    /// The client for addresses that do not belong to the service.
    private let plainClient: HTTPClient

    init(_ arguments: Arguments, refreshesGIFs: Bool = false) throws {
        try arguments.exclude(.refresh, .offline)
        let context = try ToolContext(arguments)
        var settings = try context.cacheSettings()
        settings.isOffline = arguments[.offline]
        settings.refreshes = refreshesGIFs
        // GIFs lost in a power failure would have to be fetched again, and requests are limited by the plan.
        settings.syncs = true
        let remote = try context.remoteSettings()
        let caches = context.caches(settings, remote: context.remote(remote))
        let asksAnyway = arguments[.refresh]
        service = try context.exerciseService(key: context.secret(.exerciseKeyFile, .exerciseKey))
        if !settings.isOffline { try service.requireChoice() }
        let passwords = try context.passwords()
        let quota = ServiceQuota()
        client = try context.client(passwords: passwords) {
            QuotaTransport(
                over: ExerciseTransport(over: $0, quota: quota), ledger: caches.quotas(log: context.log),
                asksAnyway: asksAnyway, log: context.log)
        }
        let isTold = try context.text(.ttl) != nil
        cache = GIFCache(
            caches: caches, service: service, client: client, expiry: isTold ? nil : GIFCache.usualExpiry, quota: quota)
        plainClient = try context.client(passwords: passwords)
        self.context = context
        self.caches = caches
        var requirements = try context.networkRequirements()
        requirements.inputs = arguments[.placeholder].map { $0 == "none" ? [] : [$0] } ?? []
        copies = try context.copies(&requirements)
        requirements.remote = remote
        context.confine(&settings, requirements)
    }

    /// Returns the tool for `put` and `mirror`. If `--placeholder` names a file, reads the file.
    func tool(_ naming: GIFNaming) throws -> GIFTool {
        let arguments = context.arguments
        let named = arguments[.placeholder]
        if named == "none" { return GIFTool(cache: cache, naming: naming, placeholder: nil) }
        let source = try named.map { try GIFPlaceholder.Source($0) } ?? .drawn
        return GIFTool(
            cache: cache, naming: naming,
            placeholder: GIFPlaceholder(source, caches: caches, service: service, client: plainClient, log: context.log)
        )
    }

    /// Returns the exercises that match the conditions of the command line. Warns if no exercise matches.
    func exercises() throws -> [Record] {
        try context.interruption.catchSignals()
        let list = ExerciseList(caches: caches, service: service, client: client, log: context.log)
        let all = try context.interruption.during { try list.exercises(refreshes: context.arguments[.refresh]) }
        let wanted = all.filter(context.arguments.exerciseFilter.accepts)
        if wanted.isEmpty { context.log.warning("no exercise matches; use gif-cache list to show all \(all.count)") }
        return wanted
    }
}
