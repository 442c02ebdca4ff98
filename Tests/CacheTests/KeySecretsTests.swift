import HTTP
import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Keys of addresses that contain secrets.
@Suite struct KeySecretsTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private let address = "https://pictures.example/a.gif?pin=1234&w=9"
    private var file: String { world.root + "/key-secret" }

    private func secrets(makes: Bool = true, _ change: (inout CacheSettings) -> Void = { _ in }) -> KeySecrets {
        var settings = CacheSettings(root: world.root)
        change(&settings)
        return KeySecrets(of: settings, makes: makes)
    }

    private func key(_ address: String, _ secrets: KeySecrets) throws -> CacheKey {
        try CacheKey(url: WebURL(address), secrets: secrets)
    }

    @Test func secretIsCreatedOnceAndReadableOnlyByItsOwner() throws {
        let first = try key(address, secrets())
        #expect(Surroundings.mode(file) == 0o600)
        let bytes = try Surroundings.contents(file)
        #expect(bytes.count == 32 && Set(bytes).count > 8)
        #expect(try key(address, secrets()) == first && key(address, secrets(makes: false)) == first)
        #expect(try Surroundings.contents(file) == bytes)
        let digest = HMAC.hex(of: Array("1234".utf8), key: bytes).prefix(32)
        #expect(first.text == "https://pictures.example/a.gif?pin=sha256-\(digest)&w=9")
        #expect(Surroundings.entries(of: world.root).allSatisfy { !$0.hasPrefix(".") })
    }

    @Test func addressWithoutSecretsCreatesNoSecretFile() throws {
        #expect(try key("https://pictures.example/a.gif?w=1500&h=1000", secrets()).legacyKey == nil)
        #expect(try !File.exists(world.root))
    }

    @Test func lookupWithoutASecretFileCreatesNothing() throws {
        let looked = try key(address, secrets(makes: false))
        #expect(try !File.exists(world.root))
        #expect(try key(address, secrets()) != looked)
    }

    @Test func concurrentCachesShareASecret() throws {
        let keys = Monitor(Set<String>())
        let threads = try (0..<16).map { _ in
            try Thread.start { [self] in
                if let key = try? key(address, secrets()) { keys.withLock { _ = $0.insert(key.text) } }
            }
        }
        for thread in threads { thread.join() }
        #expect(keys.withLock { $0.count } == 1)
    }

    @Test func eachRootHasItsOwnSecret() throws {
        let other = secrets { $0.root = world.folder + "/other" }
        #expect(try key(address, secrets()) != key(address, other))
    }

    @Test func damagedSecretFileIsReportedAndKept() throws {
        _ = try key(address, secrets())
        try #require(truncate(file, 7) == 0)
        #expect(throws: CacheFailure.self) { try key(address, secrets()) }
        #expect(try Surroundings.contents(file).count == 7)
    }

    @Test func secretSurvivesALostIndex() throws {
        let server = FakeServer(picture())
        let entry = try world.cache().fetch(HTTPRequest(address), client: world.client(server)).entry
        world.loseIndex()
        let again = try world.cache().fetch(HTTPRequest(address), client: world.client(server))
        #expect(again.status == .hit && again.entry.path == entry.path)
        #expect(entry.url == "https://pictures.example/a.gif?pin=***&w=9")
    }

    /// Earlier keys contained a plain digest of the secret, or the secret itself if its parameter name was unknown.
    @Test(arguments: ["token", "sid", "author"])
    func entryUnderAKeyOfAnEarlierVersionIsFound(_ name: String) throws {
        let address = "https://pictures.example/a.gif?\(name)=1234&w=9"
        let digest = SHA256.hex(of: "1234").prefix(16)
        let former = "https://pictures.example/a.gif?\(name)=\(name == "sid" ? "1234" : "sha256-\(digest)")&w=9"
        let cache = try world.cache()
        let old = try cache.store(MemorySource(picture()), key: CacheKey(printed: former), url: former).entry
        _ = try cache.setPinned(old, true)
        _ = try cache.variant(of: CacheKey(printed: former), options: "w=3") { _, sink in
            try sink.write(png)
            return FileFacts(contentType: "image/png", fileExtension: "png", width: 1, height: 1)
        }
        let server = FakeServer(picture(1))
        // A lookup without a secret file serves the entry, but does not rename a key that contains a digest.
        let looked = try cache.lookup(key(address, secrets(makes: false)))
        #expect(looked?.sha256 == old.sha256 && looked?.key == (name == "author" ? address : former))
        let key = try key(address, secrets())
        #expect(key.legacyKey == former)
        let found = try cache.lookup(key)
        #expect(found?.sha256 == old.sha256 && found?.isPinned == true)
        #expect(found?.key == key.text && found?.url?.contains(text: "1234") != true)
        #expect(try cache.row(CacheKey(printed: former).name) == nil)
        #expect(try cache.variants(of: #require(found)).count == 1)
        let again = try cache.fetch(HTTPRequest(address), client: world.client(server))
        #expect(again.status == .hit && server.requests.isEmpty)
        #expect(try cache.remove(key) && world.files("scopes").isEmpty)
    }

    @Test func memoryAndDisabledPoliciesCreateNoSecretInTheRoot() throws {
        let places = RuntimePlaces(
            memory: ["/dev/shm/apod-tools-test-\(getpid())-\(UInt32.random(in: 0...9999))"], ephemeral: [])
        defer { Surroundings.removeTree(places.memory[0]) }
        func inMemory() -> KeySecrets {
            secrets {
                $0.places = places
                $0.policies = Policies(standard: .memory)
            }
        }
        #expect(try key(address, inMemory()) == key(address, inMemory()))
        #expect(Surroundings.mode(places.memory[0] + "/key-secret") == 0o600)
        _ = try key(address, secrets { $0.policies = Policies(standard: .disabled) })
        #expect(try !File.exists(world.root))
    }
}
