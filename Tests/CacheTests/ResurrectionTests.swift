import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Removed, purged and replaced entries must not return when the index is lost afterwards.
@Suite struct ResurrectionTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    /// Expects these keys to be absent, before and after a full recovery.
    private func expectGone(_ scope: String, _ keys: String...) throws {
        let cache = try world.cache(scope: scope)
        for name in keys { #expect(try cache.lookup(key(name)) == nil) }
        try cache.recovery.rebuild { _ in }
        for name in keys { #expect(try cache.lookup(key(name)) == nil) }
        try cache.maintenance.clean { _ in }
        #expect(world.files("scopes").isEmpty && Surroundings.entries(of: "\(world.root)/scopes").isEmpty)
    }

    @Test func pendingPurgeSurvivesALostIndex() throws {
        let cache = try world.cache(scope: "alice")
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        _ = try cache.scopes.purge(ScopeName("alice"))
        #expect(world.files("scopes").count == 1)
        world.loseIndex()
        try expectGone("alice", "moon")
    }

    @Test func pendingPurgesOfSeveralGenerationsSurviveALostIndex() throws {
        let cache = try world.cache(scope: "alice")
        for number in 0..<3 {
            _ = try cache.store(MemorySource(picture(number)), key: key("\(number)"))
            _ = try cache.scopes.purge(ScopeName("alice"))
        }
        world.loseIndex()
        let next = try world.cache(scope: "alice")
        _ = try next.store(MemorySource(picture(9)), key: key("new"))
        try next.recovery.rebuild { _ in }
        for number in 0..<3 { #expect(try next.lookup(key("\(number)")) == nil) }
        #expect(try next.lookup(key("new")) != nil)
        #expect(world.files("scopes").count == 1)

        // After a second loss of the index, the latest entry is recovered.
        world.loseIndex()
        #expect(try world.cache(scope: "alice").lookup(key("new")) != nil)
    }

    @Test func pendingSwitchAndResetSurviveALostIndex() throws {
        let cache = try world.cache(scope: "alice")
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        _ = try cache.index.write(now: world.time.now) { try $0.scopes.reset() }
        try cache.index.perform { try $0.scopes.beginPurgedGenerations() }
        world.loseIndex()
        try expectGone("alice", "moon")

        let standard = try world.cache()
        _ = try standard.store(MemorySource(picture(2)), key: key("mars"))
        _ = try standard.scopes.makeCurrent(ScopeName("bob"))
        world.loseIndex()
        try expectGone("default", "mars")
    }

    @Test func finishedPurgeLeavesNoFolder() throws {
        let cache = try world.cache(scope: "alice")
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        _ = try cache.scopes.purge(ScopeName("alice"))
        try cache.scopes.finishPurges()
        #expect(Surroundings.entries(of: "\(world.root)/scopes").isEmpty)
    }

    /// A removal must include files that have no rows yet.
    @Test(arguments: ["remove", "filter", "purge", "reset"])
    func entryRemovedAfterALostIndexStaysRemoved(_ way: String) throws {
        let before = try world.cache(scope: "alice")
        _ = try before.scopes.purge(ScopeName("alice"))
        _ = try before.store(MemorySource(picture(1)), key: key("moon"))
        // The key has two files, because another process may still read the older file.
        _ = try before.store(MemorySource(png), key: key("moon"))
        #expect(world.files("scopes").count == 2)
        world.loseIndex()
        let cache = try world.cache(scope: "alice")

        switch way {
        case "remove":
            let entry = try #require(try cache.peek(key("moon")))
            #expect(try cache.remove(entry).entries == 2)
        case "filter":
            var filter = EntryFilter()
            filter.largerThan = 1
            #expect(try cache.remove(filter).removal.entries == 2)
        case "purge":
            _ = try world.cache().scopes.purge(ScopeName("alice"))
            try world.cache().scopes.finishPurges()
        default: _ = try world.cache().scopes.reset()
        }

        #expect(world.files("scopes").isEmpty)
        world.loseIndex()
        try expectGone("alice", "moon")
    }

    @Test(arguments: [true, false])
    func newerFileOfAKeyIsRecovered(_ isNewerThePNG: Bool) throws {
        let contents = isNewerThePNG ? [picture(1), png] : [png, picture(1)]
        for asksFirst in [true, false] {
            let before = try world.cache()
            var paths: [String] = []
            for (age, content) in zip([100, 50], contents) {
                let entry = try before.store(MemorySource(content), key: key("moon")).entry
                setModified(entry.path, secondsAgo: age)
                paths.append(entry.path)
            }
            world.loseIndex()
            let cache = try world.cache()
            if !asksFirst { try cache.recovery.rebuild { _ in } }

            #expect(try cache.lookup(key("moon"))?.path == paths[1])
            // The older path was returned, so its file stays until the lease ends.
            try cache.maintenance.clean { _ in }
            #expect(paths.allSatisfy { access($0, F_OK) == 0 })
            world.time.advance(.seconds(800))
            try cache.maintenance.clean { _ in }
            #expect(paths.map { access($0, F_OK) == 0 } == [false, true])
            _ = try cache.scopes.reset()
        }
    }

    private func setModified(_ path: String, secondsAgo: Int) {
        var times = [timespec](repeating: timespec(tv_sec: time(nil) - secondsAgo, tv_nsec: 0), count: 2)
        utimensat(AT_FDCWD, path, &times, 0)
    }
}
