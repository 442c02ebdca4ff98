import ArgumentParser
import Cache
import Commands
import GIFs
import Records
import Support

struct SyncCommand: ParsableCommand, GIFCommand, ServiceArguments {
    static let configuration = CommandConfiguration(
        commandName: "sync",
        abstract: "Fetch the GIFs of all exercises that are not there yet, three at a time.",
        discussion: """
            Does what list and put do. The records of all exercises are the output; at the end it says on standard \
            error how many were there already (hit), fetched, replaced by a placeholder, or failed without one. What \
            is fetched is kept, however the run ends, so that the next one goes on from there; two at once share the \
            work. A run that finds all there and fresh makes no request for a GIF.

            A capacity of 200 MB, which is the standard, has room for the 1,300 GIFs of 180 pixels, not for larger ones.

            EXAMPLES
              gif-cache sync > exercises.ndjson
              gif-cache sync --body-part back --delay 1s > back.ndjson
              gif-cache sync --dry-run
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var stream: StreamOptions
    @OptionGroup var network: NetworkOptions
    @OptionGroup var exercises: ExerciseOptions

    @Option(help: .wantedResolution) var resolution: String?
    @Option(help: .placeholder) var placeholder: String?
    @Flag(name: .customLong("no-placeholder"), help: .noPlaceholder) var noPlaceholder = false

    @Option(
        help: ArgumentHelp("From one download's beginning to the next one's, at least, such as 2s.", valueName: "time"))
    var delay: String?

    @Flag(help: "Only say how many GIFs would be fetched; the list is asked for all the same.") var dryRun = false
    @Flag(help: .json) var json = false

    var ids: [String] { [] }
    var apiKeyFile: String? { exercises.apiKeyFile }
    var refresh: Bool { exercises.refresh }
    var offline: Bool { exercises.offline }

    func run() throws {
        let work = try ServiceWork(self, common, network)
        let context = work.context
        let naming = try naming(context)
        let options = try stream.runOptions(context, jobs: 3)
        let delay = try context.setting(
            "delay", option: delay, expected: "a time such as 2s", parse: TimeSpan.parse)
        var tool = try work.tool(naming)
        if let delay { tool.pacing = StartPacing(delay: delay, sleep: context.interruption.sleep) }
        let exercises = try work.exercises(exercises)
        if dryRun { return try sayWhatIsMissing(of: exercises, work, naming) }
        context.progress.expect(records: exercises.count)
        var rest = exercises[...]
        let status = try context.run(tool, options: options) { _ in rest.popFirst().map { .job(RecordJob($0)) } }
        work.caches.close()
        context.log.notice(tool.summary.text)
        try end(with: status)
    }

    private func sayWhatIsMissing(of exercises: [Record], _ work: ServiceWork, _ naming: GIFNaming) throws {
        let output = try ReportOutput(json: json)
        let kept = KeptGIFs(caches: work.caches, service: work.service)
        let missing = try exercises.count { exercise in
            try !kept.isFresh(ExerciseGIF(id: naming.id(nil, exercise), resolution: naming.resolution.wanted))
        }
        work.caches.close()
        try output.write(
            .object(["exercises": .integer(exercises.count), "missing": .integer(missing)]),
            "\(missing) of \(exercises.count) GIFs would be fetched\n")
    }
}
