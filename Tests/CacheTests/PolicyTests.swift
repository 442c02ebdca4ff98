import HTTP
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// The files that each policy leaves, and the precedence of policies.
@Suite struct PolicyTests {
    private let surroundings: Surroundings
    private let folder: TemporaryFolder

    init() throws {
        surroundings = try Surroundings()
        folder = try TemporaryFolder()
    }

    private func caches(
        _ policies: Policies, memory: [String] = [], scope: String? = nil, offline: Bool = false
    ) throws -> Caches {
        var settings = CacheSettings(
            root: surroundings.root, scope: try scope.map(ScopeName.init),
            places: RuntimePlaces(memory: memory, ephemeral: [folder.path("bypass")]))
        settings.policies = policies
        settings.isOffline = offline
        return Caches(settings: settings, clock: surroundings.time.clock, interruption: surroundings.interruption)
    }

    private func ephemeralStore(_ caches: Caches) throws -> EphemeralStore {
        guard case .ephemeral(let store) = try caches.storage(.disabled) else {
            throw CacheFailure.fault(detail: "the policy disabled has a cache")
        }
        return store
    }

    private func rule(_ text: String) throws -> Policies.Rule { try #require(Policies.Rule(text)) }

    // MARK: Rules

    @Test func firstMatchingRuleApplies() throws {
        let policies = Policies(
            standard: .memory,
            rules: [try rule("*/public/*=enabled"), try rule("/secret/=disabled"), try rule("secret=memory")])

        #expect(policies.policy(for: "https://a.example/secret/public/x.jpg") == .enabled)
        #expect(policies.policy(for: "https://a.example/secret/x.jpg") == .disabled)
        #expect(policies.policy(for: "https://secret.example/x.jpg") == .memory)
        #expect(policies.policy(for: "https://a.example/x.jpg") == .memory)
    }

    @Test func lastEqualsSignEndsThePattern() throws {
        let rule = try rule("id=7=disabled")

        #expect(rule.pattern.description == "id=7" && rule.policy == .disabled)
    }

    @Test(arguments: ["", "disabled", "=disabled", "x=", "x=off", "x=Disabled"])
    func invalidRuleIsRefused(_ text: String) {
        #expect(Policies.Rule(text) == nil)
    }

    // MARK: In memory

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func runStoresNothingInMemoryAfterAScopeSwitch() throws {
        let memory = try TemporaryFolder(in: TemporaryFolder.memory)
        func caches(scope: String? = nil) throws -> Caches {
            try self.caches(Policies(standard: .memory), memory: [memory.path("apod-tools")], scope: scope)
        }
        let unnamed = try caches()
        let cache = try unnamed.standard()
        _ = try cache.store(MemorySource(picture(1)), key: key("moon"))

        _ = try unnamed.cache().scopes.makeCurrent(ScopeName("bob"))

        #expect(throws: CacheFailure.scopeChanged(scope: "default")) {
            try cache.store(MemorySource(picture(2)), key: key("mars"))
        }
        #expect(
            try caches(scope: "default").standard().store(MemorySource(picture(2)), key: key("mars")).status == .miss)
        #expect(try caches().standard().scope.text == "bob")
    }

    // MARK: Disabled

    @Test func disabledPolicyLeavesNothingInTheRoot() throws {
        let caches = try caches(Policies(standard: .disabled))
        let server = FakeServer(picture())
        let client = surroundings.client(server)
        let request = try HTTPRequest("https://pictures.example/a.gif")

        let first = try ephemeralStore(caches).fetch(request, client: client)
        let second = try ephemeralStore(caches).fetch(request, client: client)

        #expect(server.requests.count == 2)
        #expect(first.path != second.path && first.sha256 == second.sha256 && first.bytes == 64)
        #expect(try Surroundings.contents(first.path) == picture())
        #expect(first.path.hasPrefix(folder.path("bypass/")))
        #expect(first.leaseUntil == surroundings.time.now + .seconds(600) && first.expiresAt == first.leaseUntil)
        #expect(first.scope == .standard && first.url == "https://pictures.example/a.gif")
        #expect(!TestFile.exists(surroundings.root))
    }

    @Test func ephemeralFileIsRemovedAfterItsLease() throws {
        let caches = try caches(Policies())
        let entry = try ephemeralStore(caches).store(MemorySource(picture()), key: key("a"))
        let places = caches.settings.places

        places.sweep(now: entry.leaseUntil - .milliseconds(1))
        #expect(TestFile.exists(entry.path))
        places.sweep(now: entry.leaseUntil)
        #expect(!TestFile.exists(entry.path))
    }

    @Test func longRunRemovesItsOwnExpiredFiles() throws {
        let store = try ephemeralStore(caches(Policies()))
        let first = try store.store(MemorySource(picture()), key: key("a"))
        surroundings.time.advance(.seconds(601))

        let second = try store.store(MemorySource(picture()), key: key("a"))
        #expect(!TestFile.exists(first.path) && TestFile.exists(second.path))
    }

    @Test func invalidOrBrokenBodyLeavesNoFile() throws {
        let store = try ephemeralStore(caches(Policies()))
        let request = try HTTPRequest("https://pictures.example/a.gif")
        let page = FakeServer(Array("<html>".utf8))
        let broken = FakeServer { _, _ in .init(body: picture(), breaksAfter: 40) }

        for server in [page, broken] {
            #expect(throws: (any Error).self) { try store.fetch(request, client: surroundings.client(server)) }
        }
        #expect(folder.contents() == ["bypass"])
    }

    @Test func retryRestartsTheFile() throws {
        let store = try ephemeralStore(caches(Policies()))
        let server = FakeServer { _, number in .init(body: picture(), breaksAfter: number == 0 ? 40 : nil) }

        let entry = try store.fetch(
            try HTTPRequest("https://pictures.example/a.gif"), client: surroundings.client(server, retries: 1))
        #expect(try Surroundings.contents(entry.path) == picture())
        #expect(server.requests.allSatisfy { $0.rangeStart == nil })
    }

    @Test func disabledPolicyFailsOffline() throws {
        let store = try ephemeralStore(caches(Policies(), offline: true))
        let server = FakeServer(picture())

        #expect(throws: CacheFailure.offline(key: "https://pictures.example/a.gif")) {
            try store.fetch(
                try HTTPRequest("https://pictures.example/a.gif"), client: surroundings.client(server))
        }
        #expect(server.requests.isEmpty)
    }

    @Test func folderRemovedDuringARunIsCreatedAgain() throws {
        let store = try ephemeralStore(caches(Policies()))
        _ = try store.store(MemorySource(picture()), key: key("a"))
        Surroundings.removeTree(folder.path("bypass"))

        let entry = try store.store(MemorySource(picture()), key: key("a"))
        #expect(TestFile.exists(entry.path))
    }

    @Test func ephemeralStoreUsesTheCurrentScope() throws {
        let index = try surroundings.cache().index
        try index.write(now: surroundings.time.now) {
            _ = try $0.database.run("INSERT INTO settings VALUES ('current_scope', 'alice')")
        }

        #expect(try ephemeralStore(caches(Policies())).scope.text == "alice")
        #expect(try ephemeralStore(caches(Policies(), scope: "bob")).scope.text == "bob")
    }

    // MARK: In memory

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func memoryPolicyUsesASeparateCache() throws {
        let memory = try TemporaryFolder(in: TemporaryFolder.memory)
        let caches = try caches(Policies(standard: .memory), memory: [memory.path("root")])
        let server = FakeServer(picture())
        let request = try HTTPRequest("https://pictures.example/a.gif")
        guard case .cache(let cache) = try caches.storage(for: request.url) else {
            throw CacheFailure.fault(detail: "the policy memory has no cache")
        }

        let (entry, status) = try cache.fetch(request, client: surroundings.client(server))
        #expect(status == .miss && entry.path.hasPrefix(memory.path("root/")))
        #expect(try cache.fetch(request, client: surroundings.client(server)).status == .hit)
        #expect(cache.settings.capacity == 100_000_000)
        #expect(!TestFile.exists(surroundings.root))
    }

    // MARK: Variants

    @Test(.enabled(if: TemporaryFolder.memory != nil, "there is no memory-backed folder"))
    func variantsAreStoredWithTheirPicture() throws {
        let memory = try TemporaryFolder(in: TemporaryFolder.memory)
        let folder = memory.path("root")
        let root = "\(folder)/\(MemoryPlace.name(root: surroundings.root, scope: .standard))"
        let rules = [try rule("/secret/*=disabled"), try rule("/fleeting/*=memory")]
        let caches = try caches(Policies(rules: rules), memory: [folder])
        let original = try ephemeralStore(caches).store(MemorySource(picture()), key: key("a"))

        func kept(_ path: String, from address: String? = nil, isEphemeral: Bool = false) throws -> String? {
            switch try caches.storage(forVariantsOf: path, address: address, isEphemeral: isEphemeral) {
            case .cache(let cache): cache.root
            case .ephemeral: nil
            }
        }

        #expect(try kept(original.path) == nil)
        #expect(try kept("\(self.folder.path)/bypass/../bypass/\(name(original))") == nil)
        #expect(try kept("/somewhere/a.jpg", isEphemeral: true) == nil)
        #expect(try kept("\(root)/scopes/x/a.jpg") == root)
        #expect(try kept("\(root)/scopes/x/a.jpg", from: "https://a.example/secret/a.jpg") == nil)
        #expect(try kept("\(surroundings.root)/scopes/x/a.jpg", from: "https://a.example/fleeting/a.jpg") == root)
        #expect(
            try kept("\(surroundings.root)/scopes/x/a.jpg", from: "https://a.example/a.jpg") == surroundings.root)
        #expect(try kept("/secret/a.jpg") == nil)
    }

    private func name(_ entry: Entry) -> Substring { entry.path.split(separator: "/").last ?? "" }

    @Test func placeholderUsesTheStrictestPolicyOfItsAddresses() throws {
        let caches = try caches(Policies(rules: [try rule("/secret/*=disabled")]))
        let addresses = [try WebURL("https://a.example/a.jpg"), try WebURL("https://a.example/secret/a.jpg")]

        guard case .ephemeral = try caches.storage(forStandInOf: addresses),
            case .cache = try caches.storage(forStandInOf: [addresses[0]]),
            case .cache = try caches.storage(forStandInOf: [])
        else {
            Issue.record("a placeholder has the wrong storage")
            return
        }
    }
}
