import HTTP
import Support
import Testing

@testable import Fetch
@testable import Store

private let day = "Tue, 14 Nov 2023 00:00:00 GMT"

/// When a stored response is reused (`Vary`, 304), and which responses are stored or retried (statuses, truncated
/// bodies).
@Suite struct ValidationTests {
    private let world: Surroundings
    private let moon: HTTPRequest

    init() throws {
        world = try Surroundings()
        moon = try HTTPRequest("https://pictures.example/moon.gif")
    }

    private func moon(_ fields: (String, String)...) -> HTTPRequest {
        var request = moon
        request.headers = fields.map { HTTPHeader($0.0, $0.1) }
        return request
    }

    // MARK: Vary

    /// Regression test: Bob received Alice's picture, although the server chooses the picture by the user.
    @Test(arguments: [false, true])
    func pictureOfAnotherUserIsFetchedAgain(_ respectsServer: Bool) throws {
        let server = FakeServer { request, number in
            let isAlice = request.header("Authorization") == "alice"
            return .init(
                headers: [("Vary", "Authorization"), ("Last-Modified", day)],
                body: picture(isAlice ? 1 : 2))
        }
        let cache = try world.cache { $0.respectsCacheControl = respectsServer }
        _ = try cache.fetch(moon(("Authorization", "alice")), client: world.client(server))
        #expect(
            try cache.fetch(moon(("Authorization", "alice"), ("X", "1")), client: world.client(server)).status == .hit)

        let (entry, status) = try cache.fetch(moon(("Authorization", "bob")), client: world.client(server))

        #expect(status == .miss)
        #expect(try Surroundings.contents(entry.path) == picture(2))
        // Several responses may share a Last-Modified time.
        #expect(server.requests[1].header("If-Modified-Since") == nil)
        #expect(try cache.fetch(moon(("Authorization", "bob")), client: world.client(server)).status == .hit)
        #expect(server.requests.count == 2)
    }

    @Test func pictureOfAnotherUserIsRevalidatedByItsETag() throws {
        let server = FakeServer { request, _ in
            request.header("If-None-Match") == nil
                ? .init(headers: [("Vary", "Cookie"), ("ETag", "\"1\"")], body: picture())
                : .init(status: 304, headers: [("ETag", "\"1\"")])
        }
        let cache = try world.cache()
        _ = try cache.fetch(moon(("Cookie", "a")), client: world.client(server))

        #expect(try cache.fetch(moon(("Cookie", "b")), client: world.client(server)).status == .revalidated)
        #expect(try cache.fetch(moon(("Cookie", "b")), client: world.client(server)).status == .hit)
        #expect(try cache.fetch(moon(("Cookie", "a")), client: world.client(server)).status == .revalidated)
    }

    @Test func answerForOtherHeaderFieldsIsNotServedStale() throws {
        let server = FakeServer { _, number in
            number == 0 ? .init(headers: [("Vary", "Cookie")], body: picture()) : .init(status: 503)
        }
        let cache = try world.cache()
        _ = try cache.fetch(moon(("Cookie", "a")), client: world.client(server))

        #expect(throws: FetchFailure.self) {
            try cache.fetch(moon(("Cookie", "b")), client: world.client(server))
        }
        let offline = try world.cache { $0.isOffline = true }
        #expect(throws: CacheFailure.self) {
            try offline.fetch(moon(("Cookie", "b")), client: world.client(server))
        }
        // Neither a lookup nor a repetition of the same request reaches the server.
        #expect(try offline.lookup(CacheKey(url: moon.url)) != nil)
        #expect(try offline.fetch(moon(("Cookie", "a")), client: world.client(server)).status == .hit)
    }

    @Test func answerWithVaryStarIsRevalidatedOrServedStale() throws {
        let server = FakeServer { request, number in
            if number == 2 { return .init(status: 503) }
            return request.header("If-None-Match") == nil
                ? .init(headers: [("Vary", "*"), ("ETag", "\"1\"")], body: picture())
                : .init(status: 304, headers: [("ETag", "\"1\"")])
        }
        let cache = try world.cache()
        _ = try cache.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(1))

        #expect(try cache.fetch(moon, client: world.client(server)).status == .revalidated)
        world.time.advance(.seconds(1))
        #expect(try cache.fetch(moon, client: world.client(server)).status == .stale)
        #expect(cache.freshHit(CacheKey(url: moon.url), asFetch: true) == nil)
        #expect(cache.freshHit(CacheKey(url: moon.url), asFetch: false) != nil)
    }

    @Test func requestDirectivesForceRevalidation() throws {
        let server = FakeServer(picture(), etag: "\"1\"")
        let cache = try world.cache()
        _ = try cache.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(30))

        #expect(try cache.fetch(moon(("Cache-Control", "max-age=60")), client: world.client(server)).status == .hit)
        _ = try cache.fetch(moon(("Cache-Control", "no-cache")), client: world.client(server))
        #expect(server.requests[1].header("If-None-Match") == "\"1\"")
        world.time.advance(.seconds(30))
        _ = try cache.fetch(moon(("Cache-Control", "max-age=20")), client: world.client(server))
        #expect(server.requests.count == 3)
    }

    // MARK: 304

    /// Regression test: a 304 about another version renewed the entry.
    @Test(
        arguments: [
            (("ETag", "\"1\""), [("ETag", "\"2\"")]), (("ETag", "W/\"1\""), [("ETag", "\"2\"")]),
            (("Last-Modified", day), [("Last-Modified", "Tue, 14 Nov 2023 00:00:01 GMT")]),
            (("Last-Modified", day), [("Last-Modified", "Tue, 14 Nov 2023 00:00:01 GMT"), ("ETag", "\"1\"")]),
            (("Last-Modified", day), [("ETag", "\"1\"")]),
        ] as [((String, String), [(String, String)])])
    func notModifiedForAnotherVersionIsFetchedAgain(_ old: (String, String), _ new: [(String, String)]) throws {
        let server = FakeServer { request, number in
            request.headers.isEmpty
                ? .init(headers: number == 0 ? [old] : new, body: picture(number))
                : .init(status: 304, headers: new)
        }
        let cache = try world.cache { $0.ttl = .seconds(10) }
        _ = try cache.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(10))

        let (entry, status) = try cache.fetch(moon, client: world.client(server))

        #expect(status == .miss && server.requests.count == 3)
        #expect(try Surroundings.contents(entry.path) == picture(2))
        #expect(world.files("partial").isEmpty)
    }

    @Test(
        arguments: [
            ("\"1\"", "W/\"1\"", nil), ("\"1\"", nil, "Wed, 15 Nov 2023 00:00:00 GMT"), ("\"1\"", nil, nil),
        ] as [(String, String?, String?)])
    func notModifiedWithoutAnotherETagRenewsTheEntry(_ known: String, _ etag: String?, _ date: String?) throws {
        let fields = (etag.map { [("ETag", $0)] } ?? []) + (date.map { [("Last-Modified", $0)] } ?? [])
        let server = FakeServer { request, _ in
            request.header("If-None-Match") == nil
                ? .init(
                    headers: [("ETag", known), ("Last-Modified", day)], body: picture())
                : .init(status: 304, headers: fields)
        }
        let cache = try world.cache { $0.ttl = .seconds(10) }
        _ = try cache.fetch(moon, client: world.client(server))
        world.time.advance(.seconds(10))

        #expect(try cache.fetch(moon, client: world.client(server)).status == .revalidated)
    }

    /// Regression test: the 304 was accepted, although the damaged validators could not be sent.
    @Test func notModifiedForAnUnconditionalRequestIsAServerError() throws {
        let server = FakeServer { _, _ in .init(status: 304) }
        let partial = PartialFile(name: "partial/x", root: try world.cache().index.root)
        try world.cache().index.requireWriting()
        let damaged = Validators(etag: "\"a\n\"", lastModified: "\u{0}")
        let download = Download(request: moon, into: partial, validators: damaged)

        let failure = #expect(throws: FetchFailure.self) {
            try download.run(client: world.client(server)) { _ in FileFacts(contentType: "", fileExtension: "") }
        }

        #expect(failure?.code == "bad-answer" && failure?.isTransient == true)
        #expect(server.requests[0].headers.isEmpty)
    }

    // MARK: Statuses and body lengths

    @Test(arguments: [203, 299]) func pictureWithAnotherSuccessStatusIsStored(_ status: Int) throws {
        let server = FakeServer { _, _ in .init(status: status, body: picture()) }
        let cache = try world.cache()

        #expect(try cache.fetch(moon, client: world.client(server)).status == .miss)
        #expect(try cache.fetch(moon, client: world.client(server)).status == .hit)
    }

    @Test func status202IsRetried() throws {
        let server = FakeServer { _, number in number < 2 ? .init(status: 202) : .init(body: picture()) }
        let cache = try world.cache()

        #expect(try cache.fetch(moon, client: world.client(server, retries: 3)).status == .miss)
        #expect(server.requests.count == 3)
    }

    /// Regression test: the failure was permanent, as if the picture were truncated on the server.
    @Test(arguments: [0, 10, 25]) func bodyTruncatedByTheConnectionIsRetried(_ count: Int) throws {
        let whole = picture()
        let server = FakeServer { _, number in
            .init(body: number == 0 ? Array(whole.prefix(count)) : whole, endsAtClose: true)
        }
        let cache = try world.cache()
        let failure = #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) }
        #expect(failure?.message.contains(": it was closed before the end of the picture; try again") == true)
        #expect(failure?.code == "cut-short" && failure?.exitCode == .temporary)

        #expect(try cache.fetch(moon, client: world.client(server, retries: 1)).status == .miss)
        var settings = CacheSettings(root: world.root)
        settings.places = RuntimePlaces(memory: [], ephemeral: ["\(world.folder)/bypass"])
        let store = EphemeralStore(
            settings: settings, scope: .standard, inspect: CacheStore.wholePicture, clock: world.time.clock,
            interruption: world.interruption)
        let again = FakeServer { _, number in
            .init(body: number == 0 ? Array(whole.prefix(count)) : whole, endsAtClose: true)
        }
        #expect(try store.fetch(moon, client: world.client(again, retries: 1)).bytes == whole.count)
    }

    @Test func truncatedPictureInACompleteBodyIsNotRetried() throws {
        let server = FakeServer { _, _ in .init(body: Array(picture().prefix(25))) }
        let cache = try world.cache()

        let failure = #expect(throws: (any Error).self) {
            try cache.fetch(moon, client: world.client(server, retries: 3))
        }

        #expect((failure as? any Failure)?.exitCode == .data)
        #expect(server.requests.count == 1)
    }
}
