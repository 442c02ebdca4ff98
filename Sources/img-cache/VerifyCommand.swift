import ArgumentParser
import Cache
import Commands
import Support

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Hold index and files against each other; status 1 where something is wrong.",
        discussion: """
            The steps are index (is it sound?), mark (has each row its file?), check (has each file its SHA-256?), \
            and sweep (what have killed runs left? no problem, and not counted as one); with --repair also rebuild, which \
            makes rows anew from files where the index was lost. All scopes are looked at, while others use the cache.

            Without --repair nothing is changed. With it, what is damaged goes, so that it is fetched again; the status \
            is 1 all the same.

            EXAMPLES
              img-cache verify
              img-cache verify --repair --jobs 4
              img-cache verify --json | jq -r 'select(.code) | .path'
            """)

    @OptionGroup var common: CommonOptions

    @Flag(help: "Put right what is wrong.")
    var repair = false

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp("How many files to read at once (one a core).", valueName: "n"))
    var jobs: String?

    @Flag(help: "Write records, also to a terminal.")
    var json = false

    func run() throws {
        let context = try common.context(tool: "img-cache")
        let jobs = try context.setting(
            "jobs", option: jobs, expected: "a number from 1 to 256",
            parse: { Int($0).flatMap { (1...256).contains($0) ? $0 : nil } })
        let output = try ReportOutput(json: json, progress: context.progress)
        let caches = try common.caches(context)
        context.confine(caches.settings, repair ? Needs() : .looking)
        let verification = Verification(
            settings: try caches.standardSettings(), jobs: jobs ?? Thread.processors, repairs: repair,
            log: context.log, progress: context.progress, interruption: context.interruption)
        try context.interruption.catchSignals()
        defer { context.progress.end() }
        let problems = try context.interruption.during {
            try verification.run { event in try output.write(event.json, event.text) }
        }
        try end(with: problems == 0 ? 0 : Support.ExitCode.absent.rawValue)
    }
}
