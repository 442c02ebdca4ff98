import ArgumentParser
import Cache
import Commands
import GIFs
import Records
import Support

/// A command that is about GIFs which ids or records name. A protocol rather than a group of options: see
/// `CommonOptions`.
protocol GIFCommand {
    associatedtype Common: CommonArguments
    var common: Common { get }
    var ids: [String] { get }
    var resolution: String? { get }
    var idField: String? { get }
    /// What the command needs beside the cache.
    var needs: Needs { get }
}

/// As if the option were not given.
extension GIFCommand {
    var idField: String? { nil }
    var needs: Needs { .looking }
}

extension ArgumentHelp {
    static let resolution = ArgumentHelp(
        """
        Take this resolution alone: 180, 360, 720 or 1080. Else the configured one or 180, and where that is not there \
        the nearest larger, then the nearest smaller one.
        """,
        valueName: "pixels")

    static let idField = ArgumentHelp("Field that holds the id; else id or exerciseId.", valueName: "field")

    static let json = ArgumentHelp("Write records, also to a terminal.")
}

/// The surroundings of a command that looks for GIFs without the network.
struct GIFLookup {
    let context: ToolContext
    let caches: Caches
    let gifs: KeptGIFs

    /// Opens no cache yet.
    ///
    /// - Parameter needs: what the command needs beside the cache; all else is given up.
    init(_ common: some CommonArguments, _ needs: Needs = Needs()) throws {
        context = try common.context(tool: "gif-cache")
        caches = try common.caches(context)
        gifs = KeptGIFs(caches: caches, service: try context.exerciseService(key: nil))
        context.confine(caches.settings, needs)
    }
}

extension GIFCommand {
    /// A resolution that was asked for by name, or else one that is preferred. Throws `UsageFailure` and
    /// `ConfigurationFailure`.
    func naming(_ context: ToolContext) throws -> GIFNaming {
        let wanted = try context.setting(
            "resolution", option: resolution, expected: Resolution.expected, parse: { Resolution($0) }) ?? .standard
        let field = try idField.map { text in
            guard let path = FieldPath(text) else {
                throw UsageFailure("--id-field takes a field or a dotted path, not \"\(text)\"")
            }
            return path
        }
        return GIFNaming(resolution: resolution == nil ? .preferably(wanted) : .exactly(wanted), idField: field)
    }

    /// Runs a tool over ids, each turned into a job, or over records.
    func run(
        _ options: (ToolContext) throws -> RecordRunOptions, expecting: String = "ids of exercises",
        job: (String) -> RecordJob = gifJob, tool: (GIFLookup, GIFNaming) -> any RecordTool
    ) throws {
        let lookup = try GIFLookup(common, needs)
        let options = try options(lookup.context)
        let status = try lookup.context.run(
            tool(lookup, try naming(lookup.context)), options: options, arguments: ids, expecting: expecting, job: job)
        lookup.caches.close()
        try end(with: status)
    }

    /// Gives every id to `body`, and ends with the status that those which failed call for; `finish` is called behind
    /// the last one.
    func forEachID(
        finish: () throws -> Void = {}, _ body: (ExerciseID, GIFNaming, GIFLookup) throws -> Void
    ) throws {
        guard !ids.isEmpty else { throw UsageFailure("name at least one exercise by its id, such as 0001") }
        let lookup = try GIFLookup(common, needs)
        let naming = try naming(lookup.context)
        var tally = ExitTally()
        for id in ids {
            do {
                try body(ExerciseID(id), naming, lookup)
            } catch {
                let failure = failure(of: error)
                if let system = failure as? SystemFailure, system.isBrokenPipe { break }
                lookup.context.log.error(failure.message)
                tally.add(failure)
            }
        }
        lookup.caches.close()
        try finish()
        try end(with: tally.status)
    }
}

extension Resolution {
    static let expected = "180, 360, 720 or 1080"

    /// The one that an option names; nil where it is not given.
    init?(option: String?) throws(UsageFailure) {
        guard let option else { return nil }
        guard let resolution = Resolution(option) else {
            throw UsageFailure("--resolution takes \(Self.expected), not \"\(option)\"")
        }
        self = resolution
    }
}

extension ToolContext {
    /// The service that the environment or the configuration file names.
    func exerciseService(key: String?) throws -> ExerciseService {
        let address = try setting(
            "exercisedb-url", option: nil, variable: "EXERCISEDB_API_URL", expected: "an http or https address"
        ) { $0 }
        return try ExerciseService(address: address ?? ExerciseService.standardAddress, key: key)
    }
}

/// The job that an id stands for: a record with it.
func gifJob(_ id: String) -> RecordJob {
    var record = Record()
    record.set("id", .string(id))
    return RecordJob(record, argument: id)
}
