import Records
import Support
import TestSupport

/// Simulated machines with a shared remote: a common home, and a root for each machine.
struct Fleet {
    /// The kinds of remotes.
    enum Kind: String, CaseIterable, Sendable {
        case folder, nginx, redis

        /// The kinds that this machine can run.
        static var possible: [Kind] {
            allCases.filter { kind in
                switch kind {
                case .folder: true
                case .nginx: NginxRemote.isPossible
                case .redis: RedisRemote.isPossible
                }
            }
        }
    }

    let home: ToolHome
    let origin: PictureServer
    /// The value of `--remote`.
    let address: String
    /// The servers, which stop when the fleet is released.
    private let servers: [AnyObject]
    /// Kills the remote, if it is a server.
    let killRemote: @Sendable () -> Void

    /// - Parameter address: an existing remote.
    init(size: Int = 20_000, stalls: Int = 0, remote address: String) throws {
        origin = try PictureServer(size: size, stalls: stalls)
        home = try ToolHome(environment: origin.environment)
        self.address = address
        servers = []
        killRemote = {}
    }

    init(_ kind: Kind, size: Int = 20_000, stalls: Int = 0) throws {
        origin = try PictureServer(size: size, stalls: stalls)
        home = try ToolHome(environment: origin.environment)
        switch kind {
        case .folder:
            address = "file://\(try home.folder.makeFolder("mount"))"
            servers = []
            killRemote = {}
        case .nginx:
            let nginx = try NginxRemote(home: home)
            address = nginx.address
            servers = [nginx]
            killRemote = { nginx.server.kill() }
        case .redis:
            let redis = try RedisRemote(home: home)
            address = redis.address
            servers = [redis]
            killRemote = { redis.server.kill() }
        }
    }

    /// The environment of a machine.
    func machine(_ name: String, _ more: [String: String] = [:]) -> [String: String?] {
        ["APOD_TOOLS_CACHE_DIR": home.folder.path("cache/\(name)"), "APOD_TOOLS_REMOTE": address]
            .merging(more) { $1 }.mapValues { $0 }
    }

    /// Stores pictures on a machine.
    @discardableResult
    func put(
        _ machine: String, _ names: [String], _ options: [String] = [], status: Int32 = 0
    ) throws -> ToolOutput {
        try home.run(
            "img-cache", ["put"] + options + names.map(origin.url), environment: self.machine(machine)
        ).expect(status)
    }

    /// The value of a machine's counter in the scope `default`.
    func count(_ machine: String, _ counter: String) throws -> Int {
        let text = try home.run(
            "img-cache", ["stats", "--format", "prometheus"], environment: self.machine(machine)
        ).expect(0).stdout
        let start = "apod_tools_cache_\(counter)_total{scope=\"default\"} "
        let line = text.split(separator: "\n").first { $0.hasPrefix(start) }
        return line.flatMap { Int($0.dropFirst(start.count)) } ?? -1
    }
}
