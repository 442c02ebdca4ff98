import Libc
import Records
import TestSupport
import Testing

/// Kills runs with `--policy memory`.
@Suite(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
struct MemoryKillTests {
    @Test(arguments: KilledHome.all)
    func killLosesNoEntryInMemoryAndWritesNothingToTheDisk(_ killed: KilledHome) throws {
        let server = try PictureServer(size: 20_000)
        let memory = try TemporaryFolder(in: TemporaryFolder.memory)
        let home = try ToolHome(
            environment: server.environment.merging([
                "XDG_RUNTIME_DIR": memory.path,
                "APOD_TOOLS_CONFIG": memory.write("config.json", #"{"policy": "memory"}"#),
            ]) { $1 })
        let killer = Killer(killed)
        var known: Set<String> = []
        var next = 0

        try killer.repeatUntilDone {
            let work = ["put", "put", "refresh", "remove", "purge"][known.isEmpty ? 0 : killer.random.below(5)]
            let urls: [String]
            if work == "put" {
                urls = (next..<next + 6).map { server.url("\($0)") }
                next += 6
            } else {
                urls = Array(known.sorted().shuffled(using: &killer.random).prefix(6))
            }
            let arguments =
                switch work {
                case "refresh": ["put", "--refresh"] + urls
                case "remove": ["rm"] + urls
                case "purge": ["scope", "purge", "default"]
                default: ["put"] + urls
                }
            let output = try killer.kill(home.start("img-cache", arguments, stdin: .empty), work: work)
            if output.signal != SIGKILL { try output.expect(0) }

            try home.expectVerified(story: "\(output)")
            switch work {
            case "remove":
                let left = try present(urls, home, server)
                #expect(output.signal == SIGKILL || left.isEmpty)
                known = known.subtracting(urls).union(left)
            case "purge":
                let left = try present(known.sorted(), home, server)
                #expect(left.isEmpty || (output.signal == SIGKILL && left == known), "\(left.count) of \(known.count)")
                known = left
            default:
                for (url, line) in zip(urls, output.wholeLines) {
                    let path = try #require(Record(parsing: Array(line.utf8)).string("path"), "\(line)")
                    #expect(path.hasPrefix(memory.path) && TestFile.exists(path), "\(line)")
                    known.insert(url)
                }
                #expect(try present(known.sorted(), home, server) == known)
                try home.run("img-cache", arguments).expect(0)
                known.formUnion(urls)
            }
            #expect(TemporaryFolder.names(in: home.cacheRoot + "/scopes") == [])
        }
        #expect(try present(known.sorted(), home, server) == known)
        try home.run("img-cache", ["scope", "purge", "default"]).expect(0)
        #expect(memory.contents().filter { $0.hasPrefix("apod-tools/") } == ["apod-tools/use"])
    }

    /// Returns the addresses with a picture in memory, and checks their content.
    private func present(_ urls: [String], _ home: ToolHome, _ server: PictureServer) throws -> Set<String> {
        if urls.isEmpty { return [] }
        let records = try home.run("img-cache", ["get"] + urls).records
        try #require(records.count == urls.count)
        var found: Set<String> = []
        for (url, record) in zip(urls, records) {
            guard let path = record.string("path") else { continue }
            #expect(try TestFile.bytes(path) == server.picture(url), "\(url) has wrong content")
            found.insert(url)
        }
        return found
    }
}
