import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// The number of caches that one run keeps open.
@Suite struct CachesTests {
    private let world: Surroundings

    init() throws { world = try Surroundings() }

    private func caches(_ clock: Clock? = nil) -> Caches {
        Caches(
            settings: CacheSettings(root: world.root), clock: clock ?? world.time.clock,
            interruption: world.interruption)
    }

    @Test func leastRecentlyUsedScopeIsClosedForANewScope() throws {
        let caches = caches()
        let first = try caches.cache(scope: "0")
        let second = try caches.cache(scope: "1")
        for scope in 2..<32 { _ = try caches.cache(scope: "\(scope)") }
        #expect(try caches.cache(scope: "0") === first)

        _ = try caches.cache(scope: "32")

        #expect(try caches.cache(scope: "0") === first)
        #expect(try caches.cache(scope: "1") !== second)
        // The closed cache remains usable by callers that still hold it.
        #expect(try second.store(MemorySource(picture()), key: key("moon")).status == .miss)
        #expect(try caches.cache(scope: "1").lookup(key("moon")) != nil)
    }

    @Test func allScopesShareOneConnection() throws {
        let caches = caches()
        let index = try caches.cache(scope: "0").index
        for scope in 1..<40 { #expect(try caches.cache(scope: "\(scope)").index === index) }
        #expect(try caches.cache().index === index)
    }

    @Test func countersOfAllScopesAreWrittenAtTheEnd() throws {
        let caches = caches()
        for scope in 0..<40 {
            try caches.cache(scope: "\(scope)").index.requireWriting()
            _ = try caches.cache(scope: "\(scope)").lookup(key("moon"))
        }

        caches.close()

        for scope in 0..<40 {
            #expect(try world.cache().statistics(scope: ScopeName("\(scope)"))[.misses] == 1)
        }
    }

    @Test func rootIsCleanedOnceAtTheEndOfARun() throws {
        let caches = caches()
        for scope in 0..<4 {
            _ = try caches.cache(scope: "\(scope)").store(MemorySource(picture(scope)), key: key("x"))
        }
        _ = try world.cache(scope: "0").scopes.purge(ScopeName("0"))
        caches.close()

        #expect(try !world.cache().scopes.isPurgePending())
        #expect(try world.cache().statistics()[.stored] == 4)
    }

    // MARK: Scopes

    @Test func scopeSwitchReportsThePurgedEntries() throws {
        for name in ["a", "b"] { _ = try caches().cache().store(MemorySource(picture(1, bytes: 100)), key: key(name)) }
        let alice = try ScopeName("alice")
        let made = try caches().makeCurrent(alice)
        #expect(made?.old == .standard && made?.purged == EntrySum(entries: 2, bytes: 200))
        #expect(made?.purged?.text == "2 entries, 200 B")
        #expect(try caches().makeCurrent(alice) == nil)
        #expect(try caches().makeCurrent(.standard, keeping: true) == ScopeSwitch(old: alice, purged: nil))
    }

    @Test func unknownScopeSuggestsASimilarName() throws {
        let alice = try ScopeName("alice")
        #expect(try caches().unknownScope(.standard) == nil)
        #expect(try caches().unknownScope(alice)?.suggestion == nil)
        _ = try caches().cache(scope: "alice").store(MemorySource(picture()), key: key("moon"))
        #expect(try caches().unknownScope(alice) == nil)
        let mistyped = try #require(try caches().unknownScope(ScopeName("alcie")))
        #expect(mistyped.message == "the scope \"alcie\" has never had an entry; did you mean alice?")
        #expect(try caches().unknownScope(ScopeName("defalt"))?.suggestion == "default")
        let far = try #require(try caches().unknownScope(ScopeName("bob")))
        #expect(far.suggestion == nil && far.message == "the scope \"bob\" has never had an entry")
        _ = try caches().cache().scopes.purge(alice)
        #expect(try caches().unknownScope(alice) == nil)
    }
}
