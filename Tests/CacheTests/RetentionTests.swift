import HTTP
import Libc
import Support
import Testing

@testable import Fetch
@testable import Store
@testable import Tools

/// How long entries are fresh, by our own rule and by the server's.
@Suite struct RetentionTests {
    private let world: Surroundings
    private let moon: HTTPRequest
    private let now = Timestamp(milliseconds: 1_000_000_000)

    init() throws {
        world = try Surroundings()
        moon = try HTTPRequest("https://pictures.example/moon.gif")
    }

    private func retention(_ control: String, respectsServer: Bool = true) -> Retention {
        Retention(
            of: HTTPHeaders(["Cache-Control": control]), now: now, expiry: .after(.seconds(1000)),
            respectsServer: respectsServer)
    }

    @Test func serverShortensTheTimeAndNeverLengthensIt() {
        #expect(retention("max-age=10").expiresAt == now + .seconds(10))
        #expect(retention("max-age=100000").expiresAt == now + .seconds(1000))
        #expect(retention("public").expiresAt == now + .seconds(1000))
        #expect(!retention("public").mustRevalidate)
        #expect(retention("no-cache").expiresAt == now)
        #expect(retention("no-cache").mustRevalidate)
        #expect(retention("max-age=10, must-revalidate").mustRevalidate)
        #expect(!retention("max-age=10").mustRevalidate)
    }

    @Test func whatMustNotBeStoredHasExpiredAtOnceAndNeverStandsInForItsServer() {
        // It is there from a time when nobody asked what the server wants.
        #expect(retention("no-store").expiresAt == now)
        #expect(retention("no-store, max-age=100").expiresAt == now)
        #expect(retention("no-store").mustRevalidate)
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=0, must-revalidate"])
    func serversWishesMeanNothingUnlessTheyAreToBeRespected(_ control: String) {
        #expect(retention(control, respectsServer: false).expiresAt == now + .seconds(1000))
        #expect(!retention(control, respectsServer: false).mustRevalidate)
    }

    @Test func pictureThatIsNotToBeKeptLiesPastTheCache() throws {
        let server = FakeServer { _, _ in
            .init(headers: [("Cache-Control", "no-store"), ("ETag", "\"1\"")], body: picture())
        }
        let places = RuntimePlaces(memory: [], bypass: ["\(world.folder)/bypass"])
        let cache = try world.cache {
            $0.respectsCacheControl = true
            $0.places = places
        }

        let (entry, status) = try cache.fetch(moon, client: world.client(server))

        #expect(status == .bypass && entry.path.hasPrefix("\(world.folder)/bypass/"))
        #expect(try Surroundings.contents(entry.path) == picture())
        #expect(server.requests.count == 1)
        #expect(world.files("partial").isEmpty && world.files("scopes").isEmpty)
        #expect(try world.cache().fetch(moon, client: world.client(server)).status == .miss)
    }

    @Test func pictureMustBeAskedForOnceTheServersTimeIsOver() throws {
        let server = FakeServer { request, _ in
            request.header("If-None-Match") == nil
                ? .init(headers: [("Cache-Control", "max-age=50"), ("Age", "20"), ("ETag", "\"1\"")], body: picture())
                : .init(status: 304, headers: [("Cache-Control", "max-age=80")])
        }
        let cache = try world.cache { $0.respectsCacheControl = true }
        _ = try cache.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(29))
        #expect(try cache.fetch(moon, client: world.client(server)).status == .hit)
        world.time.advance(.seconds(1))

        let (entry, status) = try cache.fetch(moon, client: world.client(server))

        #expect(status == .revalidated)
        #expect(entry.expiresAt == world.time.now + .seconds(80))
    }

    @Test func revalidationNeverTouchesTheFile() throws {
        let server = FakeServer { request, _ in
            request.header("If-None-Match") == nil
                ? .init(headers: [("ETag", "\"1\"")], body: picture())
                : .init(status: 304, headers: [("ETag", "\"1\""), ("Cache-Control", "no-cache")])
        }
        let cache = try world.cache { $0.refreshes = true }
        let path = try cache.fetch(moon, client: world.client(server)).entry.path
        let before = Self.metadata(path)
        world.time.advance(.seconds(1))

        #expect(try cache.fetch(moon, client: world.client(server)).status == .revalidated)

        #expect(Self.metadata(path) == before)
        #expect(before.count == 6)
    }

    /// Inode, size and the times of the last change of content and of metadata.
    private static func metadata(_ path: String) -> [Int] {
        var status = stat()
        guard stat(path, &status) == 0 else { return [] }
        #if canImport(Darwin)
        let (changed, renewed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (changed, renewed) = (status.st_mtim, status.st_ctim)
        #endif
        return [
            Int(status.st_ino), Int(status.st_size), Int(changed.tv_sec), Int(changed.tv_nsec), Int(renewed.tv_sec),
            Int(renewed.tv_nsec),
        ]
    }

    @Test func whatMustBeRevalidatedIsNeverServedStale() throws {
        let server = FakeServer { _, number in
            number == 0
                ? .init(headers: [("Cache-Control", "max-age=10, must-revalidate")], body: picture())
                : .init(status: 503)
        }
        let strict = try world.cache { $0.respectsCacheControl = true }
        _ = try strict.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(10))

        #expect(throws: FetchFailure.self) { try strict.fetch(moon, client: world.client(server)) }
        let offline = try world.cache {
            $0.respectsCacheControl = true
            $0.isOffline = true
        }
        #expect(throws: CacheFailure.self) { try offline.fetch(moon, client: world.client(server)) }
        // Another run need not care.
        #expect(try world.cache().fetch(moon, client: world.client(server)).status == .stale)
    }

    @Test func expiredCopyIsNoAnswerOfflineWhereStaleOnesAreForbidden() throws {
        let server = FakeServer(picture())
        _ = try world.cache { $0.ttl = .seconds(10) }.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(10))
        let cache = try world.cache {
            $0.isOffline = true
            $0.servesStale = false
        }

        let failure = #expect(throws: CacheFailure.self) { try cache.fetch(moon, client: world.client(server)) }

        #expect(failure?.code == "offline")
        #expect(server.requests.count == 1)
    }
}
