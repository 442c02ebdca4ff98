import Commands
import Fetch
import GIFs
import Options
import Records
import Store
import Support
import Tools

extension AnyOption {
    static let idField = Option<FieldPath>(
        "id-field", form: .value("FIELD"), expected: "a field or a dotted path", group: .own,
        default: "id, else exerciseId",
        summary: "Field of a record that holds the id.", read: { FieldPath($0) })

    /// Which exercises of the service's list are meant.
    static let bodyPart = Option<String>(
        "body-part", form: .value("PART"), expected: "a part", completion: .exercises(field: "bodyPart"), group: .own,
        repeats: true, summary: "Only of this part of the body, such as back; several with commas."
    ) { $0 }
    static let target = Option<String>(
        "target", form: .value("MUSCLE"), expected: "a muscle", completion: .exercises(field: "target"), group: .own,
        repeats: true, summary: "Only for this muscle, such as lats; several with commas."
    ) { $0 }
    static let equipment = Option<String>(
        "equipment", form: .value("THING"), expected: "a thing", completion: .exercises(field: "equipment"),
        group: .own,
        repeats: true, summary: "Only with this equipment, such as barbell; several with commas."
    ) { $0 }
    static let name = Option.text(
        "name", "TEXT", repeats: true, summary: "Only those whose name contains this; several with commas.")

    static let apiKeyFile = Option.path(
        "api-key-file", .service, default: "EXERCISEDB_API_KEY", summary: "File that holds the key for the service.")

    static let placeholder = Option.path(
        "placeholder", as: "FILE|URL", default: "a drawn one",
        summary: "The GIF that stands in for one that cannot be had: a file or an address.")
    static let noPlaceholder = Option.flag(
        "no-placeholder", summary: "Leave path out of records whose GIF cannot be had.")
    static let delay = Option.time(
        "delay", such: "2s", summary: "Wait at least this long between the starts of two downloads.")
    static let table = Option.flag("table", summary: "Write a table, into a pipe or file too.")
    static let dryRun = Option.flag("dry-run", summary: "Change nothing; say what would be done.")
    static let repair = Option.flag("repair", summary: "Remove what is damaged, so it is fetched again.")
    static let output = Option.path(
        "output", short: "o", summary: "Write the PNG to this file, or - for standard output.")
}

extension Command.Operands {
    static let exercises = Command.Operands(
        "ID", "Ids of exercises; - reads standard input.", completion: .exercises(field: "id"))
}

/// The surroundings of a command that looks for GIFs without the network.
struct GIFLookup {
    let context: ToolContext
    let caches: Caches
    let gifs: KeptGIFs

    /// Opens no cache yet.
    ///
    /// - Parameter needs: what the command needs beside the cache; all else is given up.
    init(_ arguments: Arguments, _ needs: Needs = Needs()) throws {
        var needs = needs
        needs.readsInput = arguments.path.last?.operands.name.isEmpty == false && arguments.readsInput
        context = try ToolContext(arguments)
        let settings = try context.cacheSettings()
        caches = context.caches(settings)
        gifs = KeptGIFs(caches: caches, service: try context.exerciseService(key: nil))
        context.confine(settings, needs)
    }

    /// Runs a tool over ids or records.
    func run(
        _ tool: any RecordTool, jobs: Int = 1, _ things: Things? = nil
    ) throws -> Int32 {
        let options = try context.runOptions(jobs: jobs)
        defer { caches.close() }
        return try context.run(tool, options: options, over: things ?? context.arguments.things)
    }

    /// Calls `body` for each GIF that operands or input name, and returns the exit status of the failures among them.
    func run(
        finish: () throws -> Void = {}, _ body: (ExerciseID, ResolutionChoice) throws -> Void
    ) throws -> Int32 {
        let naming = try context.naming()
        defer { caches.close() }
        return try context.forEach(context.arguments.things, finish: finish) { job in
            let (id, resolution) = try naming.meant(by: job.argument, job.record)
            try body(id, resolution)
        }
    }
}

extension Arguments {
    /// The exercises that a command is about.
    var things: Things { Things("ids of exercises", operands, operand: gifJob) }

    /// The resolution that the option names.
    var namedResolution: Resolution? { self[.resolution].flatMap(Resolution.init(rawValue:)) }

    /// The exercises of the list that are meant.
    var exerciseFilter: ExerciseFilter {
        ExerciseFilter(
            bodyParts: all(.bodyPart), targets: all(.target), equipment: all(.equipment), names: all(.name))
    }
}

extension ToolContext {
    /// A resolution that was asked for by name, or else one that is preferred. Throws `ConfigurationFailure`.
    func naming() throws -> GIFNaming {
        let wanted = try value(.resolution).flatMap(Resolution.init(rawValue:)) ?? .standard
        return GIFNaming(
            resolution: arguments.isGiven(.resolution) ? .exactly(wanted) : .preferably(wanted),
            idField: arguments[.idField])
    }

    /// The service that the environment or the configuration file names.
    func exerciseService(key: String?) throws -> ExerciseService {
        try ExerciseService(address: try text(.exerciseURL)?.text ?? AnyOption.exerciseURL.standard, key: key)
    }
}

/// The job that an id or a key stands for: a record with the id.
func gifJob(_ argument: String) -> RecordJob {
    var record = Record()
    record.set("id", .string(ExerciseGIF(cacheKey: argument)?.id.text ?? argument))
    return RecordJob(record, argument: argument)
}

extension [AnyOption] {
    static let conditionsOnExercises: [AnyOption] = [.bodyPart, .target, .equipment, .name]

    /// How the service is asked.
    static let asking: [AnyOption] = [.apiKeyFile, .refresh, .offline] + .network
}
