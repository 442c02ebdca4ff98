import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

extension CacheStore {
    /// Returns the variants of an original. `make` writes the missing variants in the order of `options`, or in the
    /// opposite order if `reversed` is set.
    @discardableResult
    func variants(
        of parent: CacheKey, options: [String], reversed: Bool = false, asked: ([Int]) -> Void = { _ in },
        make: (Entry, any Sink) throws -> FileFacts
    ) throws -> [(index: Int, file: MadeFile)] {
        let original = try #require(try lookup(parent, handingOut: false))
        var ready: [(index: Int, file: MadeFile)] = []
        let sinks = try CacheDestination(self, of: original, key: parent).open(options) { ready.append(($0, $1)) }
        let missing = sinks.indices.filter { sinks[$0] != nil }
        if !missing.isEmpty { asked(missing) }
        for index in reversed ? missing.reversed() : missing {
            guard let sink = sinks[index] else { continue }
            ready.append((index, try sink.commit(make(original, sink))))
        }
        return ready
    }

    /// Returns a single variant.
    func variant(
        of parent: CacheKey, options: String, make: (Entry, any Sink) throws -> FileFacts
    ) throws -> MadeFile {
        try #require(try variants(of: parent, options: [options], make: make).first).file
    }
}

@Suite struct VariantTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    /// Writes the size of the original as text.
    private func make(_ original: Entry, _ sink: any Sink) throws -> FileFacts {
        try sink.write(Array("\(original.bytes)".utf8))
        return FileFacts(contentType: "image/jpeg", fileExtension: "jpg", width: 3, height: 2)
    }

    @Test func variantIsMadeOnceForEachSetOfOptions() throws {
        let cache = try world.cache()
        let original = try cache.store(MemorySource(picture()), key: key("moon")).entry

        let first = try cache.variant(of: key("moon"), options: "w=3", make: make)
        let second = try cache.variant(of: key("moon"), options: "w=3", make: make)
        let other = try cache.variant(of: key("moon"), options: "w=4", make: make)

        #expect(first.isNew && !second.isNew && other.isNew)
        #expect(first.path == second.path)
        #expect(first.path != other.path)
        #expect(Set(try cache.variants(of: original).map(\.path)) == [first.path, other.path])
        #expect((first.facts.width, first.facts.height, first.bytes) == (3, 2, 2))
        #expect(Surroundings.mode(first.path) == 0o600)
        #expect(world.files("partial").isEmpty)
        #expect(try cache.statistics()[.variantsMade] == 2)
        #expect(try cache.statistics()[.variantHits] == 1)
    }

    @Test func digestIsComputedWhileAVariantIsWritten() throws {
        let cache = try world.cache()
        let original = try cache.store(MemorySource(picture()), key: key("moon")).entry

        _ = try cache.variant(of: key("moon"), options: "w=3", make: make)

        #expect(try cache.variants(of: original).map(\.sha256) == [SHA256.hex(of: "\(original.bytes)")])
    }

    @Test func variantOfChangedContentIsReplaced() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture(1, bytes: 100)), key: key("moon"))
        let first = try cache.variant(of: key("moon"), options: "w=3", make: make)
        _ = try cache.store(MemorySource(picture(2, bytes: 200)), key: key("moon"))

        let second = try cache.variant(of: key("moon"), options: "w=3", make: make)

        #expect(second.isNew)
        #expect(try Surroundings.contents(first.path) == Array("100".utf8))
        #expect(try Surroundings.contents(second.path) == Array("200".utf8))
    }

    @Test func variantIsRemovedWithItsOriginal() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        _ = try cache.variant(of: key("moon"), options: "w=3", make: make)

        try cache.remove(key("moon"))

        #expect(world.files("scopes").isEmpty)
        #expect(try cache.statistics().entries == 0)
    }

    @Test func removedOriginalCannotBeOpened() throws {
        let cache = try world.cache()
        let original = try cache.store(MemorySource(picture()), key: key("moon")).entry
        #expect(try cache.open(original).bytes(0..<original.bytes) == picture())
        try cache.remove(key("moon"))

        let error = #expect(throws: CacheFailure.self) { try cache.open(original) }
        #expect(error == .absent(key: "moon"))
        #expect(error?.exitCode == .absent)
    }

    @Test func originalWithoutItsFileIsAMiss() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        let original = try #require(try cache.lookup(key("moon")))
        Surroundings.removeTree(world.root + "/scopes")

        #expect(throws: CacheFailure.absent(key: "moon")) { try cache.open(original) }
        #expect(try cache.lookup(key("moon")) == nil)
    }

    @Test func failedVariantLeavesNoFile() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        #expect(throws: UsageFailure.self) {
            try cache.variant(of: key("moon"), options: "w=3") { original, sink in
                _ = try make(original, sink)
                throw UsageFailure("no")
            }
        }

        #expect(world.files("partial").isEmpty)
        #expect(world.files("scopes").count == 1)
    }

    @Test func concurrentRequestsForAVariantMakeItOnce() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        let made = Monitor(0)

        let results = try together(8) { [world] _ in
            try world.cache().variant(of: key("moon"), options: "w=3") { original, sink in
                made.update { $0 += 1 }
                return try make(original, sink)
            }.path
        }

        #expect(Set(try results.map { try $0.get() }).count == 1)
        #expect(made.withLock { $0 } == 1)
    }

    @Test func missingVariantsAreMadeInOneBatch() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        _ = try cache.variant(of: key("moon"), options: "w=2", make: make)

        var asked: [[Int]] = []
        let ready = try cache.variants(
            of: key("moon"), options: ["w=1", "w=2", "w=3"], reversed: true, asked: { asked.append($0) }, make: make)

        #expect(asked == [[0, 2]])
        #expect(ready.map(\.index) == [1, 2, 0])
        #expect(ready.map(\.file.isNew) == [false, true, true])
        #expect(world.files("partial").isEmpty && world.files("locks") == ["all"])
    }

    @Test func variantsFinishedBeforeAFailureStay() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        var isFirst = true

        #expect(throws: UsageFailure.self) {
            try cache.variants(of: key("moon"), options: ["w=1", "w=2"]) { original, sink in
                if !isFirst { throw UsageFailure("no") }
                isFirst = false
                return try make(original, sink)
            }
        }

        #expect(try !cache.variant(of: key("moon"), options: "w=1", make: make).isNew)
        #expect(try cache.variant(of: key("moon"), options: "w=2", make: make).isNew)
    }

    @Test func finishedVariantIsAvailableBeforeTheWholeBatch() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        try cache.variants(of: key("moon"), options: ["w=1", "w=2"]) { original, sink in
            // While the second variant is being written, other processes can use the first.
            if try cache.statistics()[.variantsMade] == 1 {
                #expect(try !world.cache().variant(of: key("moon"), options: "w=1", make: make).isNew)
                let lock = try KeyLock.ifFree(
                    root: cache.index.root, CacheRoot.lock(key("moon").variantName("w=1"), in: cache.scope))
                #expect(lock != nil)
            }
            return try make(original, sink)
        }
    }

    @Test func makingAVariantFailsIfAnotherProcessPurgesTheScope() throws {
        let cache = try world.cache(scope: "alice")
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        #expect(throws: CacheFailure.scopeChanged(scope: "alice")) {
            try cache.variant(of: key("moon"), options: "w=3") { original, sink in
                let made = try make(original, sink)
                _ = try world.cache(scope: "bob").scopes.purge(ScopeName("alice"))
                try world.cache(scope: "bob").scopes.finishPurges()
                return made
            }
        }

        #expect(world.files("scopes").isEmpty && world.files("partial").isEmpty)
    }

    @Test func failureOfAVariantIsRethrown() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        #expect(throws: SystemFailure(errno: 28, "write")) {
            try cache.variant(of: key("moon"), options: "w=3") { _, _ in throw SystemFailure(errno: 28, "write") }
        }
    }

    @Test func variantFailsIfItsRootIsRemovedWhileItIsMade() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        let error = #expect(throws: CacheFailure.self) {
            try cache.variant(of: key("moon"), options: "w=3") { original, sink in
                Surroundings.removeTree(world.root)
                return try make(original, sink)
            }
        }

        #expect(error?.exitCode == .io)
        #expect(world.files("scopes").isEmpty && world.files("partial").isEmpty)
    }

    @Test func requestsForOverlappingVariantsDoNotDeadlock() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        let made = Monitor(0)

        let results = try together(8) { [world] number in
            let sizes = number % 2 == 0 ? [1, 2, 3, 4] : [4, 3, 2, 1]
            try world.cache().variants(of: key("moon"), options: sizes.map { "w=\($0)" }) { original, sink in
                made.update { $0 += 1 }
                return try make(original, sink)
            }
        }

        for result in results { _ = try result.get() }
        #expect(made.withLock { $0 } == 4)
        #expect(try cache.statistics()[.variantsMade] == 4)
    }

    // MARK: Entries without an original

    @Test func generatedEntryIsMadeOnceAndFoundByItsKey() throws {
        let cache = try world.cache()
        func entry() throws -> MadeFile {
            var file: MadeFile?
            let sinks = try CacheDestination(cache).open(["drawn:moon"]) { file = $1 }
            if let sink = sinks[0] {
                try sink.write(Array("moon".utf8))
                file = try sink.commit(FileFacts(contentType: "image/png", fileExtension: "png"))
            }
            return try #require(file)
        }

        let (first, second) = (try entry(), try entry())

        #expect(first.isNew && !second.isNew && first.path == second.path)
        let found = try #require(try cache.lookup(key("drawn:moon")))
        #expect(found.path == first.path && found.kind == .original && found.sha256 == SHA256.hex(of: "moon"))
        #expect(found.expiresAt == world.time.now + CacheSettings(root: world.root).ttl)
        #expect(try cache.statistics()[.stored] == 1)
        #expect(try cache.statistics()[.misses] == 1)
    }
}
