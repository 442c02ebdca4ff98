import HTTP
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// The expiry of entries under options and server headers.
@Suite struct ExpiryTests {
    private let world: Surroundings
    private let server = FakeServer { _, _ in .init(headers: [("ETag", "\"1\"")], body: picture()) }
    private let moon: HTTPRequest

    init() throws {
        world = try Surroundings()
        moon = try HTTPRequest("https://pictures.example/moon.gif")
    }

    @Test(arguments: [
        ("7d", Expiry.after(.seconds(7 * 86_400))), ("90", .after(.seconds(90))), ("0s", .after(.zero)),
        ("1970-01-02", .at(Timestamp(milliseconds: 86_400_000))),
        ("1970-01-02T00:00:01Z", .at(Timestamp(milliseconds: 86_401_000))),
        ("1970-01-02t00:00:01.2345z", .at(Timestamp(milliseconds: 86_401_234))),
        ("1970-01-02T01:30:00+01:30", .at(Timestamp(milliseconds: 86_400_000))),
        ("1969-12-31T22:00:00-02:00", .at(Timestamp(milliseconds: 0))),
        ("9999-12-31T23:59:59.999Z", .at(Timestamp(milliseconds: 253_402_300_799_999))),
    ])
    func expiriesAreParsed(_ text: String, _ expiry: Expiry) { #expect(Expiry(text) == expiry) }

    @Test(arguments: [
        "", "soon", "-1d", "2026-02-30", "2026-1-2", "2026-01-02T", "2026-01-02T10:00:00", "2026-01-02 10:00:00Z",
        "2026-01-02T24:00:00Z", "2026-01-02T10:60:00Z", "2026-01-02T10:00:60Z", "2026-01-02T10:00Z",
        "2026-01-02T10:00:00.Z", "2026-01-02T10:00:00+1:00", "2026-01-02T10:00:00+01:00Z", "2026-01-02T10:00:00Zx",
        "2026-01-02Z",
    ])
    func invalidExpiriesAreRefused(_ text: String) { #expect(Expiry(text) == nil) }

    @Test func requestedExpiryReplacesTheDefaultOf14Days() throws {
        let cache = try world.cache()
        let client = world.client(server)
        let start = world.time.now
        #expect(try cache.fetch(moon, client: client).entry.expiresAt == start + .seconds(14 * 86_400))
        world.time.advance(.seconds(60))
        for end in [Expiry.after(.seconds(3600)), .at(start + .seconds(90 * 86_400)), .after(.seconds(61))] {
            let (entry, status) = try cache.fetch(moon, client: client, expiry: end)
            #expect(status == .hit)
            #expect(entry.expiresAt == end.end(from: start))
            #expect(try world.cache().lookup(CacheKey(url: moon.url))?.expiresAt == end.end(from: start))
        }
        // Without a requested expiry, the expiry of the entry does not change.
        #expect(try cache.fetch(moon, client: client).entry.expiresAt == start + .seconds(61))
        #expect(server.requests.count == 1)
    }

    @Test func entryOlderThanRequestedExpiryIsFetchedAgain() throws {
        let cache = try world.cache()
        let client = world.client(server)
        let request = moon
        _ = try cache.fetch(request, client: client)
        world.time.advance(.seconds(60))
        let (entry, status) = try cache.fetch(request, client: client, expiry: .after(.seconds(30)))
        #expect(status == .miss)
        #expect(entry.expiresAt == world.time.now + .seconds(30))
        #expect(server.requests.count == 2)
    }

    @Test func expiryInTheSettingsAppliesToEveryRequest() throws {
        let cache = try world.cache { $0.expiry = .after(.seconds(100)) }
        let client = world.client(server)
        let start = world.time.now
        let key = CacheKey(url: moon.url)
        _ = try world.cache().fetch(moon, client: client)
        #expect(cache.freshHits([key], asFetch: false)[0] != nil)
        #expect(cache.freshHits([key], asFetch: true)[0] == nil)
        #expect(try cache.fetch(moon, client: client).entry.expiresAt == start + .seconds(100))
        #expect(cache.freshHits([key], asFetch: true)[0]?.expiresAt == start + .seconds(100))
        #expect(cache.freshHits([key], asFetch: true, expiries: [.after(.seconds(50))])[0] == nil)
        let file = try cache.store(MemorySource(picture()), key: CacheKey(name: "own"), expiry: .after(.seconds(50)))
        #expect(file.entry.expiresAt == start + .seconds(50))
        #expect(server.requests.count == 1)
    }

    @Test func requestedExpiryCannotExceedMaxAge() throws {
        let strict = FakeServer { _, _ in
            .init(headers: [("Cache-Control", "max-age=100"), ("ETag", "\"1\"")], body: picture())
        }
        let cache = try world.cache { $0.respectsCacheControl = true }
        let client = world.client(strict)
        let start = world.time.now
        for (said, end) in [(1000, 100), (50, 50), (1000, 50)] {
            let entry = try cache.fetch(moon, client: client, expiry: .after(.seconds(said))).entry
            #expect(entry.expiresAt == start + .seconds(end))
        }
    }
}
