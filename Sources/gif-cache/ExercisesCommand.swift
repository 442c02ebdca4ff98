import ArgumentParser
import Commands
import Records

struct ExercisesCommand: ParsableCommand, ServiceArguments {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Give all exercises of the service as records.",
        discussion: """
            Each record is as the service gave it. The list is asked for once in the time that entries are fresh \
            (--ttl), whatever the conditions; when the service cannot be reached, an older one will do.

            EXAMPLES
              gif-cache list --print name
              gif-cache list --body-part back,chest --equipment barbell | gif-cache put > exercises.ndjson
              gif-cache list --name curl --refresh
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var network: NetworkOptions
    @OptionGroup var exercises: ExerciseOptions

    var apiKeyFile: String? { exercises.apiKeyFile }
    var refresh: Bool { exercises.refresh }
    var offline: Bool { exercises.offline }

    func run() throws {
        let work = try ServiceWork(self, common, network)
        let options = try stream.runOptions(work.context, jobs: 1)
        var rest = try work.exercises(exercises)[...]
        let status = try work.context.run(PassingTool(name: "gif-cache"), options: options) { _ in
            rest.popFirst().map { .job(RecordJob($0)) }
        }
        work.caches.close()
        try end(with: status)
    }
}
