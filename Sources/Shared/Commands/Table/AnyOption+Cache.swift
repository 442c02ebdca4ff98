import Fetch
import Options
import Store
import Support

/// Options and settings of the cache.
extension AnyOption {
    private static let cache = CacheSettings(root: nil)

    public static let cacheDir = Option.path(
        "cache-dir", .cache, as: "DIR", isFolder: true, field: "cache_dir", summary: "The root of the cache.",
        manual: "It is made if it is missing, and used only if nobody else can write to it."
    ).whenUnset("~/.cache/apod-tools")

    public static let allowSharedRoot = Option.flag(
        "allow-shared-root", .cache,
        summary: "Use a root that another user owns or everyone may write to, as in a container."
    ).asSetting()

    public static let scope = Option<ScopeName>(
        "scope", form: .value("NAME"), expected: "a name", completion: .scopes, group: .cache,
        field: "scope", summary: "Use this scope, which shares nothing with others.", read: ScopeName.init
    ).whenUnset("the one last switched to, else \(ScopeName.standard)")

    public static let ttl = Option<Expiry>(
        "ttl", synonyms: ["expire-after", "expires-at"], form: .value("TIME|DATE"),
        expected: "a time such as 14d, or a day such as 2026-12-31, or a moment such as 2026-12-31T18:00:00Z",
        group: .cache, field: "ttl", summary: "How long entries stay fresh, or until when.",
        manual: """
            A time such as 14d, a day such as 2026-12-31, or a moment such as 2026-12-31T18:00:00Z. A day means its \
            beginning in UTC. Given to a command that puts pictures, it also counts for what is there already. The \
            configuration file takes a time only.
            """, read: { Expiry($0) }
    ).defaulting(to: .after(cache.ttl))

    public static let noStale = Option.flag(
        "no-stale", .cache, summary: "Never use a picture that has expired.",
        manual: """
            A command that looks counts it as not in the cache, and one that fetches fails if the server cannot be \
            reached.
            """)

    public static let capacity = Option.size(
        "capacity", .cache, such: "200MB", field: "capacity", summary: "How much to keep.",
        manual: "What was used least recently goes first, never what is pinned or leased."
    ).defaulting(to: cache.capacity)

    public static let lease = Option.time(
        "lease", .cache, such: "10m", summary: "How long a path stays valid after it was handed out."
    ).asSetting().defaulting(to: cache.lease)

    public static let policy = Option<Policy>.case(
        "policy", "POLICY", .cache, field: "policy", summary: "enabled (on disk), disabled (nowhere) or memory.",
        manual: "It says where pictures are kept."
    ).defaulting(to: cache.policies.standard)

    public static let policyRules = Option<[Policies.Rule]>(
        "policy-rules", form: .none, expected: Policies.Rule.expected, group: .cache,
        variable: "APOD_TOOLS_POLICY_RULES", field: "policy_rules", isObject: true,
        summary: "Other policies for some addresses, such as '*/private/*=disabled'; the first that matches counts.",
        manual: """
            The variable holds such rules with blanks between them, the configuration file an object of patterns and \
            policies.
            """
    ) { text in
        let words = text.split(separator: " ")
        let rules = words.compactMap { Policies.Rule(String($0)) }
        return rules.count == words.count ? rules : nil
    }

    public static let memoryCapacity = Option.size(
        "memory-capacity", .cache, such: "100MB", summary: "How much all pictures that are kept in memory may take."
    ).asSetting().defaulting(to: cache.memoryCapacity)

    public static let memoryEntries = Option.number(
        "memory-entries", .cache, in: 0...1_000_000,
        summary: "How many pictures one run hands out again without looking at the disk."
    ).asSetting().defaulting(to: cache.recentEntries)

    public static let memoryBytes = Option.size(
        "memory-bytes", .cache, such: "1GB", summary: "How many bytes the pictures of memory_entries may take."
    ).asSetting().defaulting(to: cache.recentBytes)
}

extension [AnyOption] {
    /// Options that select the cache, for every command that uses one.
    public static let place: [AnyOption] = [.cacheDir, .allowSharedRoot, .scope, .policy, .policyRules]

    /// Options that limit the age and size of the cache, for every command that serves or stores entries.
    public static let retention: [AnyOption] = [.ttl, .capacity, .lease]

    /// The options of nearly every command.
    public static var common: [AnyOption] { place + retention + messages }
}
