import Commands
import GIFs
import Options
import Records

extension AnyOption {
    static let recordFields = AnyOption.recordFields(
        ["id"], single: ["id"], .own, expected: "id=FIELD, such as id=exercise.id",
        summary: "Record field that contains the id, such as id=exercise.id; by default id, else exerciseId.")

    static let bodyPart = Option<String>(
        "body-part", form: .value("PART"), completion: .exercises(field: "body-part"), group: .own,
        repeats: true, summary: "Only exercises for this part of the body, such as back; separate several by commas."
    ) { $0 }
    static let target = Option<String>(
        "target", form: .value("MUSCLE"), completion: .exercises(field: "target"), group: .own,
        repeats: true, summary: "Only exercises for this muscle, such as lats; separate several by commas."
    ) { $0 }
    static let equipment = Option<String>(
        "equipment", form: .value("THING"), completion: .exercises(field: "equipment"),
        group: .own, repeats: true,
        summary: "Only exercises with this equipment, such as barbell; separate several by commas."
    ) { $0 }
    static let exerciseName = Option.text(
        "name", "TEXT", repeats: true,
        summary: "Only exercises whose name contains TEXT, or any of several texts separated by commas.")

    static let placeholder = Option.path(
        "placeholder", as: "FILE|URL",
        summary: "Use this file or address for missing GIFs, or none to omit the path from the record."
    ).whenUnset("a drawn GIF")
    static let all = Option.flag("all", summary: "Remove all GIFs of the scope, even pinned GIFs.")
    static let dryRun = Option.flag("dry-run", summary: "Change nothing; report what would be done.")
    static let repair = Option.flag("repair", summary: "Remove damaged GIFs, so that they are fetched again.")
    static let output = Option.path(
        "output", short: "o", summary: "Write the PNG to this file, or - for standard output.")
}

extension Command.Operands {
    static let exercises = Command.Operands(
        "ID", "Ids of exercises, or - for standard input.", completion: .exercises(field: Completion.exerciseID))
}

extension Arguments {
    /// The exercises that the command line or standard input names.
    var items: InputItems { InputItems("ids of exercises", operands, operand: gifJob) }

    /// The resolution that the option `--resolution` sets, or nil without the option.
    var namedResolution: Resolution? { isGiven(.resolution) ? Resolution(rawValue: self[.resolution]) : nil }

    /// The filter that the conditions of the command line define.
    var exerciseFilter: ExerciseFilter {
        ExerciseFilter(
            bodyParts: all(.bodyPart), targets: all(.target), equipment: all(.equipment), names: all(.exerciseName))
    }
}

extension ToolContext {
    /// Returns the rules for finding GIFs. If the command line sets a resolution, only this resolution is accepted.
    func naming() throws -> GIFNaming {
        let wanted = try value(.resolution, as: Resolution.self)
        return GIFNaming(
            service: try exerciseService(key: nil),
            resolutions: arguments.isGiven(.resolution) ? [wanted] : wanted.andNearest,
            idField: arguments.fields(.recordFields, "id")?.first)
    }

    func exerciseService(key: String?) throws -> ExerciseService {
        try ExerciseService(address: try text(.exerciseURL)?.text ?? AnyOption.exerciseURL.defaultText, key: key)
    }
}

/// Returns the job for an id or a key. Its record contains the id.
func gifJob(_ argument: String) -> RecordJob {
    var record = Record()
    record.set("id", .string(ExerciseGIF(cacheKey: argument)?.id.text ?? argument))
    return RecordJob(record, argument: argument)
}

extension [AnyOption] {
    static let conditionsOnExercises: [AnyOption] = [.bodyPart, .target, .equipment, .exerciseName]

    /// The options of commands that send requests to the service.
    static let asking: [AnyOption] = [.exerciseKeyFile, .refresh, .offline] + .network + .sharing
}
