import CacheTools
import Commands
import Fetch
import HTTP
import Options
import Records
import Remote
import Store
import Support

extension Command {
    static let sync = Command(
        "sync", summary: "Copy the cache to the remote, and copy from the remote what other machines have pushed.",
        details: """
            Works on every shared scope that is here, or on --scope alone. --push only copies to the remote, to save a \
            root; --pull only copies from it, to warm one, until the capacity is reached. --pull sees only what some \
            --push has listed: not what img-cache put and img-downsample hand over by themselves. The days of \
            apod-fetch that no longer change and gif-cache's list of exercises are copied, too.

            Unlike other commands, this one fails if the remote does.
            """,
        examples: [
            "img-cache sync --remote https://cache.example.org/pictures",
            "img-cache sync --remote redis://10.0.0.5 --push",
            "img-cache sync --remote file:///mnt/pictures --pull --capacity 2GB --json",
        ],
        options: { [[.push, .pull, .jobs, .json], .sharing, .common] }, synonyms: ["mirror", "warm"]
    ) { arguments in
        let context = try ToolContext(arguments)
        try arguments.exclude(.push, .pull)
        guard var settings = try context.remoteSettings() else {
            throw UsageFailure("say which remote: --remote URL, or APOD_TOOLS_REMOTE")
        }
        settings.isPatient = true
        let mode = settings.mode
        let pushes = !arguments[.pull] && mode != .read
        let pulls = !arguments[.push] && mode != .write
        guard pushes || pulls else { throw UsageFailure("remote_mode \(mode.rawValue) forbids what is asked for") }
        var needs = Needs()
        needs.remote = settings
        let cacheSettings = try context.cacheSettings()
        context.confine(cacheSettings, needs)
        guard let remote = context.remote(settings) else { return 0 }
        let caches = context.caches(cacheSettings, remote: remote)
        defer { caches.close() }
        let jobs = try context.jobs(8)
        var total = (pushed: SyncReport(), pulled: SyncReport())
        try context.untilInterrupted {
            for scope in try context.scopes(of: caches, settings) {
                let cache = try caches.cache(scope: scope.text)
                let sync = RemoteSync(remote, cache, jobs: jobs, interruption: context.interruption)
                if pushes { total.pushed += try sync.push() }
                if pulls { total.pulled += try sync.pull() }
            }
        }
        try context.report(
            .object([
                "pushed": pushes ? total.pushed.json : nil, "pulled": pulls ? total.pulled.json : nil,
            ]),
            (pushes ? "handed over \(total.pushed.words)\n" : "") + (pulls ? "took in \(total.pulled.words)\n" : ""))
        if total.pulled.leftOut > 0 {
            context.log.warning(
                "\(total.pulled.leftOut) things were not taken in: the capacity is reached; raise --capacity")
        }
        return total.pushed.failed + total.pulled.failed > 0 ? ExitCode.temporary.rawValue : 0
    }
}

extension ToolContext {
    /// The scopes that are shared and are here, or the one that was asked for. Throws `UsageFailure` for one that is
    /// not shared.
    fileprivate func scopes(of caches: Caches, _ settings: RemoteSettings) throws -> [ScopeName] {
        if let scope = arguments[.scope] {
            guard settings.scopes.contains(scope) else {
                throw UsageFailure("the scope \"\(scope)\" is not shared; name it in APOD_TOOLS_REMOTE_SCOPES")
            }
            return [scope]
        }
        let here = try caches.scopes().map(\.name)
        return settings.scopes.names ?? here
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
        var words =
            "\(moved) \(moved == 1 ? "thing" : "things"), \(ByteCount.description(bytes)); \(there) already there"
        if gone > 0 { words += ", \(gone) no longer there" }
        if failed > 0 { words += ", \(failed) failed" }
        return words
    }
}
