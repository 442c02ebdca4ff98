import Libc
import Records
import Support
import TestSupport
import Testing

/// Kills maintenance commands while other processes read and write. Entries that were not removed must be present and
/// intact, removed entries must stay removed, and no file may be left over.
struct UpkeepKillTests {
    @Test(arguments: UpkeepWork.allCases, KilledHome.all)
    func killedRunLosesNoEntryAndLeavesNoFile(_ work: UpkeepWork, _ home: KilledHome) throws {
        try UpkeepWorld(home, work).run()
    }
}

/// The kind of work that is killed most often in a home; one run in four does a random kind of work.
enum UpkeepWork: CaseIterable {
    case adding, removing, emptying, cleaning, rebuilding
}

/// A home in which runs are killed one after another, and the known pictures of three scopes.
private final class UpkeepWorld {
    private struct Place: Hashable, Comparable {
        let scope: String
        let url: String
        static func < (a: Place, b: Place) -> Bool { (a.scope, a.url) < (b.scope, b.url) }
    }

    private enum Work: CaseIterable {
        case previews, prefetch, past, remove, removeSome, pin, clean, repair, `switch`, purge, reset
        case rebuildByClean, rebuildByRepair, rebuildByUse

        static func of(_ work: UpkeepWork) -> [Work] {
            switch work {
            case .adding: [.previews, .prefetch, .past]
            case .removing: [.remove, .removeSome, .pin]
            case .emptying: [.switch, .purge, .reset]
            case .cleaning: [.clean, .repair]
            case .rebuilding: [.rebuildByClean, .rebuildByRepair, .rebuildByUse]
            }
        }
    }

    private static let scopes = ["default", "alice", "bob"]
    private static let scanned = 400

    private let killer: Killer
    private let works: [Work]
    private let server: PictureServer
    private let scans: ScanServer
    private let scan: [UInt8]
    private let home: ToolHome
    private var names = 0
    private var rounds = 0
    private var history: [String] = []
    /// Pictures that must be present.
    private var known: Set<Place> = []
    /// Pictures that must be absent.
    private var gone: Set<Place> = []

    init(_ killed: KilledHome, _ work: UpkeepWork) throws {
        killer = Killer(killed)
        works = Work.of(work)
        server = try PictureServer(size: 20_000)
        let (name, bytes, _) = try #require(try IncrementalTests.pictures().last)
        scan = bytes
        let names = (0..<Self.scanned).map { "\($0)-\(name)" }
        scans = try ScanServer(Dictionary(uniqueKeysWithValues: names.map { ($0, bytes) }), type: "image/gif")
        names.forEach(scans.releaseAll)
        home = try ToolHome(environment: server.environment)
        for scope in Self.scopes { try put(8, in: scope) }
    }

    private func newURLs(_ count: Int) -> [String] {
        names += count
        return (names - count..<names).map { server.url("\($0)") }
    }

    private func put(_ count: Int, in scope: String) throws {
        let urls = newURLs(count)
        try home.run("img-cache", ["put", "--scope", scope] + urls).expect(0)
        for url in urls { known.insert(Place(scope: scope, url: url)) }
    }

    func run() throws {
        try killer.repeatUntilDone(round)
        try expectClean()
    }

    /// Kills a run during a concurrent `get` and `put`, and checks the cache.
    private func round() throws {
        rounds += 1
        let isOther = killer.random.below(4) == 0
        let works = isOther ? Work.allCases : works
        let work = works[killer.random.below(works.count)]
        let scope = Self.scopes[killer.random.below(Self.scopes.count)]
        let other = Self.scopes[killer.random.below(Self.scopes.count)]
        if !known.contains(where: { $0.scope == scope }) { try put(4, in: scope) }
        if [.rebuildByClean, .rebuildByRepair, .rebuildByUse].contains(work) {
            try home.shell("rm -f '\(home.cacheRoot)'/index.sqlite*").expect(0)
        }
        let mine = known.filter { $0.scope == scope }.sorted()
        let some = Array(mine.shuffled(using: &killer.random).prefix(4))
        // The pictures that the work may remove: all or none of `whole`, and any of `single`.
        let (arguments, whole, single) = try plan(work, scope: scope, some: some)

        let written = newURLs(6)
        let writer = try home.start(
            "img-cache", ["put", "--scope", other, "--jobs", "2"] + written, stdin: .empty)
        let reader = try home.start(
            "img-cache", ["get", "--scope", scope] + mine.map(\.url), stdin: .empty)
        let tool = try home.start("img-cache", arguments, stdin: .empty)
        let killed = killer.kill(tool, work: "\(work)", isCounted: self.works.contains(work))
        let isDone = killed.signal != SIGKILL
        history.append("\(isDone ? "ran" : "killed") \(arguments.joined(separator: " "))")
        // `verify --repair` exits with status 1 if it repaired anything.
        let isRepair = work == .repair || work == .rebuildByRepair
        if isDone, !(isRepair && killed.status == 1) { try killed.expect(0) }
        let wrote = writer.wait()
        _ = reader.wait()
        let mayBeEmptied = [.switch, .purge, .reset].contains(work)
        #expect(wrote.status == 0 || mayBeEmptied, "\(story): \(wrote)")

        try look(whole: whole, single: single, isDone: isDone)
        // A scope that is being emptied may lose pictures written during the run.
        if !mayBeEmptied {
            let isKept = { (url: String) in work != .removeSome || !url.hasSuffix("7.gif") }
            known.formUnion(written.filter(isKept).map { Place(scope: other, url: $0) })
        }
        try expectKnown()
        if rounds % 8 == 0 { try expectClean() }
    }

    private var story: String { history.suffix(4).joined(separator: "; ") }

    private func plan(
        _ work: Work, scope: String, some: [Place]
    ) throws -> (arguments: [String], whole: Set<Place>, single: Set<Place>) {
        func all(_ scope: String) -> Set<Place> { known.filter { $0.scope == scope } }
        let urls = some.map(\.url)
        switch work {
        case .previews:
            names += 4
            let urls = (names - 4..<names).map { scans.url("\($0 % Self.scanned)-c.gif") }
            return (["put", "--incremental", "--refresh", "--scope", scope] + urls, [], [])
        case .prefetch: return (["prefetch", "--scope", scope, "--"] + newURLs(6), [], [])
        case .past:
            return (["put", "--policy", "disabled", "--scope", scope, "APOD_TOOLS_LEASE=0s"] + newURLs(6), [], [])
        case .remove: return (["rm", "--scope", scope] + urls, [], Set(some))
        case .removeSome:
            // `rm --match` does not remove pinned entries.
            let chosen = all(scope).filter { $0.url.hasSuffix("7.gif") }.subtracting(try pinned(in: scope))
            return (["rm", "--scope", scope, "--match", "*7.gif"], [], chosen)
        case .pin: return ([killer.random.below(2) == 0 ? "pin" : "unpin", "--scope", scope] + urls, [], [])
        case .clean, .rebuildByClean: return (["clean"], [], [])
        case .repair, .rebuildByRepair: return (["verify", "--repair"], [], [])
        case .rebuildByUse: return (["get", "--scope", scope] + urls, [], [])
        case .switch:
            let current = try home.run("img-cache", ["scope", "current"]).expect(0).lines[0]
            return (["scope", "switch", scope, "--purge"], scope == current ? [] : all(String(current)), [])
        case .purge:
            return (["scope", "purge", scope], all(scope), [])
        case .reset: return (["scope", "purge", "--all-scopes"], known, [])
        }
    }

    private func pinned(in scope: String) throws -> [Place] {
        let records = try home.run("img-cache", ["ls", "--pinned", "--scope", scope, "--json"]).expect(0).records
        return records.compactMap { $0.string("cache.key") }.map { Place(scope: scope, url: $0) }
    }

    private func present(_ places: Set<Place>) throws -> Set<Place> {
        var found: Set<Place> = []
        for scope in Self.scopes {
            let urls = places.filter { $0.scope == scope }.map(\.url).sorted()
            if urls.isEmpty { continue }
            let records = try home.run("img-cache", ["get", "--scope", scope] + urls).records
            try #require(records.count == urls.count)
            for (url, record) in zip(urls, records) {
                guard let path = record.string("path") else {
                    #expect(record.string("error.code") == "not-cached", "\(story): \(record)")
                    continue
                }
                #expect(try TestFile.bytes(path) == server.picture(url), "\(story): \(url) has wrong content")
                found.insert(Place(scope: scope, url: url))
            }
        }
        return found
    }

    /// Records which pictures the killed run removed. A purge removes all or none.
    private func look(whole: Set<Place>, single: Set<Place>, isDone: Bool) throws {
        if whole.isEmpty && single.isEmpty { return }
        let left = try present(whole.union(single))
        if isDone { #expect(left.isEmpty, "\(story) leaves \(left)") }
        let rest = left.intersection(whole)
        #expect(rest.isEmpty || rest == whole, "\(story): \(rest.count) of \(whole.count) pictures are left")
        let lost = whole.union(single).subtracting(left)
        known.subtract(lost)
        gone.formUnion(lost)
    }

    private func expectKnown() throws {
        let missing = known.subtracting(try present(known))
        #expect(missing.isEmpty, "\(story): lost \(missing.sorted())")
        known.subtract(missing)
        let verified = try home.run("img-cache", ["verify"])
        // The index has this setting until a run has recovered all files of a lost index. Until then, `verify` must
        // report the lost index, and no other problem.
        let found = try verified.records.compactMap { $0.raw("problems") }
        let problems = try found.flatMap { try Record.list(parsing: Array($0)) }.compactMap { $0.string("code") }
        let isLost = try CacheOnDisk(home).query("SELECT count(*) FROM settings WHERE name = 'lost'") == ["1"]
        #expect(problems == (isLost ? ["index-lost"] : []), "\(story): \(verified)")
        #expect(verified.status == (isLost ? 1 : 0), "\(story): \(verified)")
    }

    /// Expects that `clean` leaves no temporary files, and that no removed picture has returned.
    private func expectClean() throws {
        try home.run("img-cache", ["scope", "purge", "nobody"]).expect(0)
        // Removes the leases. A lease renewed a minute after its entry was stored would protect a removed file for ten
        // minutes.
        let leases = "\(home.cacheRoot)/leases"
        for name in TemporaryFolder.names(in: leases) { unlink("\(leases)/\(name)") }
        try home.run("img-cache", ["clean", "APOD_TOOLS_LEASE=0s"]).expect(0)
        let back = try present(gone)
        #expect(back.isEmpty, "\(story): removed pictures are present again: \(back)")
        gone = []
        let root = CacheOnDisk(home)
        try root.expectConsistent(home)
        #expect(TemporaryFolder.names(in: root.root + "/locks").filter { $0 != "all" } == [], "\(story)")
        let index = ["", "-wal", "-shm"].map { "index.sqlite\($0)" }
        let expected = Set(["CACHEDIR.TAG", "scopes", "partial", "locks", "leases"] + index)
        #expect(Set(TemporaryFolder.names(in: root.root)).subtracting(expected) == [], "\(story)")
        let empty = try home.shell("find '\(root.root)/scopes' -mindepth 1 -type d -empty").expect(0).stdout
        #expect(empty == "", "\(story)")
        let sums = try root.query("SELECT count(*) FROM scopes WHERE purged = 1")
        #expect(sums == ["0"], "\(story)")
        for scope in Self.scopes { try put(1, in: scope) }
        try expectKnown()
    }
}
