import ArgumentParser
import Cache
import Records
import Support

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Options that every command of every tool has: how it speaks, and where the cache is.
///
/// One group rather than several: each costs a cold start about 0.15 ms of the run-time's look-ups.
public struct CommonOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Say errors only.")
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

    public init() {}

    /// The command's surroundings. Reads the configuration file, if there is one, and opens the file for metrics, if
    /// one is wanted.
    public func context(tool: String) throws -> ToolContext {
        let environment = Environment.ofProcess()
        guard let format = logFormat.map(Log.Format.init(rawValue:)) ?? .plain else {
            throw UsageFailure("--log-format takes plain or json, not \"\(logFormat ?? "")\"")
        }
        let log = Log(tool: tool, threshold: quiet ? .error : verbose ? .detail : .warning, format: format)
        var context = ToolContext(
            tool: tool, environment: environment,
            configuration: try .load(option: config, environment: environment), log: log)
        if let path = try context.setting(
            "metrics", option: metrics, variable: "APOD_TOOLS_METRICS", expected: "a file",
            parse: { $0.isEmpty ? nil : $0 })
        {
            context.metrics = try MetricsFile.open(path, tool: tool, log: log)
        }
        context.progress = try progress(log, environment)
        return context
    }

    private func progress(_ log: Log, _ environment: Environment) throws -> Progress {
        guard let wish = progress.map(ProgressStyle.Wish.init(rawValue:)) ?? .auto else {
            throw UsageFailure("--progress takes auto, plain or none, not \"\(progress ?? "")\"")
        }
        let style = ProgressStyle(
            wish, isTerminal: isatty(2) == 1, isQuiet: quiet, logFormat: log.format, environment: environment)
        if style == .hidden { return .none }
        return Progress(style, log: log, meetsOutput: isatty(1) == 1)
    }

    /// How the cache is to be used. Touches no file.
    public func cacheSettings(_ context: ToolContext) throws -> CacheSettings {
        var settings = CacheSettings(root: try root(context))
        settings.scope = try context.setting(
            "scope", option: scope, variable: "APOD_TOOLS_SCOPE", expected: "a name", parse: ScopeName.init)
        if let ttl = try context.setting("ttl", option: ttl, expected: "a time such as 14d", parse: TimeSpan.parse) {
            settings.ttl = ttl
        }
        if let size = try context.setting(
            "capacity", option: capacity, expected: "a size such as 200MB", parse: ByteCount.parse)
        {
            settings.capacity = size
        }
        if let lease = try context.setting("lease", option: lease, expected: "a time such as 10m", parse: TimeSpan.parse) {
            settings.lease = lease
        }
        settings.policies = try policies(context)
        if let size = try context.setting(
            "memory-capacity", option: nil, expected: "a size such as 100MB", parse: ByteCount.parse)
        {
            settings.memoryCapacity = size
        }
        if let count = try context.setting(
            "memory-entries", option: nil, expected: "a number from 0 to 1000000",
            parse: { Int($0).flatMap { (0...1_000_000).contains($0) ? $0 : nil } })
        {
            settings.recentEntries = count
        }
        if let size = try context.setting(
            "memory-bytes", option: nil, expected: "a size such as 100MB", parse: ByteCount.parse)
        {
            settings.recentBytes = size
        }
        settings.places = RuntimePlaces(environment: context.environment)
        return settings
    }

    /// The caches that these options name. Opens none yet.
    public func caches(_ context: ToolContext) throws -> Caches {
        Caches(
            settings: try cacheSettings(context), log: context.log, metrics: context.metrics,
            interruption: context.interruption)
    }

    /// The rules of the command line come before those of the file.
    private func policies(_ context: ToolContext) throws -> Policies {
        let standard = try context.setting(
            "policy", option: policy, expected: Policy.expected, parse: Policy.init(rawValue:))
        var rules = try policyRule.map { text in
            guard let rule = Policies.Rule(text) else {
                throw UsageFailure("--policy-rule takes \(Policies.Rule.expected), not \"\(text)\"")
            }
            return rule
        }
        if let (object, path) = try context.configuration.object("policy_rules") {
            rules += try object.names.map { pattern in
                let policy = object.string(FieldPath(stringLiteral: pattern))
                guard let policy, let rule = Policies.Rule(pattern: pattern, policy: policy) else {
                    throw ConfigurationFailure(
                        "\(path): \"policy_rules\" takes patterns with \(Policy.expected), not \"\(pattern)\"")
                }
                return rule
            }
        }
        return Policies(standard: standard ?? .enabled, rules: rules)
    }

    private func root(_ context: ToolContext) throws -> String {
        let named = try context.setting(
            "cache-dir", option: cacheDir, variable: "APOD_TOOLS_CACHE_DIR", expected: "a folder"
        ) { $0.isEmpty ? nil : $0 }
        if let named { return named }
        guard let base = context.environment["XDG_CACHE_HOME"] ?? context.environment["HOME"].map({ $0 + "/.cache" })
        else {
            throw ConfigurationFailure("there is no place for the cache: set HOME, or name one with --cache-dir")
        }
        return base + "/apod-tools"
    }
}

/// How a stream of records is worked on and written. One group for the reason that `CommonOptions` is.
public struct StreamOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: ArgumentHelp("How many records to work on at once.", valueName: "n"))
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

    /// - Parameter jobs: how many at once where nothing is said.
    public func runOptions(_ context: ToolContext, jobs standard: Int) throws -> RecordRunOptions {
        var options = RecordRunOptions()
        let wanted = try context.setting("jobs", option: jobs, expected: "a number from 1 to 256") { text in
            Int(text).flatMap { (1...256).contains($0) ? $0 : nil }
        }
        options.jobs = wanted ?? standard
        options.unordered = unordered
        options.failFast = failFast
        options.strict = strict
        options.retryErrors = retryErrors
        options.layout = try recordLayout()
        return options
    }

    private func recordLayout() throws -> RecordLayout {
        guard let print else {
            if nullTerminated { throw UsageFailure("-0 goes with --print") }
            return pretty ? .indented : .lines
        }
        guard let path = FieldPath(print) else {
            throw UsageFailure("--print takes a field or a dotted path such as variants.overlay.path, not \"\(print)\"")
        }
        return .field(path, terminator: nullTerminated ? 0 : UInt8(ascii: "\n"))
    }
}
