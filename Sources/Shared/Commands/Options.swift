import ArgumentParser

/// Options that every command of every tool has: see `CommonArguments`.
///
/// One group rather than several: each costs a cold start about 0.15 ms of the run-time's look-ups.
public struct CommonOptions: ParsableArguments, CommonArguments {
    @Flag(name: .shortAndLong, help: "Print errors only.")
    public var quiet = false

    @Flag(name: .shortAndLong, help: "Say what happens.")
    public var verbose = false

    @Option(help: ArgumentHelp("How standard error is written: plain or json.", valueName: "format"))
    public var logFormat: String?

    @Option(help: ArgumentHelp("How progress is shown: auto, plain (lines for a log) or none.", valueName: "style"))
    public var progress: String?

    @Option(help: ArgumentHelp("Append an event for each step of the work to this file (APOD_TOOLS_METRICS).", valueName: "file"))
    public var metrics: String?

    @Option(help: ArgumentHelp("Configuration file, instead of the usual one.", valueName: "file"))
    public var config: String?

    @Option(help: ArgumentHelp("Cache root (APOD_TOOLS_CACHE_DIR).", valueName: "folder"))
    public var cacheDir: String?

    @Flag(help: "Use a cache root that belongs to another user or that everyone may write to, as in a container.")
    public var allowSharedRoot = false

    @Option(help: ArgumentHelp("Scope: a part of the cache that shares nothing with the others (APOD_TOOLS_SCOPE).", valueName: "name"))
    public var scope: String?

    @Option(
        name: [.customLong("ttl"), .customLong("expire-after")],
        help: ArgumentHelp("How long an entry is fresh, such as 14d.", valueName: "time"))
    public var ttl: String?

    @Option(help: ArgumentHelp("How much to keep, such as 200MB.", valueName: "size"))
    public var capacity: String?

    @Option(help: ArgumentHelp("How long a path stays valid after it was handed out, such as 10m.", valueName: "time"))
    public var lease: String?

    @Option(help: ArgumentHelp("Where pictures are kept: enabled, disabled (nowhere) or memory.", valueName: "policy"))
    public var policy: String?

    @Option(
        help: ArgumentHelp(
            "Another policy for some addresses, such as '*/private/*=disabled'; the first that matches counts.",
            valueName: "pattern=policy"))
    public var policyRule: [String] = []

    @Flag(help: "Keep all rights that the process does not need, to find out why something is refused.")
    public var noConfinement = false

    public init() {}
}

/// Options of what works on records: see `StreamArguments`. One group for the reason that `CommonOptions` is.
public struct StreamOptions: ParsableArguments, StreamArguments {
    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: ArgumentHelp("How many records to work on at once.", valueName: "n"))
    public var jobs: String?

    @Flag(help: "Let each record leave as soon as it is done.")
    public var unordered = false

    @Flag(help: "Stop at the first failure.")
    public var failFast = false

    @Flag(help: "Count records that came in with an error in the exit status.")
    public var strict = false

    @Flag(help: "Take records that bear this tool's own passing error as fresh ones.")
    public var retryErrors = false

    @Option(help: ArgumentHelp("Print only this field, raw, one a line; a dotted path such as variants.overlay.path.", valueName: "field"))
    public var print: String?

    @Flag(name: [.customShort("0"), .customLong("null")], help: "End what --print prints by NUL instead of a line feed.")
    public var nullTerminated = false

    @Flag(help: "Indent the records.")
    public var pretty = false

    public init() {}
}
