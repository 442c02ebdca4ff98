import Formats
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

@Suite struct StoreTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    @Test func storedPictureIsFoundWithItsProperties() throws {
        let cache = try world.cache()
        let bytes = picture(1, bytes: 300_000)

        let (stored, status) = try cache.store(MemorySource(bytes), key: key("moon"), url: "https://pictures.example/m")
        let found = try #require(try cache.lookup(key("moon")))

        #expect(status == .miss)
        #expect(found.path == stored.path)
        #expect(found.key == "moon")
        #expect(found.bytes == 300_000)
        #expect(found.contentType == "image/gif")
        #expect(found.sha256 == (try BlobStore.sha256(of: MemorySource(bytes))))
        #expect((found.width, found.height) == (1, 1))
        #expect(found.url == "https://pictures.example/m")
        #expect(found.expiresAt == stored.expiresAt)
        #expect(try Surroundings.contents(found.path) == bytes)
        #expect(found.path.hasSuffix(".gif"))
    }

    @Test func storedEntryIsFoundByTheNextProcess() throws {
        _ = try world.cache().store(MemorySource(picture()), key: key("moon"))

        #expect(try world.cache().lookup(key("moon")) != nil)
        #expect(try world.cache().lookup(key("mars")) == nil)
    }

    @Test func storingTheSameBytesAgainIsAHit() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        #expect(try cache.store(MemorySource(picture()), key: key("moon")).status == .hit)
        #expect(try cache.store(MemorySource(picture(2)), key: key("moon")).status == .miss)
    }

    @Test func changedBytesGetASeparateFile() throws {
        let cache = try world.cache()
        let first = try cache.store(MemorySource(picture(1)), key: key("moon")).entry

        let second = try cache.store(MemorySource(picture(2)), key: key("moon")).entry

        #expect(second.path != first.path)
        #expect(try Surroundings.contents(second.path) == picture(2))
        // The earlier path stays valid until its lease ends.
        #expect(try Surroundings.contents(first.path) == picture(1))
        #expect(try cache.lookup(key("moon")) == second)
        #expect(try cache.statistics().entries == 2)
    }

    @Test func leasedPathStaysAfterAChangeOfFormat() throws {
        let cache = try world.cache()
        let gif = try cache.store(MemorySource(picture()), key: key("moon")).entry

        let stored = try cache.store(MemorySource(png), key: key("moon")).entry

        #expect(stored.path.hasSuffix(".png"))
        #expect(try Surroundings.contents(gif.path) == picture())
        let third = try cache.store(MemorySource(picture(3)), key: key("moon")).entry
        #expect(third.path != gif.path && third.path.hasSuffix(".gif"))
        #expect(try cache.statistics().bytes == picture().count + png.count + picture(3).count)
        #expect(try cache.remove(key("moon")))
        #expect(world.files("scopes").isEmpty)
    }

    @Test func fileWithoutALeaseIsRemovedOnAChangeOfFormat() throws {
        let cache = try world.cache(lease: .zero)
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        _ = try cache.store(MemorySource(png), key: key("moon"))

        #expect(world.files("scopes").count == 1)
        #expect(try cache.statistics().bytes == png.count)
    }

    @Test(arguments: [
        (Array("<!DOCTYPE html><title>404</title>".utf8), "not-an-image"), ([], "empty-body"),
        (Array(png.dropLast(8)), "truncated-image"),
    ])
    func bytesThatAreNotACompletePictureAreNeverStored(_ bytes: [UInt8], code: String) throws {
        let cache = try world.cache()

        let error = #expect(throws: FormatFailure.self) { try cache.store(MemorySource(bytes), key: key("moon")) }

        #expect(error?.code == code)
        #expect(try cache.lookup(key("moon")) == nil)
        #expect(world.files("scopes").isEmpty)
        #expect(world.files("partial").isEmpty)
        #expect(try cache.statistics().scopes.first?.failures == [code: 1])
    }

    @Test func callerMaySupplyItsOwnInspection() throws {
        let cache = try world.cache()

        let entry = try cache.store(MemorySource(Array("anything".utf8)), key: key("text")) { _ in
            FileFacts(contentType: "image/x-test", fileExtension: "bin", details: "{\"frames\":3}")
        }.entry

        #expect(entry.contentType == "image/x-test")
        #expect(entry.details == "{\"frames\":3}")
        #expect(entry.width == nil)
    }

    @Test func fileExtensionWithAPathIsRefused() throws {
        let cache = try world.cache()

        #expect(throws: CacheFailure.self) {
            try cache.store(MemorySource(picture()), key: key("moon")) { _ in
                FileFacts(contentType: "image/gif", fileExtension: "../x")
            }
        }
    }

    @Test func filesAndFoldersAreReadableOnlyByTheUser() throws {
        _ = try world.cache().store(MemorySource(picture()), key: key("moon"))

        for file in world.files("") { #expect(Surroundings.mode("\(world.root)/\(file)") == 0o600, "\(file)") }
        for folder in ["", "/scopes", "/partial", "/locks", "/scopes/\(ScopeName.standard.hash)"] {
            #expect(Surroundings.mode(world.root + folder) == 0o700, "\(folder)")
        }
        #expect(
            try Surroundings.contents(world.root + "/CACHEDIR.TAG").starts(
                with: Array("Signature: 8a477f597d28d172789f06886806bc55".utf8)))
    }

    @Test func locksAndPartialFilesDoNotAccumulate() throws {
        let cache = try world.cache()

        for number in 0..<5 { _ = try cache.store(MemorySource(picture(number)), key: key("\(number)")) }

        #expect(world.files("locks") == ["all"])
        #expect(world.files("partial").isEmpty)
    }

    @Test func entriesAreNotSharedBetweenScopes() throws {
        let one = try world.cache(scope: "one")
        let two = try world.cache(scope: "two")
        let entry = try one.store(MemorySource(picture(1)), key: key("moon")).entry

        #expect(try two.lookup(key("moon")) == nil)
        let other = try two.store(MemorySource(picture(1)), key: key("moon")).entry
        #expect(other.path != entry.path)
        #expect(try two.remove(key("moon")))
        #expect(try one.lookup(key("moon")) != nil)
        #expect(try one.allEntries().map(\.key) == ["moon"])
    }

    @Test func listingReturnsEveryEntryOnce() throws {
        let cache = try world.cache()
        for number in 0..<300 { _ = try cache.store(MemorySource(picture(number)), key: key("\(number)")) }

        let keys = try cache.allEntries().map(\.key)

        #expect(keys.count == 300)
        #expect(Set(keys).count == 300)
    }

    @Test func removingAnEntryRemovesItsFile() throws {
        let cache = try world.cache()
        _ = try cache.store(MemorySource(picture()), key: key("moon"))

        #expect(try cache.remove(key("moon")))

        #expect(try !cache.remove(key("moon")))
        #expect(try cache.lookup(key("moon")) == nil)
        #expect(world.files("scopes").isEmpty)
        #expect(try cache.statistics().bytes == 0)
    }

    @Test func countersCountEachLookupAndStore() throws {
        let cache = try world.cache()
        _ = try cache.lookup(key("moon"))
        _ = try cache.store(MemorySource(picture()), key: key("moon"))
        for _ in 0..<3 { _ = try cache.lookup(key("moon")) }
        cache.close()

        let statistics = try world.cache().statistics()

        #expect(statistics[.hits] == 3)
        #expect(statistics[.misses] == 2)
        #expect(statistics[.stored] == 1)
        #expect(statistics[.bytesServed] == 3 * picture().count)
        #expect(statistics.scopes.first?.since == world.time.now)
    }
}
