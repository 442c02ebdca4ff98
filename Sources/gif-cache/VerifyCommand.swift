import ArgumentParser
import Commands
import GIFs
import Support

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Look at every GIF of the scope: is it whole, and as the index says? Status 1 where not.",
        discussion: """
            The steps are mark (has each GIF its file?) and check (has the file its SHA-256, is it a GIF that put would \
            keep, and of the size that records tell?). img-cache verify looks at the whole cache and its index.

            Without --repair nothing is changed. With it, what is damaged goes, so that it is fetched again; the \
            status is 1 all the same.

            EXAMPLES
              gif-cache verify
              gif-cache verify --repair
              gif-cache verify --json | jq -r 'select(.code) | .key'
            """)

    @OptionGroup var common: CommonOptions
    @Flag(help: "Remove what is damaged.") var repair = false

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp("How many files to read at once (one a core).", valueName: "n"))
    var jobs: String?

    @Flag(help: .json) var json = false

    func run() throws {
        let lookup = try GIFLookup(common, repair ? Needs() : .looking)
        let context = lookup.context
        let jobs = try context.setting(
            "jobs", option: jobs, expected: "a number from 1 to 256",
            parse: { Int($0).flatMap { (1...256).contains($0) ? $0 : nil } })
        let output = try ReportOutput(json: json, progress: context.progress)
        try context.interruption.catchSignals()
        defer { context.progress.end() }
        let problems = try context.interruption.during {
            try lookup.gifs.verify(
                jobs: jobs ?? Thread.processors, repairs: repair, log: context.log, progress: context.progress,
                interruption: context.interruption
            ) { event in try output.write(event.json, event.text) }
        }
        try end(with: problems == 0 ? 0 : Support.ExitCode.absent.rawValue)
    }
}
