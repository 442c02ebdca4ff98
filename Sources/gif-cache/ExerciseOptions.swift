import ArgumentParser
import GIFs
import Records

/// Which exercises of the service's list are meant, and how it is asked.
struct ExerciseOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Only of this part of the body, such as back; several with commas.", valueName: "part"))
    var bodyPart: [String] = []

    @Option(help: ArgumentHelp("Only for this muscle, such as lats; several with commas.", valueName: "muscle"))
    var target: [String] = []

    @Option(help: ArgumentHelp("Only with this equipment, such as barbell; several with commas.", valueName: "thing"))
    var equipment: [String] = []

    @Option(help: ArgumentHelp("Only those whose name has this in it; several with commas.", valueName: "text"))
    var name: [String] = []

    @Option(help: .apiKeyFile) var apiKeyFile: String?
    @Flag(help: "Ask for the list although it is kept, and although the quota was used up.") var refresh = false
    @Flag(help: .offline) var offline = false

    var filter: ExerciseFilter {
        ExerciseFilter(bodyParts: bodyPart, targets: target, equipment: equipment, names: name)
    }
}

extension ServiceWork {
    /// The exercises that are meant.
    func exercises(_ options: ExerciseOptions) throws -> [Record] {
        try context.interruption.catchSignals()
        let list = ExerciseList(caches: caches, service: service, client: client, log: context.log)
        let all = try context.interruption.during { try list.exercises(refreshes: options.refresh) }
        let wanted = all.filter(options.filter.accepts)
        if wanted.isEmpty { context.log.warning("no exercise matches; gif-cache list shows all \(all.count)") }
        return wanted
    }
}
