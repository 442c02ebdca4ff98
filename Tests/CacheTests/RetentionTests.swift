import HTTP
import Libc
import Records
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Lifetimes of entries, from the settings and from the server's headers.
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

    @Test func serverMayOnlyShortenTheLifetime() {
        #expect(retention("max-age=10").expiresAt == now + .seconds(10))
        #expect(retention("max-age=100000").expiresAt == now + .seconds(1000))
        #expect(retention("public").expiresAt == now + .seconds(1000))
        #expect(!retention("public").directives.mustRevalidate)
        #expect(retention("no-cache").expiresAt == now)
        #expect(retention("no-cache").directives.mustRevalidate)
        #expect(retention("max-age=10, must-revalidate").directives.mustRevalidate)
        #expect(!retention("max-age=10").directives.mustRevalidate)
    }

    @Test func entryWithNoStoreExpiresImmediatelyAndIsNeverServedStale() {
        // A run that ignores the server's headers may have stored such an entry.
        #expect(retention("no-store").expiresAt == now)
        #expect(retention("no-store, max-age=100").expiresAt == now)
        #expect(retention("no-store").directives.mustRevalidate)
    }

    /// Columns, in seconds after the response: expiry, end of `stale-while-revalidate`, end of `stale-if-error`. The
    /// configured TTL is 1000 seconds.
    @Test(
        arguments: [
            ("max-age=10", 10, nil, nil), ("s-maxage=10", 1000, nil, nil), ("max-age=10, s-maxage=500", 10, nil, nil),
            ("max-age=10, stale-while-revalidate=5", 10, 15, nil), ("max-age=10, stale-if-error=5", 10, nil, 15),
            ("max-age=10, stale-while-revalidate=5000, stale-if-error=5000", 10, 1000, 5010),
            ("max-age=5000, stale-while-revalidate=5, stale-if-error=5", 1000, 1000, 5005),
            ("stale-while-revalidate=5, stale-if-error=5", 1000, 1000, 1005),
            ("max-age=10, must-revalidate, stale-while-revalidate=5, stale-if-error=5", 10, nil, nil),
            ("no-cache, stale-while-revalidate=5, stale-if-error=5", 0, nil, nil),
            ("max-age=10, immutable", 10, nil, nil), ("immutable", 1000, nil, nil),
        ] as [(String, Int, Int?, Int?)])
    func staleWindowsBeginAtTheServersExpiry(_ control: String, _ fresh: Int, _ usable: Int?, _ standsIn: Int?) {
        let retention = retention(control)
        #expect(retention.expiresAt == now + .seconds(fresh))
        #expect(retention.directives.staleWhileRevalidateUntil == usable.map { now + .seconds($0) })
        #expect(retention.directives.staleIfErrorUntil == standsIn.map { now + .seconds($0) })
        #expect(retention.directives.isImmutable == control.contains("immutable"))
        #expect(self.retention(control, respectsServer: false).directives == CacheDirectives())
    }

    @Test func ageHeaderShortensTheStaleWindow() {
        let headers = HTTPHeaders(["Cache-Control": "max-age=10, stale-while-revalidate=50", "Age": "30"])
        let retention = Retention(of: headers, now: now, expiry: .after(.seconds(1000)), respectsServer: true)
        #expect(retention.expiresAt == now)
        #expect(retention.directives.staleWhileRevalidateUntil == now + .seconds(30))
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=0, must-revalidate"])
    func cacheControlIsIgnoredUnlessRespected(_ control: String) {
        #expect(retention(control, respectsServer: false).expiresAt == now + .seconds(1000))
        #expect(!retention(control, respectsServer: false).directives.mustRevalidate)
    }

    @Test func noStorePictureIsStoredOutsideTheCache() throws {
        let server = FakeServer { _, _ in
            .init(headers: [("Cache-Control", "no-store"), ("ETag", "\"1\"")], body: picture())
        }
        let places = RuntimePlaces(memory: [], ephemeral: ["\(world.folder)/bypass"])
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

    @Test func pictureIsRevalidatedAfterTheServersMaxAge() throws {
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

    @Test func directivesAreStoredAndRenewedByA304() throws {
        let server = FakeServer { request, _ in
            request.header("If-None-Match") == nil
                ? .init(
                    headers: [
                        ("Cache-Control", "max-age=10, immutable, stale-while-revalidate=5, stale-if-error=7"),
                        ("ETag", "\"1\""),
                    ], body: picture())
                : .init(status: 304, headers: [("Cache-Control", "max-age=10, stale-if-error=3")])
        }
        let cache = try world.cache { $0.respectsCacheControl = true }
        let start = world.time.now
        _ = try cache.fetch(moon, client: world.client(server))
        let first = try #require(try world.cache().lookup(CacheKey(url: moon.url)))
        #expect(
            first.directives
                == CacheDirectives(
                    isImmutable: true, staleWhileRevalidateUntil: start + .seconds(15),
                    staleIfErrorUntil: start + .seconds(17)))
        // A shorter requested expiry also ends the stale window.
        _ = try cache.fetch(moon, client: world.client(server), expiry: .after(.seconds(5)))
        #expect(
            try world.cache().lookup(CacheKey(url: moon.url))?.directives.staleWhileRevalidateUntil == start
                + .seconds(5))
        world.time.advance(.seconds(20))
        #expect(try cache.fetch(moon, client: world.client(server)).status == .revalidated)
        let second = try #require(try world.cache().lookup(CacheKey(url: moon.url)))
        #expect(second.directives == CacheDirectives(staleIfErrorUntil: start + .seconds(33)))
    }

    @Test func entryIsNotServedAfterItsStaleIfErrorWindow() throws {
        let server = FakeServer { _, number in
            number == 0
                ? .init(headers: [("Cache-Control", "max-age=10, stale-if-error=5")], body: picture())
                : .init(status: 503)
        }
        let strict = try world.cache { $0.respectsCacheControl = true }
        let offline = try world.cache {
            $0.respectsCacheControl = true
            $0.isOffline = true
        }
        _ = try strict.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(14))
        for cache in [strict, offline] { #expect(try cache.fetch(moon, client: world.client(server)).status == .stale) }
        world.time.advance(.seconds(1))
        #expect(throws: FetchFailure.self) { try strict.fetch(moon, client: world.client(server)) }
        #expect(throws: CacheFailure.self) { try offline.fetch(moon, client: world.client(server)) }
        // A run that ignores the server's directives may serve the entry.
        #expect(try world.cache().fetch(moon, client: world.client(server)).status == .stale)
    }

    @Test func refreshSkipsFreshImmutableEntries() throws {
        let server = FakeServer { _, _ in
            .init(headers: [("Cache-Control", "max-age=10, immutable"), ("ETag", "\"1\"")], body: picture())
        }
        func put(respecting: Bool) throws -> CacheStatus {
            let cache = try world.cache {
                $0.respectsCacheControl = respecting
                $0.refreshes = true
            }
            return try cache.fetch(moon, client: world.client(server)).status
        }
        #expect(try put(respecting: true) == .miss)
        world.time.advance(.seconds(9))
        #expect(try put(respecting: true) == .hit)
        world.time.advance(.seconds(1))
        #expect(try put(respecting: true) == .miss)
        world.time.advance(.seconds(1))
        #expect(try put(respecting: false) == .miss)
        #expect(server.requests.count == 3)
    }

    @Test func staleEntryIsServedAndThenRevalidatedOnce() throws {
        let server = FakeServer { _, number in
            .init(
                headers: [("Cache-Control", "max-age=10, stale-while-revalidate=5"), ("ETag", "\"\(number)\"")],
                body: picture())
        }
        func put(atEnd: () throws -> Void = {}) throws -> String? {
            var settings = CacheSettings(root: world.root)
            settings.respectsCacheControl = true
            let caches = Caches(settings: settings, clock: world.time.clock, interruption: world.interruption)
            defer { caches.close() }
            var tool = PutTool(
                caches: caches, client: world.client(server), rules: CacheItem.Rules()
            ) { HTTPRequest(url: $0) }
            tool.revalidatesLater = true
            var record = Record()
            record.set("url", .string(moon.url.normalized))
            try tool.perform(on: &record)
            try atEnd()
            tool.revalidate(jobs: 2)
            return record.string("cache.status")
        }
        #expect(try put() == "miss")
        world.time.advance(.seconds(14))
        var before = 0
        #expect(try put { before = server.requests.count } == "stale")
        #expect(before == 1 && server.requests.count == 2)
        #expect(try put() == "hit")
        world.time.advance(.seconds(15))
        #expect(try put { before = server.requests.count } == "miss")
        #expect(before == 3 && server.requests.count == 3)
    }

    @Test func revalidationDoesNotModifyTheFile() throws {
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

    /// Inode, size, modification time and status-change time.
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

    @Test func entryWithMustRevalidateIsNotServedStale() throws {
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
        // A run that ignores the server's directives may serve the entry.
        #expect(try world.cache().fetch(moon, client: world.client(server)).status == .stale)
    }

    @Test func expiredEntryIsNotServedOfflineIfStaleIsForbidden() throws {
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
