import Libc
import Records
import Support
import TestSupport
import Testing

/// Kills `img-cache put`. No printed entry may be lost, and the next run must succeed.
struct StoreKillTests {
    /// The cache has room for all entries, so every printed entry must stay.
    @Test(arguments: KilledHome.all) func killedDownloadLosesNoPrintedEntry(_ home: KilledHome) throws {
        try KilledWorld(home, [.download, .replaceDownload]).run()
    }

    @Test(arguments: KilledHome.all) func killedStoreLosesNoPrintedEntry(_ home: KilledHome) throws {
        try KilledWorld(home, [.store, .replaceFile]).run()
    }

    /// With a small capacity, runs also trim the cache. Trimming may remove entries, but must not damage any.
    @Test(arguments: KilledHome.all) func killedTrimLeavesIndexAndFilesConsistent(_ home: KilledHome) throws {
        try KilledWorld(home, KilledWorld.Work.allCases, capacity: 12 * KilledWorld.size).run()
    }
}

/// A home in which tools are killed one after another, and the pictures known to be in its cache.
private final class KilledWorld {
    static let size = 60_000

    let server: PictureServer
    let home: ToolHome
    private let killer: Killer
    private let works: [Work]
    private let options: [String]
    private let mayTrim: Bool
    /// The versions of each picture that the cache may contain: from the last printed version to the last version that
    /// a killed run may have stored.
    private var known: [String: ClosedRange<Int>] = [:]
    private var names = 0
    private var fileVersion = 0

    enum Work: CaseIterable {
        case download, replaceDownload, store, replaceFile
    }

    /// - Parameter works: the kinds of work to kill; one run in four does a random kind of work.
    init(_ killed: KilledHome, _ works: [Work], capacity: Int? = nil) throws {
        server = try PictureServer(size: Self.size)
        home = try ToolHome(environment: server.environment)
        killer = Killer(killed)
        self.works = works
        mayTrim = capacity != nil
        options = capacity.map { ["--capacity", "\($0)", "APOD_TOOLS_LEASE=0s"] } ?? []
        // Creates the index, so that later runs find it even if they are killed.
        _ = try home.run("img-cache", ["stats"]).expect(0)
    }

    func run() throws { try killer.repeatUntilDone(round) }

    /// Kills a run at a random moment, checks the cache, and then repeats the work to its end.
    private func round() throws {
        let works = killer.random.below(4) == 0 ? Work.allCases : works
        let work = works[killer.random.below(works.count)]
        let pictures = try self.pictures(for: work)
        let refresh = work == .replaceDownload ? ["--refresh"] : []
        let arguments = ["put", "--jobs", "\(1 + killer.random.below(4))"] + options + refresh + pictures
        let version = work == .store || work == .replaceFile ? fileVersion : server.version
        // Until the run prints a picture's record, the cache may contain its old or its new content.
        for picture in pictures where known[picture] != nil {
            known[picture] = known[picture]!.lowerBound...version
        }

        let tool = try home.start("img-cache", arguments, stdin: .empty)
        try waitForAMoment(tool, pictures)
        let killed = killer.killSoon(tool)
        if killed.signal != SIGKILL { try killed.expect(0) }

        for line in killed.wholeLines {
            try note(Record(parsing: Array(line.utf8)), version: version, of: pictures)
        }
        try home.expectVerified()
        try expectKnown(replacing: work == .replaceDownload || work == .replaceFile ? Set(pictures) : [])
        let records = try home.run("img-cache", arguments).expect(0).records
        #expect(records.count == pictures.count)
        for record in records { try note(record, version: version, of: pictures) }
        try expectKnown(replacing: [])
        try CacheOnDisk(home).expectConsistent(home)
    }

    /// Returns the addresses or paths of at most eight pictures. For replacements, chooses known pictures and changes
    /// their content; if there are none, returns new pictures.
    private func pictures(for work: Work) throws -> [String] {
        switch work {
        case .download: return newNames().map(server.url)
        case .replaceDownload:
            let there = known.keys.filter { $0.hasPrefix("http") }.sorted()
            if there.isEmpty { return try pictures(for: .download) }
            server.change()
            return some(of: there)
        case .store: return try write(newNames().map { home.path("\($0).gif") })
        case .replaceFile:
            let there = known.keys.filter { !$0.hasPrefix("http") }.sorted()
            return try there.isEmpty ? pictures(for: .store) : write(some(of: there))
        }
    }

    private func newNames() -> [String] {
        names += 8
        return (names - 8..<names).map { "picture-\($0)" }
    }

    private func some(of all: [String]) -> [String] {
        let start = killer.random.below(all.count)
        return (0..<min(8, all.count)).map { all[(start + $0) % all.count] }
    }

    /// Writes files with new content.
    private func write(_ paths: [String]) throws -> [String] {
        fileVersion += 1
        for path in paths { try home.folder.write(relative(path), content(path, fileVersion)) }
        return paths
    }

    private func relative(_ path: String) -> String { String(path.dropFirst(home.folder.path.count + 1)) }

    private func content(_ picture: String, _ version: Int) -> [UInt8] {
        picture.hasPrefix("http")
            ? server.picture(picture, version: version)
            : PictureServer.picture(picture, version: version, size: Self.size)
    }

    /// Waits for an observable event: bytes sent, records printed, or files in the root.
    private func waitForAMoment(_ tool: RunningTool, _ pictures: [String]) throws {
        switch killer.random.below(4) {
        case 0: server.wait(untilSent: server.sent + killer.random.below(6 * Self.size), while: { tool.isRunning })
        case 1: _ = tool.waitForOutput(killer.random.below(2000))
        case 2:
            let partial = "\(home.cacheRoot)/partial"
            _ = eventually { !tool.isRunning || !TemporaryFolder.names(in: partial).isEmpty }
        default:
            let before = CacheOnDisk(home).files().count
            let isNew = known[pictures[0]] == nil
            let wanted = before + (isNew ? killer.random.below(pictures.count) : 0)
            _ = eventually { !tool.isRunning || CacheOnDisk(home).files().count >= wanted }
        }
    }

    private func note(_ record: Record, version: Int, of pictures: [String]) throws {
        let path = try #require(record.string("path"))
        let key = try #require(record.string("cache.url") ?? pictures.first { isNamed($0, record) })
        known[key] = version...version
        if mayTrim && !TestFile.exists(path) { return }
        #expect(try TestFile.bytes(path) == content(key, version), "\(key)")
    }

    private func isNamed(_ picture: String, _ record: Record) -> Bool {
        record.string("cache.key")?.hasSuffix(picture) == true
    }

    /// Expects every known picture in the cache with an allowed content. A picture may be missing only if the run that
    /// replaced it was killed after writing the file and before committing the row.
    private func expectKnown(replacing replaced: Set<String>) throws {
        if known.isEmpty { return }
        let names = known.keys.sorted()
        let output = try home.run("img-cache", ["get"] + names)
        let records = try output.records
        try #require(records.count == names.count, "\(output)")
        for (name, record) in zip(names, records) {
            guard let path = record.string("path") else {
                #expect(mayTrim || replaced.contains(name), "\(name) is lost: \(record)")
                #expect(record.string("error.code") == "not-cached", "\(record)")
                continue
            }
            let bytes = try TestFile.bytes(path)
            #expect(known[name]!.contains { content(name, $0) == bytes }, "\(name) has wrong content")
        }
    }
}
