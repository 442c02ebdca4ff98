import Commands
import Fetch
import Options
import Records
import Remote
import Store
import Support

extension Command {
    static let push = Command(
        "push", summary: "Upload the entries that the remote lacks, and list them there for pull.",
        details: """
            Uploads entries of every shared scope, or only of --scope. Also uploads the days of apod-fetch that no \
            longer change, and gif-cache's list of exercises.

            Unlike other commands, this command fails if the remote fails.
            """,
        examples: [
            "img-cache push --remote https://cache.example.org/pictures", "img-cache push --remote redis://10.0.0.5",
        ],
        options: { [[.jobs, .json], .sharing, .common] }, synonyms: ["upload"]
    ) { arguments in
        try arguments.share("pushed", unless: .read) { try $0.push() }
    }

    static let pull = Command(
        "pull", summary: "Copy pushed entries from the remote until the capacity is reached.",
        details: """
            Fills every shared scope, or only --scope. Copies only entries that a push has listed, not entries that \
            img-cache put and img-downsample upload on their own.

            Unlike other commands, this command fails if the remote fails.
            """,
        examples: ["img-cache pull --remote file:///mnt/pictures --capacity 2GB --json"],
        options: { [[.jobs, .json], .sharing, .common] }, synonyms: ["warm"]
    ) { arguments in
        try arguments.share("pulled", unless: .write) { try $0.pull() }
    }
}

extension Arguments {
    /// Copies all shared scopes to or from the remote, and reports the result. Returns the exit status.
    ///
    /// - Parameters:
    ///   - verb: the first word of the report's text, which is also the report's field in JSON.
    ///   - forbidden: the value of `remote_mode` that does not allow this direction.
    ///   - copy: copies the entries of a scope.
    fileprivate func share(
        _ verb: String, unless forbidden: RemoteSettings.Mode, _ copy: (RemoteSync) throws -> SyncReport
    ) throws -> Int32 {
        let context = try ToolContext(self)
        guard var settings = try context.remoteSettings() else {
            throw UsageFailure("no remote; use --remote URL, or set APOD_TOOLS_REMOTE")
        }
        settings.isPatient = true
        guard settings.mode != forbidden else {
            throw UsageFailure("remote_mode is \"\(forbidden.rawValue)\", which forbids this command")
        }
        var requirements = SandboxRequirements()
        requirements.remote = settings
        var cacheSettings = try context.cacheSettings()
        context.confine(&cacheSettings, requirements)
        guard let remote = context.remote(settings) else { return 0 }
        let caches = context.caches(cacheSettings, remote: remote)
        defer { caches.close() }
        let jobs = try context.jobs(.transfers)
        var total = SyncReport()
        try context.untilInterrupted {
            for scope in try context.scopes(of: caches, settings) {
                let cache = try caches.cache(scope: scope.text)
                total += try copy(RemoteSync(remote, cache, jobs: jobs, interruption: context.interruption))
            }
        }
        try context.report(.object([verb: total.json]), "\(verb) \(total.words)\n")
        if total.leftOut > 0 {
            let items = total.leftOut == 1 ? "1 item exceeds" : "\(total.leftOut) items exceed"
            context.log.warning(
                "\(items) the capacity and \(total.leftOut == 1 ? "was" : "were") not copied; raise --capacity")
        }
        return total.failed > 0 ? ExitCode.temporary.rawValue : 0
    }
}

extension ToolContext {
    /// Returns the scopes to copy: the scope that `--scope` names, or all shared scopes. Throws `UsageFailure` if the
    /// named scope is not shared.
    fileprivate func scopes(of caches: Caches, _ settings: RemoteSettings) throws -> [ScopeName] {
        if let scope = arguments[.scope] {
            guard settings.scopes.contains(scope) else {
                throw UsageFailure("the scope \"\(scope)\" is not shared; name it in APOD_TOOLS_REMOTE_SCOPES")
            }
            return [scope]
        }
        return try settings.scopes.names ?? caches.scopes().map(\.name)
    }
}

extension SyncReport {
    fileprivate var json: JSON {
        .object([
            "moved": .integer(moved), "bytes": .integer(bytes), "there": .integer(there), "gone": .integer(gone),
            "failed": .integer(failed), "left_out": .integer(leftOut),
        ])
    }

    fileprivate var words: String {
        var words = "\(counted(moved, "item")), \(ByteCount.description(bytes)); \(there) already there"
        if gone > 0 { words += ", \(gone) listed but missing" }
        if failed > 0 { words += ", \(failed) failed" }
        return words
    }
}
