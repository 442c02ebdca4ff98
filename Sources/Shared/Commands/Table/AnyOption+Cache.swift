import Options
import Store

extension AnyOption {
    private static let cache = CacheSettings(root: nil)

    public static let cacheDir = Option.path(
        "cache-dir", .cache, as: "DIR", isFolder: true, field: "cache_dir", summary: "Use this root of the cache.",
        manual: "A missing root is created. A root that another user owns, or that everyone can write to, is refused."
    ).whenUnset("~/.cache/apod-tools")

    public static let allowSharedRoot = Option.flag(
        "allow-shared-root", .cache,
        summary: "Allow a root that another user owns or everyone can write to, as in a container."
    ).asSetting()

    public static let scope = Option<ScopeName>(
        "scope", form: .value("NAME"), completion: .scopes, group: .cache,
        field: "scope", summary: "Use this scope. Scopes share no entries.", read: ScopeName.init
    ).whenUnset("the scope last switched to, else \(ScopeName.standard)")

    public static let ttl = Option<Expiry>(
        "ttl", synonyms: ["expire-after", "expires-at"], form: .value("TIME|DATE"),
        expected: "a duration such as 14d, a day such as 2026-12-31, or a time such as 2026-12-31T18:00:00Z",
        group: .cache, field: "ttl", summary: "Keep entries fresh for this time, or until this date.",
        manual: """
            The value is a duration such as 14d, a day such as 2026-12-31, or a time such as 2026-12-31T18:00:00Z. A \
            day means its beginning in UTC. For a command that puts pictures, the option also applies to pictures that \
            are already in the cache. The configuration file accepts only a duration.
            """, read: { Expiry($0) }
    ).defaulting(to: .after(cache.ttl))

    public static let noStale = Option.flag(
        "no-stale", .cache, summary: "Do not use expired pictures.",
        manual: """
            A command that only looks up pictures treats an expired picture as not cached. A command that fetches \
            pictures fails if the server cannot be reached.
            """)

    public static let capacity = Option.size(
        "capacity", .cache, such: "200MB", field: "capacity", summary: "Limit the size of the cache.",
        manual: "The least recently used entries are removed first. Pinned and leased entries are never removed."
    ).defaulting(to: cache.capacity)

    public static let lease = Option.time(
        "lease", .cache, such: "10m", summary: "How long a path stays valid after a command returned it."
    ).asSetting().defaulting(to: cache.lease)

    public static let policy = Option<Policy>.case(
        "policy", "POLICY", .cache, field: "policy", summary: "Cache on disk (enabled), in memory, or not (disabled).",
        manual: "The setting policy_rules defines other policies for some addresses."
    ).defaulting(to: cache.policies.standard)

    public static let policyRules = Option<[Policies.Rule]>(
        "policy-rules", form: .none, expected: Policies.Rule.expected, group: .cache,
        variable: "APOD_TOOLS_POLICY_RULES", field: "policy_rules", isObject: true,
        summary: "Policies for some addresses, such as '*/private/*=disabled'. The first rule that matches applies.",
        manual: """
            The variable contains rules separated by spaces. The field of the configuration file is an object, which \
            maps patterns to policies.
            """
    ) { text in
        let words = text.split(separator: " ")
        let rules = words.compactMap { Policies.Rule(String($0)) }
        return rules.count == words.count ? rules : nil
    }

    public static let memoryCapacity = Option.size(
        "memory-capacity", .cache, such: "100MB", summary: "Limit the total size of pictures cached in memory."
    ).asSetting().defaulting(to: cache.memoryCapacity)

    public static let memoryEntries = Option.number(
        "memory-entries", .cache, in: 0...1_000_000,
        summary: "How many recent pictures a run can return again without reading the disk."
    ).asSetting().defaulting(to: cache.recentEntries)

    public static let memoryBytes = Option.size(
        "memory-bytes", .cache, such: "1GB", summary: "Limit the total size of the pictures that memory_entries counts."
    ).asSetting().defaulting(to: cache.recentBytes)
}

extension [AnyOption] {
    /// The options that select the cache. Every command that uses a cache has them.
    public static let place: [AnyOption] = [.cacheDir, .allowSharedRoot, .scope, .policy, .policyRules]

    /// The options that limit the age and size of the cache. Every command that serves or stores entries has them.
    public static let retention: [AnyOption] = [.ttl, .capacity, .lease]

    /// The options of nearly every command.
    public static var common: [AnyOption] { place + retention + messages }
}
