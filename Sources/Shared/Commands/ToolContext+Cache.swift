import Fetch
import Options
import Records
import Store
import Support

extension ToolContext {
    /// How to use the cache. Touches no file. Throws `ConfigurationFailure` for a bad setting.
    public func cacheSettings() throws -> CacheSettings {
        var settings = CacheSettings(root: try root())
        settings.allowsSharedRoot = try isSet(.allowSharedRoot)
        settings.scope = try value(.scope)
        settings.policies = try policies()
        if let ttl = try value(.ttl) { settings.ttl = ttl }
        if let size = try value(.capacity) { settings.capacity = size }
        if let lease = try value(.lease) { settings.lease = lease }
        if let size = try value(.memoryCapacity) { settings.memoryCapacity = size }
        if let count = try value(.memoryEntries) { settings.recentEntries = count }
        if let size = try value(.memoryBytes) { settings.recentBytes = size }
        settings.places = RuntimePlaces(environment: environment)
        return settings
    }

    /// The caches of a command. Opens none yet.
    public func caches(_ settings: CacheSettings) -> Caches {
        Caches(settings: settings, log: log, metrics: metrics, interruption: interruption)
    }

    /// Opens the one cache of a command that names no pictures: that in memory if that is the policy, otherwise that on
    /// the disk. Throws `ConfigurationFailure` for a bad setting, and what opening the cache throws.
    ///
    /// - Parameter needs: what the command needs beside it; all else is given up.
    public func openCache(_ needs: Needs = Needs()) throws -> CacheStore {
        let settings = try cacheSettings()
        confine(settings, needs)
        return try caches(settings).standard()
    }

    /// The rules of the command line, followed by those of the file.
    private func policies() throws -> Policies {
        var rules = arguments.all(.policyRule)
        if let (object, path) = try configuration.object("policy_rules") {
            rules += try object.names.map { pattern in
                let policy = object.string(FieldPath(stringLiteral: pattern))
                guard let policy, let rule = Policies.Rule(pattern: pattern, policy: policy) else {
                    throw ConfigurationFailure(
                        "\(path): \"policy_rules\" takes patterns with \(Policy.expected), not \"\(pattern)\"")
                }
                return rule
            }
        }
        return Policies(standard: try value(.policy) ?? .enabled, rules: rules)
    }

    private func root() throws -> String {
        if let named = try value(.cacheDir) { return named }
        guard let base = environment["XDG_CACHE_HOME"] ?? environment["HOME"].map({ $0 + "/.cache" }) else {
            throw ConfigurationFailure("there is no place for the cache: set HOME, or name one with --cache-dir")
        }
        return base + "/apod-tools"
    }
}
