import Support
import Testing

@testable import Cache

@Suite struct VariantTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    /// Writes the original's size as text.
    private func make(_ original: Entry, _ path: String) throws -> InspectedPicture {
        try File.open(path, 0o101 /* O_WRONLY | O_CREAT */, mode: 0o644).write(Array("\(original.bytes)".utf8))
        return InspectedPicture(contentType: "image/jpeg", fileExtension: "jpg", width: 3, height: 2)
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
            try cache.variant(of: key("moon"), options: "w=3") { original, path in
                _ = try make(original, path)
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
            try world.cache().variant(of: key("moon"), options: "w=3") { original, path in
                made.update { $0 += 1 }
                return try make(original, path)
            }.entry.path
        }

        #expect(Set(try results.map { try $0.get() }).count == 1)
        #expect(made.withLock { $0 } == 1)
    }
}
