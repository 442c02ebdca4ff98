import Support
import Testing

@testable import Fetch
@testable import Store
@testable import Tools

extension CacheStore {
    /// A single variant, and whether it was made now.
    fileprivate func variant(
        of parent: CacheKey, options: String,
        make: (Entry, any ByteSink) throws -> FileFacts
    ) throws -> (entry: Entry, isMade: Bool) {
        var result: (entry: Entry, isMade: Bool)?
        try variants(of: parent, options: [options], ready: { result = ($1, $2) }) { original, missing, done in
            for variant in missing { try done(variant.index, try make(original, variant.sink)) }
        }
        return try #require(result)
    }
}

@Suite struct VariantTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    /// Writes the original's size as text.
    private func make(_ original: Entry, _ sink: any ByteSink) throws -> FileFacts {
        try sink.write(Array("\(original.bytes)".utf8))
        return FileFacts(contentType: "image/jpeg", fileExtension: "jpg", width: 3, height: 2)
    }

    @Test func variantIsMadeOnceForEachSetOfOptions() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        let first = try cache.variant(of: key("moon"), options: "w=3", make: make)
        let second = try cache.variant(of: key("moon"), options: "w=3", make: make)
        let other = try cache.variant(of: key("moon"), options: "w=4", make: make)

        #expect(first.isMade && !second.isMade && other.isMade)
        #expect(first.entry.path == second.entry.path)
        #expect(first.entry.path != other.entry.path)
        #expect(first.entry.kind == .variant)
        #expect((first.entry.width, first.entry.height) == (3, 2))
        #expect(Surroundings.mode(first.entry.path) == 0o600)
        #expect(world.files("partial").isEmpty)
        #expect(try cache.statistics()[.variantsMade] == 2)
        #expect(try cache.statistics()[.variantHits] == 1)
    }

    @Test func variantOfChangedContentIsMadeAnewInItsPlace() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture(1, bytes: 100)), key: key("moon"))
        let first = try cache.variant(of: key("moon"), options: "w=3", make: make)
        _ = try cache.store(MemorySource(picture(2, bytes: 200)), key: key("moon"))

        let second = try cache.variant(of: key("moon"), options: "w=3", make: make)

        #expect(second.isMade)
        #expect(second.entry.path == first.entry.path)
        #expect(try Surroundings.contents(second.entry.path) == Array("200".utf8))
    }

    @Test func variantGoesWithItsOriginal() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        _ = try cache.variant(of: key("moon"), options: "w=3", make: make)

        try cache.remove(key("moon"))

        #expect(world.files("scopes").isEmpty)
        #expect(try cache.statistics().entries == 0)
    }

    @Test func variantNeedsItsOriginal() throws {
        let error = #expect(throws: CacheFailure.self) {
            try world.cache().variant(of: key("moon"), options: "w=3", make: make)
        }
        #expect(error == .absent(key: "moon"))
        #expect(error?.exitCode == .absent)
    }

    @Test func failureToMakeLeavesNothing() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        #expect(throws: UsageFailure.self) {
            try cache.variant(of: key("moon"), options: "w=3") { original, write in
                _ = try make(original, write)
                throw UsageFailure("no")
            }
        }

        #expect(world.files("partial").isEmpty)
        #expect(world.files("scopes").count == 1)
    }

    @Test func variantWantedByManyAtOnceIsMadeOnce() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        let made = Monitor(0)

        let results = try together(8) { [world] _ in
            try world.cache().variant(of: key("moon"), options: "w=3") { original, write in
                made.update { $0 += 1 }
                return try make(original, write)
            }.entry.path
        }

        #expect(Set(try results.map { try $0.get() }).count == 1)
        #expect(made.withLock { $0 } == 1)
    }

    @Test func thoseThatAreThereAreNotMadeAgainAndTheRestInOneGo() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        _ = try cache.variant(of: key("moon"), options: "w=2", make: make)

        var ready: [(index: Int, isMade: Bool)] = []
        var asked: [[Int]] = []
        try cache.variants(
            of: key("moon"), options: ["w=1", "w=2", "w=3"], ready: { ready.append(($0, $2)) }
        ) { original, missing, done in
            asked.append(missing.map(\.index))
            for variant in missing.reversed() { try done(variant.index, try make(original, variant.sink)) }
        }

        #expect(asked == [[0, 2]])
        #expect(ready.map(\.index) == [1, 2, 0])
        #expect(ready.map(\.isMade) == [false, true, true])
        #expect(world.files("partial").isEmpty)
    }

    @Test func whatWasDoneBeforeAFailureStays() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        #expect(throws: UsageFailure.self) {
            try cache.variants(of: key("moon"), options: ["w=1", "w=2"], ready: { _, _, _ in }) {
                original, missing, done in
                try done(missing[0].index, try make(original, missing[0].sink))
                throw UsageFailure("no")
            }
        }

        #expect(try !cache.variant(of: key("moon"), options: "w=1", make: make).isMade)
        #expect(try cache.variant(of: key("moon"), options: "w=2", make: make).isMade)
    }

    @Test func variantOfAScopeThatIsPurgedMeanwhileSaysSoAndIsNotKept() throws {
        let cache = try world.cache(scope: "alice")
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        #expect(throws: CacheFailure.scopeChanged(scope: "alice")) {
            try cache.variant(of: key("moon"), options: "w=3") { original, write in
                let made = try make(original, write)
                _ = try world.cache(scope: "bob").purge(ScopeName("alice"))
                try world.cache(scope: "bob").finishPurges()
                return made
            }
        }

        #expect(world.files("scopes").isEmpty && world.files("partial").isEmpty)
    }

    @Test func failureWithAnotherReasonKeepsIt() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        #expect(throws: SystemFailure(errno: 28, "write")) {
            try cache.variant(of: key("moon"), options: "w=3") { _, _ in throw SystemFailure(errno: 28, "write") }
        }
    }

    @Test func manyWhoWantOverlappingSetsNeverWaitForEachOther() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        let made = Monitor([Int]())

        let results = try together(8) { [world] number in
            let sizes = number % 2 == 0 ? [1, 2, 3, 4] : [4, 3, 2, 1]
            try world.cache().variants(
                of: key("moon"), options: sizes.map { "w=\($0)" }, ready: { _, _, _ in }
            ) { original, missing, done in
                for variant in missing {
                    made.update { $0.append(sizes[variant.index]) }
                    try done(variant.index, try make(original, variant.sink))
                }
            }
        }

        for result in results { try result.get() }
        #expect(made.withLock { $0.sorted() } == [1, 2, 3, 4])
    }
}
