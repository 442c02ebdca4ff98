import Fetch
import Libc
import Options
import Records
import Store
import Support

extension ToolContext {
    /// Returns the settings of the cache. Accesses no file. Throws `UsageFailure` for a `--ttl` in the past, and
    /// `CacheFailure.noRoot`.
    ///
    /// - Parameter needsRoot: whether to throw `CacheFailure.noRoot` if the policy is to cache on disk and no setting
    ///   or variable defines the root.
    public func cacheSettings(needsRoot: Bool = true) throws -> CacheSettings {
        var settings = CacheSettings(root: try root())
        settings.allowsSharedRoot = try value(.allowSharedRoot)
        settings.scope = try value(.scope)
        settings.policies = try policies()
        let expiry = try value(.ttl)
        if arguments.isGiven(.ttl) { settings.expiry = expiry }
        switch expiry {
        case .after(let ttl): settings.ttl = ttl
        case .at(let end):
            guard settings.expiry != nil else {
                throw ConfigurationFailure("the setting ttl takes a duration such as 14d, not a date")
            }
            guard end > .now() else { throw UsageFailure("--ttl: \(end.iso8601) is in the past") }
        }
        settings.syncs = try value(.sync)
        settings.capacity = try value(.capacity)
        settings.lease = try value(.lease)
        settings.timeout = try value(.timeout)
        settings.memoryCapacity = try value(.memoryCapacity)
        settings.recentEntries = try value(.memoryEntries)
        settings.recentBytes = try value(.memoryBytes)
        settings.places = RuntimePlaces(environment: environment)
        if needsRoot, settings.root == nil, settings.policies.standard == .enabled { throw CacheFailure.noRoot }
        return settings
    }

    /// Returns the caches of a command, which are opened on first use.
    public func caches(_ settings: CacheSettings, remote: (any RemoteTier)? = nil) -> Caches {
        Caches(settings: settings, remote: remote, log: log, metrics: metrics, interruption: interruption)
    }

    /// Drops all rights that the command does not need, and returns its caches, which are opened on first use. Throws
    /// the errors of `cacheSettings`.
    public func confinedCaches(_ requirements: SandboxRequirements) throws -> Caches {
        var settings = try cacheSettings(needsRoot: requirements.usesRoot)
        confine(&settings, requirements)
        return caches(settings)
    }

    /// Drops all rights that a command does not need: see `Confinement`. Call it after reading the options, before
    /// starting threads, and before reading untrusted data such as a record, an index or a picture.
    ///
    /// Creates missing folders of the cache, because the command cannot create them later. A command that only reads
    /// the cache creates no root. If the root is missing now, this command treats it as missing until the end, even if
    /// another process creates it (`CacheSettings.lacksRoot`).
    public func confine(_ settings: inout CacheSettings, _ requirements: SandboxRequirements) {
        guard isConfined else { return log.detail("not confined, because the setting confinement is false") }
        if !requirements.changesCache { lookForRoot(&settings, readsInput: requirements.readsInput) }
        if requirements.usesCache { settings.makeFolders(root: requirements.changesCache) }
        let enforcement = Confinement(requirements, cache: settings.folders, environment: environment).enforce(log: log)
        log.detail(enforcement.words)
    }

    /// Sets `lacksRoot`. In a pipe, the preceding command may create the root: if the root is missing and `readsInput`
    /// is true, first waits for the first byte on standard input.
    public func lookForRoot(_ settings: inout CacheSettings, readsInput: Bool = false) {
        guard let root = settings.root else { return }
        func isMissing() -> Bool { root.withPathPointer { access($0, F_OK) } != 0 && errno == ENOENT }
        if readsInput, isMissing(), !Terminal.isTerminal(0) {
            // Wait until standard input has data or ends.
            var watched = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
            while poll(&watched, 1, -1) < 0, errno == EINTR {}
        }
        settings.lacksRoot = isMissing()
    }

    /// Returns the policies. Rules from the environment precede rules from the configuration file.
    private func policies() throws -> Policies {
        var rules = try value(.policyRules) ?? []
        if let (object, path) = try configuration.object("policy_rules") {
            rules += try object.names.map { pattern in
                let policy = object.string(FieldPath(stringLiteral: pattern))
                guard let policy, let rule = Policies.Rule(pattern: pattern, policy: policy) else {
                    throw ConfigurationFailure(
                        "\(path): \"policy_rules\" must contain address patterns and their policies "
                            + "(\(Policy.expected)); \"\(pattern)\" is not such a rule")
                }
                return rule
            }
        }
        return Policies(standard: try value(.policy), rules: rules)
    }

    /// Returns the path of the root, or nil if no setting defines it and neither `XDG_CACHE_HOME` nor `HOME` is set.
    public func root() throws -> String? {
        try value(.cacheDir) ?? environment.baseFolder("XDG_CACHE_HOME", standard: ".cache").map { $0 + "/apod-tools" }
    }
}
