import Support
import TestSupport
import Testing

@testable import Fetch
@testable import Store

/// Keys and scope names for shell completion, which are read without changing the cache.
struct ReadingTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private func settings(_ scope: String? = nil, memory: String = "/nowhere") throws -> CacheSettings {
        CacheSettings(
            root: world.root, scope: try scope.map(ScopeName.init),
            places: RuntimePlaces(memory: [memory], ephemeral: ["/nowhere"]))
    }

    private func put(_ name: String, scope: String? = nil) throws {
        _ = try world.cache(scope: scope).store(MemorySource(picture()), key: key(name))
    }

    @Test func keysAreListedByScopeAndPrefix() throws {
        #expect(try settings().keys(beginningWith: "").isEmpty)
        for name in ["moon", "mars", "50%_off", "é"] { try put(name) }
        try put("sun", scope: "alice")
        let all = try [key("50%_off").text, key("mars").text, key("moon").text, key("é").text]
        #expect(try settings().keys(beginningWith: "").sorted() == all.sorted())
        #expect(try settings().keys(beginningWith: key("m").text).count == 2)
        #expect(try settings().keys(beginningWith: key("50%_").text) == [key("50%_off").text])
        #expect(try settings().keys(beginningWith: key("__").text).isEmpty)
        #expect(try settings("alice").keys(beginningWith: "") == [key("sun").text])
        #expect(try settings("bob").keys(beginningWith: "").isEmpty)
    }

    @Test func keysOfAPurgedScopeAreNotListed() throws {
        try put("sun", scope: "alice")
        _ = try world.cache().scopes.purge(ScopeName("alice"))
        #expect(try settings("alice").keys(beginningWith: "").isEmpty)
    }

    @Test func currentScopeIsListedEvenIfEmpty() throws {
        #expect(try settings().scopeNames() == ["default"])
        try put("moon")
        try put("sun", scope: "alice")
        _ = try world.cache().scopes.makeCurrent(ScopeName("bob"), keeping: true)
        #expect(try Set(settings().scopeNames()) == ["default", "alice", "bob"])
        #expect(try settings().keys(beginningWith: "").isEmpty)
    }

    @Test func onlyTheLatestEntriesAreRead() throws {
        try put("old")
        try withExtendedLifetime(world.cache()) { _ in
            try world.database().execute(
                "UPDATE entries SET id = id + 20000; UPDATE entries SET id = 1 WHERE id = 20001")
        }
        #expect(try settings().keys(beginningWith: "") == [key("old").text])
        try put("new")
        try world.database().execute("UPDATE entries SET id = 20000 WHERE id <> 1")
        #expect(try settings().keys(beginningWith: "") == [key("new").text])
    }

    @Test func completionDoesNotWaitForAWriter() throws {
        try put("moon")
        let database = try world.database()
        try database.execute("BEGIN IMMEDIATE; DELETE FROM entries")
        #expect(try settings().keys(beginningWith: "") == [key("moon").text])
    }

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func keysInMemoryAreListed() throws {
        let memory = try TemporaryFolder(in: TemporaryFolder.memory)
        var settings = try settings(memory: memory.path("memory"))
        try put("disk")
        settings.policies = Policies(standard: .memory)
        let caches = Caches(settings: settings, clock: world.time.clock, interruption: world.interruption)
        _ = try caches.standard().store(MemorySource(picture(1)), key: key("memory"))
        #expect(try Set(settings.keys(beginningWith: "")) == [key("disk").text, key("memory").text])
        settings.scope = try ScopeName("alice")
        #expect(try settings.keys(beginningWith: "").isEmpty)
    }
}
