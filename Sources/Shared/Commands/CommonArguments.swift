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

/// How a command speaks, and where the cache is: what `CommonOptions` has, or those of it that a command declares
/// itself.
public protocol CommonArguments {
    var quiet: Bool { get }
    var verbose: Bool { get }
    var logFormat: String? { get }
    var progress: String? { get }
    var metrics: String? { get }
    var config: String? { get }
    var cacheDir: String? { get }
    var allowSharedRoot: Bool { get }
    var scope: String? { get }
    var ttl: String? { get }
    var capacity: String? { get }
    var lease: String? { get }
    var policy: String? { get }
    var policyRule: [String] { get }
    var noConfinement: Bool { get }
}

/// As if the option were not given: a line that is read without ArgumentParser has but a few of them (`runTool`).
extension CommonArguments {
    public var quiet: Bool { false }
    public var verbose: Bool { false }
    public var logFormat: String? { nil }
    public var progress: String? { nil }
    public var metrics: String? { nil }
    public var config: String? { nil }
    public var cacheDir: String? { nil }
    public var allowSharedRoot: Bool { false }
    public var scope: String? { nil }
    public var ttl: String? { nil }
    public var capacity: String? { nil }
    public var lease: String? { nil }
    public var policy: String? { nil }
    public var policyRule: [String] { [] }
    public var noConfinement: Bool { false }
}

extension CommonArguments {
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
        context.isConfined = try context.setting(
            "confinement", option: noConfinement ? "false" : nil, expected: "true or false", parse: Bool.init) ?? true
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
        settings.allowsSharedRoot = try allowSharedRoot
            || context.setting("allow-shared-root", option: nil, expected: "true or false", parse: Bool.init) == true
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
