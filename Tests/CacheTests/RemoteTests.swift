import Formats
import HTTP
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Caches of several roots that share a remote.
@Suite struct RemoteTests {
    private let here: Surroundings
    private let there: Surroundings
    private let remote = FakeRemote()
    private let moon: HTTPRequest

    init() throws {
        here = try Surroundings()
        there = try Surroundings()
        moon = try HTTPRequest("https://pictures.example/moon.gif")
    }

    private func cache(_ world: Surroundings, _ change: (inout CacheSettings) -> Void = { _ in }) throws -> CacheStore {
        var settings = CacheSettings(root: world.root)
        change(&settings)
        return try CacheStore(
            settings: settings, remote: remote, clock: world.time.clock,
            log: Log(tool: "test", threshold: .detail, write: world.messages.add), interruption: world.interruption,
            inspect: CacheStore.wholePictureOrMovie)
    }

    @Test func entryFetchedInOneRootIsAHitInAnother() throws {
        let server = FakeServer(picture(1), etag: "\"1\"")
        _ = try cache(here).fetch(moon, client: here.client(server))
        let cache = try cache(there)
        let (entry, status) = try cache.fetch(moon, client: there.client(server))
        #expect(status == .hit)
        #expect(entry.isFromRemote)
        #expect(try Surroundings.contents(entry.path) == picture(1))
        #expect(entry.validators.etag == "\"1\"")
        #expect(entry.url == "https://pictures.example/moon.gif")
        #expect(server.requests.count == 1)
        let counts = try cache.statistics()
        #expect(counts[.remoteHits] == 1 && counts[.hits] == 1 && counts[.misses] == 0)
        #expect(counts[.bytesFromRemote] == picture(1).count)
        // The entry is now stored in the local root too.
        remote.state.withLock { $0.fails = true }
        let second = try cache.fetch(moon, client: there.client(server))
        #expect(second.status == .hit && !second.entry.isFromRemote)
    }

    @Test func expiredRemoteEntryIsRevalidatedByItsETag() throws {
        let server = FakeServer { request, _ in
            request.header("If-None-Match") == "\"1\""
                ? .init(status: 304, headers: [("ETag", "\"1\"")])
                : .init(headers: [("ETag", "\"1\"")], body: picture())
        }
        _ = try cache(here) { $0.ttl = .seconds(100) }.fetch(moon, client: here.client(server))
        there.time.advance(.seconds(200))
        let (_, status) = try cache(there).fetch(moon, client: there.client(server))
        #expect(status == .revalidated)
        #expect(server.requests.count == 2)
        // Other roots see the revalidation.
        here.time.advance(.seconds(200))
        let again = try cache(here).fetch(moon, client: here.client(server))
        #expect(again.status == .hit && again.entry.isFromRemote)
        #expect(server.requests.count == 2)
    }

    @Test func remoteEntryExpiresNoLaterThanANewDownload() throws {
        let server = FakeServer(picture())
        _ = try cache(here) { $0.ttl = .seconds(1000) }.fetch(moon, client: here.client(server))
        let first = try cache(there) { $0.ttl = .seconds(100) }.fetch(moon, client: there.client(server))
        #expect(first.entry.isFromRemote)
        #expect(first.entry.expiresAt == there.time.clock.now() + .seconds(100))
        // The remote document may shorten the lifetime.
        let third = try Surroundings()
        third.time.advance(.seconds(950))
        let second = try cache(third) { $0.ttl = .seconds(100) }.fetch(moon, client: third.client(server))
        #expect(second.status == .hit && second.entry.expiresAt == here.time.clock.now() + .seconds(1000))
        // An entry that has no expiry in the remote gets the expiry of a new download.
        remote.state.withLock { state in
            for name in state.documents.keys { state.documents[name]?.expiresAt = nil }
        }
        let fourth = try Surroundings()
        let last = try cache(fourth) { $0.ttl = .seconds(100) }.fetch(moon, client: fourth.client(server))
        #expect(last.status == .hit && last.entry.expiresAt == fourth.time.clock.now() + .seconds(100))
        #expect(server.requests.count == 1)
    }

    @Test func remoteDocumentFromTheFutureIsIgnored() throws {
        let server = FakeServer(picture())
        here.time.advance(.seconds(86_400))
        _ = try cache(here).fetch(moon, client: here.client(server))
        #expect(try cache(there).fetch(moon, client: there.client(server)).status == .miss)
    }

    @Test func expiredRemoteEntryIsServedIfTheServerIsDown() throws {
        let server = FakeServer { _, number in number == 0 ? .init(body: picture()) : .init(status: 503) }
        _ = try cache(here) { $0.ttl = .seconds(100) }.fetch(moon, client: here.client(server))
        there.time.advance(.seconds(200))
        let (entry, status) = try cache(there).fetch(moon, client: there.client(server))
        #expect(status == .stale && entry.isFromRemote)
    }

    @Test(arguments: ["other bytes", "cut short", "no picture", "none"])
    func damagedRemotePictureIsFetchedFromTheServer(_ damage: String) throws {
        let server = FakeServer(picture(1))
        _ = try cache(here).fetch(moon, client: here.client(server))
        remote.state.withLock { state in
            for (sha256, bytes) in state.contents {
                switch damage {
                case "other bytes": state.contents[sha256] = picture(2)
                case "cut short": state.contents[sha256] = Array(bytes.prefix(20))
                case "no picture": state.contents[sha256] = Array("<html>please log in</html>".utf8)
                default: state.contents[sha256] = nil
                }
            }
        }
        let cache = try cache(there)
        let (entry, status) = try cache.fetch(moon, client: there.client(server))
        #expect(status == .miss && !entry.isFromRemote)
        #expect(try Surroundings.contents(entry.path) == picture(1))
        #expect(server.requests.count == 2)
        #expect(try cache.statistics()[.remoteDamaged] == (damage == "none" ? 0 : 1))
        #expect(remote.state.withLock { $0.damage.count } == (damage == "none" ? 0 : 1))
        // The download replaces the damaged bytes in the remote.
        #expect(remote.state.withLock { Array($0.contents.values) }.contains(picture(1)))
        #expect(there.files("partial").isEmpty)
    }

    @Test func failingRemoteIsIgnored() throws {
        remote.state.withLock { $0.fails = true }
        let cache = try cache(here)
        let (_, status) = try cache.fetch(moon, client: here.client(FakeServer(picture())))
        #expect(status == .miss)
        #expect(try cache.statistics()[.remoteErrors] == 1)
    }

    @Test(arguments: [("Cache-Control", "private"), ("Cache-Control", "no-store")])
    func privateAnswerIsNotShared(_ name: String, _ value: String) throws {
        let server = FakeServer { _, _ in .init(headers: [(name, value)], body: picture()) }
        _ = try cache(here).fetch(moon, client: here.client(server))
        #expect(remote.state.withLock { $0.documents.isEmpty })
    }

    @Test func answerToARequestWithCredentialsIsNotShared() throws {
        var request = moon
        request.headers = [HTTPHeader("Authorization", "Bearer secret")]
        _ = try cache(here).fetch(request, client: here.client(FakeServer(picture())))
        #expect(remote.state.withLock { $0.documents.isEmpty && $0.asked == 0 })
        // The answer is shared if the caller states that all users get the same answer.
        let client = there.client(FakeServer(picture()))
        _ = try cache(there).fetch(request, client: client, change: { $0.sharesWithCredentials = true })
        #expect(remote.state.withLock { $0.documents.count } == 1)
    }

    /// The entry is not shared even if the caller states that all users get the same answer.
    @Test(arguments: ["pin=1234", "sid=a", "X-Amz-Date=1", "w=1500&st=x", "url=https%3A%2F%2Fx%2F%3Ftoken%3D1"])
    func entryWithASecretInItsAddressIsNeverShared(_ query: String) throws {
        let request = try HTTPRequest("https://pictures.example/moon.gif?\(query)")
        let cache = try cache(here)
        let client = here.client(FakeServer(picture()))
        let entry = try cache.fetch(request, client: client, change: { $0.sharesWithCredentials = true }).entry
        _ = try cache.variant(of: CacheKey(printed: #require(entry.key)), options: "w=3") { _, sink in
            try sink.write(png)
            return FileFacts(contentType: "image/png", fileExtension: "png", width: 1, height: 1)
        }
        for entry in try cache.allEntries() { #expect(try cache.remoteOffer(of: entry) == nil) }
        #expect(remote.state.withLock { $0.documents.isEmpty && $0.asked == 0 })
        let plain = try HTTPRequest("https://pictures.example/moon.gif?w=1500&h=1000#top")
        _ = try cache.fetch(plain, client: here.client(FakeServer(picture(1))))
        #expect(remote.state.withLock { $0.documents.values.map(\.url) } == [plain.url.redacted])
        #expect(plain.url.redacted == "https://pictures.example/moon.gif?w=1500&h=1000")
    }

    @Test func privateEntryStaysLocalAfterRevalidation() throws {
        var request = moon
        request.headers = [HTTPHeader("Authorization", "Bearer secret")]
        let server = FakeServer { request, _ in
            if request.header("If-None-Match") != nil { return .init(status: 304, headers: [("ETag", "\"1\"")]) }
            return .init(headers: [("ETag", "\"1\""), ("Cache-Control", "private")], body: picture())
        }
        let mars = try HTTPRequest("https://pictures.example/mars.gif")
        let cache = try cache(here) { $0.ttl = .seconds(100) }
        for request in [request, mars] {
            let entry = try cache.fetch(request, client: here.client(server)).entry
            #expect(try cache.remoteOffer(of: entry) == nil)
            _ = try cache.variant(of: CacheKey(url: request.url), options: "w=3") { _, sink in
                try sink.write(png)
                return FileFacts(contentType: "image/png", fileExtension: "png", width: 1, height: 1)
            }
        }
        // A 304 response may omit fields of the original response.
        here.time.advance(.seconds(200))
        #expect(try cache.fetch(mars, client: here.client(server)).status == .revalidated)
        #expect(remote.state.withLock { $0.documents.isEmpty })
    }

    @Test func localFilesOtherScopesAndOfflineRunsShareNothing() throws {
        let server = FakeServer(picture())
        _ = try cache(here) { $0.scope = try? ScopeName("alice") }.fetch(moon, client: here.client(server))
        _ = try cache(here).store(MemorySource(picture()), key: CacheKey(printed: "file:///tmp/moon.gif"))
        let offline = try cache(there) { $0.isOffline = true }
        _ = try? offline.fetch(moon, client: there.client(server))
        #expect(remote.state.withLock { $0.documents.isEmpty && $0.asked == 0 })
        _ = try cache(there).fetch(moon, client: there.client(server))
        let before = remote.state.withLock { ($0.documents.count, $0.asked) }
        _ = try offline.variant(of: CacheKey(url: moon.url), options: "w=3") { _, sink in
            try sink.write(png)
            return FileFacts(contentType: "image/png", fileExtension: "png", width: 1, height: 1)
        }
        #expect(remote.state.withLock { ($0.documents.count, $0.asked) } == before)
    }

    @Test func refreshBypassesTheRemoteAndUpdatesIt() throws {
        let server = FakeServer { _, number in .init(body: picture(number)) }
        _ = try cache(here).fetch(moon, client: here.client(server))
        there.time.advance(.seconds(10))
        let (entry, status) = try cache(there) { $0.refreshes = true }.fetch(moon, client: there.client(server))
        #expect(status == .miss)
        #expect(try Surroundings.contents(entry.path) == picture(1))
        #expect(remote.state.withLock { $0.documents.values.map(\.sha256) } == [entry.sha256])
    }

    @Test func olderRemoteDocumentDoesNotReplaceALocalEntry() throws {
        let server = FakeServer { _, number in .init(headers: [("ETag", "\"\(number)\"")], body: picture(number)) }
        _ = try cache(here) { $0.ttl = .seconds(10) }.fetch(moon, client: here.client(server))
        let old = remote.state.withLock { $0 }
        there.time.advance(.seconds(5))
        _ = try cache(there) {
            $0.ttl = .seconds(10)
            $0.refreshes = true
        }.fetch(moon, client: there.client(server))
        remote.state.update { $0 = old }
        there.time.advance(.seconds(100))
        let cache = try cache(there) { $0.ttl = .seconds(10) }
        let (entry, _) = try cache.fetch(moon, client: there.client(server))
        #expect(try Surroundings.contents(entry.path) == picture(2))
        #expect(try cache.statistics()[.remoteHits] == 0)
    }

    @Test func rootsSendOneRequestIfTheRemoteSupportsClaims() throws {
        remote.state.withLock { $0.claimsAreGiven = true }
        let server = FakeServer(picture())
        server.hold()
        let worlds = try (0..<8).map { _ in try Surroundings() }
        let caches = try worlds.map { try cache($0) }
        let results = Monitor<[CacheStatus]>([])
        let threads = try (0..<8).map { place in
            try Thread.start { [moon] in
                let status = try? caches[place].fetch(moon, client: worlds[place].client(server)).status
                results.withLock { $0.append(status ?? .bypass) }
            }
        }
        server.waitUntilHolding()
        server.release()
        for thread in threads { thread.join() }
        #expect(server.requests.count == 1)
        #expect(results.withLock { $0.filter { $0 == .miss }.count } == 1)
        #expect(results.withLock { $0.filter { $0 == .hit }.count } == 7)
        #expect(remote.state.withLock { $0.claimed.isEmpty })
    }

    @Test func failedFetchReleasesTheClaim() throws {
        remote.state.withLock { $0.claimsAreGiven = true }
        #expect(throws: FetchFailure.self) {
            try cache(here).fetch(moon, client: here.client(FakeServer { _, _ in .init(status: 404) }))
        }
        #expect(remote.state.withLock { $0.claimed.isEmpty })
    }

    @Test func variantsAreMadeOnceForAllRoots() throws {
        let server = FakeServer(picture(1))
        var made = 0
        func make(_ world: Surroundings) throws -> MadeFile {
            let cache = try cache(world)
            let key = CacheKey(url: moon.url)
            _ = try cache.fetch(moon, client: world.client(server))
            return try cache.variant(of: key, options: "w=3") { _, sink in
                made += 1
                try sink.write(png)
                return FileFacts(
                    contentType: "image/png", fileExtension: "png", width: 1, height: 1, details: "blurhash")
            }
        }
        let first = try make(here)
        let second = try make(there)
        #expect(made == 1)
        #expect(first.isNew && !second.isNew)
        #expect(try Surroundings.contents(second.path) == png)
        #expect(second.facts.details == "blurhash" && second.facts.width == 1)
        #expect(try cache(there).statistics()[.variantsMade] == 0)
    }

    @Test func variantThatContradictsItsDocumentIsMadeLocally() throws {
        let server = FakeServer(picture(1))
        let cache = try cache(here)
        let key = CacheKey(url: moon.url)
        _ = try cache.fetch(moon, client: here.client(server))
        var made = 0
        // The picture is one pixel wide, but its document claims two.
        func make(_ cache: CacheStore) throws -> MadeFile {
            try cache.variant(of: key, options: "w=3") { _, sink in
                made += 1
                try sink.write(png)
                return FileFacts(contentType: "image/png", fileExtension: "png", width: 2, height: 1)
            }
        }
        _ = try make(cache)
        let other = try self.cache(there)
        _ = try other.fetch(moon, client: there.client(server))
        _ = try make(other)
        #expect(made == 2)
        #expect(try other.statistics()[.remoteDamaged] == 1)
    }

    @Test func purgeDuringARemoteTransferStoresNothing() throws {
        let server = FakeServer(picture(1))
        _ = try cache(here).fetch(moon, client: here.client(server))
        let cache = try cache(there)
        let purging = PurgingRemote(remote) { _ = try cache.scopes.purge(.standard) }
        let victim = try CacheStore(
            settings: CacheSettings(root: there.root), remote: purging, clock: there.time.clock,
            interruption: there.interruption, inspect: CacheStore.wholePictureOrMovie)
        #expect(throws: CacheFailure.self) { try victim.fetch(moon, client: there.client(server)) }
        #expect(try victim.allEntries().isEmpty)
    }
}

/// A remote that purges the scope after it has sent the bytes.
private final class PurgingRemote: RemoteTier {
    private let base: FakeRemote
    private let purge: @Sendable () throws -> Void

    init(_ base: FakeRemote, purge: @escaping @Sendable () throws -> Void) {
        self.base = base
        self.purge = purge
    }

    func reads(_ scope: ScopeName) -> Bool { true }
    func writes(_ scope: ScopeName) -> Bool { true }
    func document(of name: RemoteName, atMost byteLimit: Int) -> RemoteAnswer<RemoteDocument> {
        base.document(of: name, atMost: byteLimit)
    }
    func content(of document: RemoteDocument, receive: (RawSpan) throws -> Void) throws -> RemoteAnswer<Void> {
        let answer = try base.content(of: document, receive: receive)
        try purge()
        return answer
    }
    func reportDamage(of document: RemoteDocument, after span: Duration, _ reason: String) {}
    func claim(_ name: RemoteName, check: () throws -> Void) throws -> (any RemoteClaim)? { nil }
    func offer(_ offer: RemoteUpload) {}
    func close() {}
}
