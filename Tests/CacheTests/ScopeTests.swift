import HTTP
import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Generations: a switch or purge hides the entries of a scope at once. Running processes can no longer use these
/// entries, and their files are removed later.
@Suite struct ScopeTests {
    private let world: Surroundings
    private let moon: HTTPRequest
    private let alice: ScopeName

    init() throws {
        world = try Surroundings()
        moon = try HTTPRequest("https://pictures.example/moon.gif")
        alice = try ScopeName("alice")
    }

    private func failure(_ body: () throws -> Void) -> CacheFailure? {
        do {
            try body()
            return nil
        } catch {
            return error as? CacheFailure
        }
    }

    // MARK: Purging

    @Test func purgedEntriesDisappearBeforeTheirFiles() throws {
        let cache = try world.cache(scope: "alice")
        let other = try world.cache(scope: "bob")
        for number in 0..<5 {
            _ = try cache.store(MemorySource(picture(number, bytes: 100)), key: key("\(number)"))
            _ = try other.store(MemorySource(picture(number, bytes: 100)), key: key("\(number)"))
        }

        #expect(try other.scopes.purge(alice) == EntrySum(entries: 5, bytes: 500))

        #expect(try cache.lookup(key("1")) == nil)
        #expect(try cache.allEntries().isEmpty)
        #expect(try cache.statistics().entries == 5)
        #expect(try cache.statistics().bytes == 500)
        #expect(world.files("scopes").count == 10)
        #expect(try cache.scopes.isPurgePending())
        #expect(try other.scopes.finishPurges() == EntrySum(entries: 5, bytes: 500))
        #expect(world.files("scopes").count == 5)
        #expect(try !cache.scopes.isPurgePending())
        for number in 0..<5 { #expect(try other.lookup(key("\(number)")) != nil) }
    }

    @Test func storeAfterAPurgeSeesNoOldEntry() throws {
        let cache = try world.cache(scope: "alice")
        let old = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        _ = try cache.scopes.purge(alice)

        let new = try cache.store(MemorySource(picture(2)), key: key("moon")).entry
        #expect(new.path != old.path)
        try cache.scopes.finishPurges()

        #expect(access(old.path, F_OK) != 0)
        #expect(try Surroundings.contents(new.path) == picture(2))
        #expect(try cache.lookup(key("moon"))?.path == new.path)
        _ = try cache.scopes.purge(alice)
        try cache.scopes.finishPurges()
        #expect(world.files("scopes").isEmpty)
        #expect(Surroundings.entries(of: world.root + "/scopes").isEmpty)
    }

    @Test func countersContinueAfterAPurge() throws {
        let cache = try world.cache(scope: "alice")
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        _ = try cache.scopes.purge(alice)
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        try cache.scopes.finishPurges()

        #expect(try cache.statistics()[.stored] == 2)
    }

    @Test func entryReadBeforeAPurgeCannotBeUsedAfterIt() throws {
        let cache = try world.cache(scope: "alice")
        let entry = try cache.store(MemorySource(picture(1)), key: key("moon")).entry
        _ = try cache.scopes.purge(alice)

        world.time.advance(.seconds(5000))
        #expect(try cache.extendLease(of: entry) == nil)
        // The old entry stays unusable even if an entry of another scope gets the same name and row ID.
        try cache.scopes.finishPurges()
        let bob = try world.cache(scope: "bob").store(MemorySource(picture(2)), key: key("moon")).entry
        #expect(bob.id == entry.id && bob.name == entry.name)
        cache.index.use(entry)
        try cache.index.flush(now: world.time.now)
        #expect(try cache.index.perform { try $0.entries.find(bob.name, in: bob.scope) } == bob)
        #expect(try cache.lookup(key("moon")) == nil)
    }

    @Test func purgedEntriesDoNotEvictOtherScopes() throws {
        let cache = try world.cache(scope: "alice", capacity: 1000, lease: .zero)
        for number in 0..<9 { _ = try cache.store(MemorySource(picture(number, bytes: 100)), key: key("\(number)")) }
        _ = try cache.scopes.purge(alice)
        world.time.advance(.seconds(60))

        for number in 0..<9 { _ = try cache.store(MemorySource(picture(number, bytes: 100)), key: key("\(number)")) }
        #expect(try cache.statistics().entries == 9)
        for number in 9..<20 { _ = try cache.store(MemorySource(picture(number, bytes: 100)), key: key("\(number)")) }

        #expect(try cache.statistics().bytes <= 1000)
        #expect(try cache.lookup(key("19")) != nil)
        try cache.scopes.finishPurges()
        #expect(try world.files("scopes").count == cache.statistics().entries)
    }

    @Test func writingRunContinuesAPendingPurge() throws {
        let cache = try world.cache(scope: "alice")
        for number in 0..<5 { _ = try cache.store(MemorySource(picture(number)), key: key("\(number)")) }
        _ = try cache.scopes.purge(alice)

        let other = try world.cache(scope: "bob")
        // Each call works on the purge for a short time, so a slow machine needs several calls.
        for number in 0..<100 {
            guard try other.scopes.isPurgePending() else { break }
            _ = try other.lookup(key("\(number)"))
            other.close()
        }

        #expect(try !other.scopes.isPurgePending())
        #expect(world.files("scopes").isEmpty)
    }

    @Test func purgeIsNotContinuedWhileAnotherProcessWorksOnIt() throws {
        let cache = try world.cache(scope: "alice")
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        _ = try cache.scopes.purge(alice)
        let held = try KeyLock.ifFree(root: cache.index.root, CacheRoot.purgeLock)

        #expect(held != nil)
        try cache.scopes.continuePurges(for: .seconds(1))

        #expect(try cache.scopes.isPurgePending())
        withExtendedLifetime(held) {}
    }

    @Test func interruptedPurgeIsContinued() throws {
        let cache = try world.cache(scope: "alice")
        for number in 0..<20 { _ = try cache.store(MemorySource(picture(number)), key: key("\(number)")) }
        _ = try cache.scopes.purge(alice)

        var rounds = 0
        while try cache.scopes.isPurgePending() {
            // Each round stops after two steps, as if the process were killed.
            var steps = 2
            _ = try Purge(index: cache.index, clock: world.time.clock).run {
                steps -= 1
                return steps >= 0
            }
            rounds += 1
        }

        #expect(rounds > 10)
        #expect(world.files("scopes").isEmpty)
        #expect(try cache.index.perform { try $0.database.first("SELECT count(*) FROM entries") { $0.int(0) } } == 0)
        #expect(try cache.index.perform { try $0.database.first("SELECT bytes FROM totals") { $0.int(0) } } == 0)
    }

    @Test func purgeRemovesOnlyPartialFilesOfEarlierGenerations() throws {
        let cache = try world.cache(scope: "alice")
        _ = try cache.scopes.purge(alice)
        let root = cache.index.root
        let name = try key("moon").name
        let (old, new) = (
            CacheRoot.partial(name, in: alice, generation: 0), CacheRoot.partial(name, in: alice, generation: 1)
        )
        let foreign = try CacheRoot.partial(name, in: ScopeName("bob"), generation: 0)
        for path in [old, old + ".note", new, new + ".note", foreign, CacheRoot.partials + "/notes.txt"] {
            _ = try root.openToWrite(path, O_WRONLY)
        }

        try cache.scopes.finishPurges()

        let kept = [new, new + ".note", foreign, "/notes.txt"].map { path in String(path.split(separator: "/").last!) }
        #expect(world.files("partial") == kept.sorted())
    }

    // MARK: Switching

    @Test func switchMakesTheNewScopeCurrentAndEmptiesTheOld() throws {
        let before = try world.cache()
        _ = try before.store(MemorySource(picture(1)), key: key("moon"))

        #expect(
            try before.scopes.makeCurrent(alice)
                == ScopeSwitch(old: .standard, purged: EntrySum(entries: 1, bytes: picture(1).count)))

        #expect(try world.cache().scope == alice)
        #expect(try world.cache(scope: "default").lookup(key("moon")) == nil)
        #expect(try before.scopes.makeCurrent(alice) == nil)
        #expect(try world.cache().scopes.current() == alice)
    }

    @Test func switchWithKeepDoesNotEmptyTheOldScope() throws {
        let before = try world.cache()
        _ = try before.store(MemorySource(picture(1)), key: key("moon"))

        #expect(try before.scopes.makeCurrent(alice, keeping: true) == ScopeSwitch(old: .standard, purged: nil))

        #expect(try world.cache(scope: "default").lookup(key("moon")) != nil)
        #expect(try world.cache().lookup(key("moon")) == nil)
    }

    @Test(arguments: [false, true])
    func runInTheCurrentScopeStoresNothingAfterASwitch(keeping: Bool) throws {
        let run = try world.cache()
        let named = try world.cache(scope: "default")
        _ = try world.cache().scopes.makeCurrent(alice, keeping: keeping)

        let failed = failure { _ = try run.store(MemorySource(picture(1)), key: key("moon")) }
        #expect(failed == .scopeChanged(scope: "default"))
        #expect(failed?.exitCode == .temporary)
        let server = FakeServer(picture(1))
        #expect(failure { _ = try run.fetch(moon, client: world.client(server)) } == failed)
        #expect(server.requests.isEmpty)
        #expect(try named.store(MemorySource(picture(1)), key: key("moon")).status == .miss)
    }

    @Test func runContinuesAfterItsScopeIsPurged() throws {
        let run = try world.cache()
        _ = try run.store(MemorySource(picture(1)), key: key("moon"))
        _ = try world.cache().scopes.purge(.standard)

        #expect(try run.store(MemorySource(picture(1)), key: key("moon")).status == .miss)
    }

    @Test func scopesAreListedWithTheirContents() throws {
        _ = try world.cache(scope: "bob").store(MemorySource(picture(1)), key: key("moon"))
        _ = try world.cache(scope: "alice").store(MemorySource(picture(1)), key: key("moon"))
        let cache = try world.cache()
        _ = try cache.scopes.purge(alice)

        let scopes = try cache.scopes.all()

        #expect(scopes.map(\.name.text) == ["alice", "bob", "default"])
        #expect(scopes.map(\.contents.entries) == [0, 1, 0])
        #expect(scopes.map(\.generation) == [1, 0, 0])
        #expect(scopes.map(\.isCurrent) == [false, false, true])
        #expect(scopes.map(\.isPurgePending) == [true, false, false])
    }

    @Test func pathOfAPurgedScopeIsRecognised() throws {
        let cache = try world.cache(scope: "alice")
        let old = try cache.store(MemorySource(picture(1)), key: key("moon")).entry.path
        let other = try world.cache(scope: "bob").store(MemorySource(picture(1)), key: key("moon")).entry.path
        #expect(try !cache.scopes.isPurged(old))

        _ = try cache.scopes.purge(alice)
        let new = try cache.store(MemorySource(picture(1)), key: key("moon")).entry.path

        #expect(try cache.scopes.isPurged(old))
        for path in [new, other, "/etc/passwd", "\(world.root)/index.sqlite", "\(world.root)/scopes/x/y/z", ""] {
            #expect(try !cache.scopes.isPurged(path), "\(path)")
        }
        _ = try cache.scopes.reset()
        #expect(try cache.scopes.isPurged(new) && cache.scopes.isPurged(other))
    }

    // MARK: Work in progress

    @Test func purgeEndsADownloadAndLeavesNoFile() throws {
        let server = FakeServer(picture(1, bytes: 9000), etag: "\"1\"")
        server.hold()
        let (world, alice) = (world, alice)
        let purger = try Thread.start {
            server.waitUntilHolding()
            _ = try? world.cache(scope: "bob").scopes.purge(alice)
        }

        let failed = failure {
            _ = try world.cache(scope: "alice").fetch(moon, client: world.client(server, retries: 3))
        }
        purger.join()

        #expect(failed == .scopeChanged(scope: "alice"))
        #expect(server.requests.count == 1)
        #expect(world.files("scopes").isEmpty)
        #expect(world.files("partial").isEmpty)
    }

    @Test func purgeEndsTheWaitForALock() throws {
        let cache = try world.cache(scope: "alice")
        let name = CacheKey(url: moon.url).name
        let held = try cache.lock(name)
        let watch = try GenerationWatch(cache.index, cache.active)
        let (world, alice) = (world, alice)
        let purger = try Thread.start { _ = try? world.cache(scope: "bob").scopes.purge(alice) }

        #expect(
            failure { _ = try cache.lock(name, whileWaiting: watch.check) } == .scopeChanged(scope: "alice"))

        purger.join()
        withExtendedLifetime(held) {}
    }

    @Test func purgeEndsThePauseBeforeARetry() throws {
        let (world, alice) = (world, alice)
        let server = FakeServer { _, _ in .init(status: 503) }
        // The pauses take no time in this test; the purge happens during the first pause.
        let client = HTTPClient(
            transport: server, retries: RetrySchedule(retries: 20), interruption: world.interruption,
            clock: world.time.clock, sleep: { _ in _ = try world.cache(scope: "bob").scopes.purge(alice) })
        let cache = try world.cache(scope: "alice")

        let watched = client.watched { try cache.index.perform { try $0.scopes.check(0, of: cache.active) } }
        let failed = failure { _ = try watched.data(moon) }

        #expect(failed == .scopeChanged(scope: "alice"))
        #expect(server.requests.count == 1)
    }

    // MARK: Reset

    @Test func resetAlsoEndsWorkInProgress() throws {
        let cache = try world.cache(scope: "alice")
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        _ = try world.cache().scopes.makeCurrent(alice)
        #expect(try cache.scopes.reset(dryRun: true).contents.entries == 1)
        #expect(try cache.lookup(key("moon")) != nil)

        let failed = failure {
            _ = try cache.store(MemorySource(picture(2)), key: key("mars")) { source in
                let report = try world.cache(scope: "bob").scopes.reset()
                #expect(report.contents.entries == 1)
                return try CacheStore.wholePicture(source)
            }
        }

        #expect(failed == .scopeChanged(scope: "alice"))
        #expect(world.files("scopes").isEmpty)
        #expect(world.files("partial").isEmpty)
        let fresh = try world.cache()
        #expect(fresh.scope == .standard)
        #expect(try fresh.statistics().entries == 0)
        // Since the reset, the running process has counted only its failure.
        #expect(try fresh.statistics()[.stored] == 0)
        // A scope unknown before the reset does not start at generation 0 either.
        #expect(try fresh.scopes.all().map(\.generation).allSatisfy { $0 > 0 })
        #expect(try fresh.store(MemorySource(picture(1)), key: key("moon")).status == .miss)
        #expect(try fresh.lookup(key("moon")) != nil)
    }

    // MARK: Older layouts

    @Test func layoutOneIsMigratedWithItsEntries() throws {
        let root = CacheRoot(world.root)
        let database = try world.database()
        try Schema(steps: Array(Schema.current.steps[..<1])).migrate(database, root: root.path)
        let name = try key("moon").name
        try database.execute(
            """
            INSERT INTO scopes (id, name, folder, generation) VALUES (7, 'alice', '\(alice.hash)', 0);
            INSERT INTO counters (scope, name, value, since) VALUES (7, 'hits', 3, 0);
            INSERT INTO entries (scope, name, key, kind, file, bytes, content_type, sha256, fetched_at, expires_at,
                last_used, lease_until)
            VALUES (7, '\(name)', 'moon', 0, '\(name).gif', \(picture().count), 'image/gif',
                '\(try BlobStore.sha256(of: MemorySource(picture())))', \(world.time.now.milliseconds),
                \((world.time.now + .seconds(100)).milliseconds), 0, 0);
            """)
        let place = try #require(CacheRoot.blob("\(name).gif", folder: alice.hash))
        try root.openToWrite(place, O_WRONLY).write(picture())

        let cache = try world.cache(scope: "alice")
        let entry = try #require(try cache.lookup(key("moon")))

        #expect(entry.path == root.path(of: place))
        #expect(try Schema.version(of: database) == Schema.current.version)
        #expect(try cache.statistics()[.hits] == 4)
        #expect(try cache.scopes.purge(alice).entries == 1)
        try cache.scopes.finishPurges()
        #expect(world.files("scopes").isEmpty)
    }
}
