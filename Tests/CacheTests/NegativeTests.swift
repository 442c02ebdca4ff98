import Formats
import HTTP
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Remembered permanent failures.
@Suite struct NegativeTests {
    private let world: Surroundings
    private let moon: HTTPRequest

    init() throws {
        world = try Surroundings()
        moon = try HTTPRequest("https://pictures.example/moon.gif")
    }

    private func cache(_ change: (inout CacheSettings) -> Void = { _ in }) throws -> CacheStore {
        try world.cache {
            $0.negativeTTL = .byClass
            change(&$0)
        }
    }

    private func failure(_ status: Int) throws -> FetchFailure {
        .status(FetchFailure.Answer(status: status, headers: HTTPHeaders(), url: moon.url))
    }

    @Test(
        arguments: [
            (404, 600), (410, 3600), (403, 120), (401, 120), (204, 600), (405, 600), (414, 600), (400, nil), (407, nil),
            (408, nil), (429, nil), (500, nil),
            (503, nil),
        ] as [(Int, Int?)])
    func onlyPermanentStatusesAreRemembered(_ status: Int, _ seconds: Int?) throws {
        #expect(NegativeTTL.byClass.span(of: try failure(status)) == seconds.map { .seconds($0) })
        #expect(NegativeTTL.always(.seconds(5)).span(of: try failure(status)) == seconds.map { _ in .seconds(5) })
        #expect(NegativeTTL.none.span(of: try failure(status)) == nil)
    }

    @Test(
        arguments: [
            (404, "max-age=5", 5), (410, "max-age=0", nil), (404, "no-cache", nil), (410, "max-age=100000", 3600),
            (404, "public", 600), (403, "public", nil), (403, "max-age=60", 60), (400, "max-age=60", 60),
            (499, "max-age=100000", 600), (407, "max-age=60", nil), (503, "max-age=60", nil),
            (404, "must-understand, no-store", 600), (499, "must-understand, no-store, max-age=60", nil),
        ] as [(Int, String, Int?)])
    func serverLimitsHowLongItsRefusalIsRemembered(
        _ status: Int, _ control: String, _ seconds: Int?
    ) throws {
        let answer = FetchFailure.Answer(
            status: status, headers: HTTPHeaders(["Cache-Control": control]), url: moon.url)
        let span = NegativeTTL.byClass.span(of: FetchFailure.status(answer), asServerSaysAt: world.time.now)
        #expect(span == seconds.map { .seconds($0) })
        #expect(NegativeTTL.none.span(of: FetchFailure.status(answer), asServerSaysAt: world.time.now) == nil)
    }

    /// Regression test: the response's expiry was ignored, so the refusal was repeated for ten minutes.
    @Test func expiredRefusalIsNotRepeated() throws {
        let server = FakeServer { _, number in
            number == 0 ? .init(status: 404, headers: [("Expires", "0")]) : .init(body: picture())
        }
        let cache = try cache { $0.respectsCacheControl = true }
        #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) }
        #expect(try cache.fetch(moon, client: world.client(server)).status == .miss)
    }

    @Test func failureThatCannotBeRecordedIsOnlyLogged() throws {
        let cache = try cache()
        try cache.index.requireWriting()
        let fault = try world.refuse("INSERT ON negatives")
        let server = FakeServer { _, _ in .init(status: 404) }
        for _ in 0..<2 { #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) } }
        let words = "test: cannot record the failure of https://pictures.example/moon.gif: \(fault)\n"
        #expect(world.messages.all.count { $0 == words } == 2, "\(world.messages.all)")
    }

    @Test func postponementThatCannotBeRecordedIsOnlyLogged() throws {
        let cache = try cache()
        try cache.index.requireWriting()
        let fault = try world.refuse("INSERT ON metadata")
        cache.postpone(try key("moon"))
        #expect(world.messages.all == ["test: cannot record the failure of moon: \(fault)\n"])
        #expect(try cache.postponement(of: key("moon")) == nil)
    }

    @Test func networkFaultsAndLocalLimitsAreNotRemembered() throws {
        let passing: [any Failure] = [
            FetchFailure.timedOut(url: moon.url, .waiting), FetchFailure.cutShort(url: moon.url, detail: ""),
            FetchFailure.connectionFailed(url: moon.url, detail: ""), FetchFailure.nameNotResolved(url: moon.url),
            FetchFailure.tooLarge(url: moon.url, byteLimit: 1),
            FetchFailure.blockedAddress(url: moon.url, address: nil, .loopback), Cancelled(), FormatFailure.empty,
            FormatFailure.truncated(.png), FormatFailure.corrupt(.png, "x"), FormatFailure.overLimit(.gif, "x"),
            CacheFailure.diskFull(root: ""), UnexpectedFailure(Cancelled()),
        ]
        for failure in passing { #expect(NegativeTTL.byClass.span(of: failure) == nil, "\(failure)") }
    }

    @Test func rememberedFailureKeepsItsCodeAndStatusUntilItExpires() throws {
        let server = FakeServer { _, number in number == 0 ? .init(status: 404) : .init(body: picture()) }
        let cache = try cache()
        let first = #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) }
        world.time.advance(.seconds(599))

        let second = #expect(throws: NegativeAnswer.self) { try self.cache().fetch(moon, client: world.client(server)) }

        #expect(second?.code == first?.code && second?.exitCode == first?.exitCode && second?.isTransient == false)
        #expect(second?.message.contains("2023-11-14T22:13:20Z") == true)
        #expect(second?.message.contains("--refresh") == true)
        #expect(server.requests.count == 1)
        world.time.advance(.seconds(1))
        #expect(try cache.fetch(moon, client: world.client(server)).status == .miss)
    }

    @Test func rememberedFailureIsCountedOnlyAsANegativeHit() throws {
        let server = FakeServer { _, _ in .init(status: 404) }
        let cache = try cache()
        for _ in 0..<3 { #expect(throws: (any Error).self) { try cache.fetch(moon, client: world.client(server)) } }

        let statistics = try cache.statistics()

        #expect(statistics[.negativeHits] == 2)
        #expect(statistics.scopes[0].failures == ["not-found": 1])
    }

    @Test func bodyWithoutAPictureIsRememberedByAddress() throws {
        let cache = try cache()
        let server = FakeServer(Array("<!DOCTYPE html><title>x</title>".utf8))
        #expect(throws: FormatFailure.self) { try cache.fetch(moon, client: world.client(server)) }

        let again = #expect(throws: NegativeAnswer.self) { try cache.fetch(moon, client: world.client(server)) }

        #expect(again?.code == "not-an-image" && again?.exitCode == .data)
        #expect(again?.message.hasPrefix("https://pictures.example/moon.gif: ") == true)
    }

    @Test(arguments: [404, 200])
    func answerWithNoStoreIsNotRemembered(_ status: Int) throws {
        let server = FakeServer { _, _ in
            .init(status: status, headers: [("Cache-Control", "no-store")], body: Array("<html>no picture".utf8))
        }
        let places = RuntimePlaces(memory: [], ephemeral: ["\(world.folder)/bypass"])
        func fetch(respecting: Bool) throws {
            let cache = try cache {
                $0.respectsCacheControl = respecting
                $0.places = places
            }
            #expect(throws: (any Error).self) { try cache.fetch(moon, client: world.client(server)) }
        }
        try fetch(respecting: true)
        #expect(try cache().index.perform { try $0.negatives.count() } == 0)
        #expect(world.files("partial").isEmpty && world.files("bypass").isEmpty)

        try fetch(respecting: false)
        #expect(try cache().index.perform { try $0.negatives.count() } == 1)
    }

    @Test func refreshRequestsAgainAndSuccessForgetsTheFailure() throws {
        let server = FakeServer { _, number in number == 0 ? .init(status: 410) : .init(body: picture(number)) }
        let cache = try cache()
        #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) }

        #expect(try self.cache { $0.refreshes = true }.fetch(moon, client: world.client(server)).status == .miss)

        let name = CacheKey(url: moon.url).name
        let address = Download.address(of: moon)
        let found = try cache.index.perform {
            try $0.negatives.find(name, in: .standard, address: address, now: world.time.now)
        }
        #expect(found == nil)
    }

    @Test func failuresOfRequestsWithCredentialsOrExtraFieldsAreNotRemembered() throws {
        let server = FakeServer { _, _ in .init(status: 404) }
        let cache = try cache()
        var withField = moon
        withField.headers = [HTTPHeader("Authorization", "Bearer x")]
        let withUser = try HTTPRequest("https://user:word@pictures.example/moon.gif")

        for request in [withField, withUser, moon, withField, withUser] {
            #expect(throws: FetchFailure.self) { try cache.fetch(request, client: world.client(server)) }
        }

        #expect(server.requests.count == 5)
    }

    @Test func failuresOfAKeyAreRememberedByAddress() throws {
        let server = FakeServer { request, _ in
            request.url.path == "/moon.gif" ? .init(status: 404) : .init(body: picture())
        }
        let cache = try cache()
        #expect(throws: FetchFailure.self) { try cache.fetch(moon, key: key("today"), client: world.client(server)) }

        let other = try HTTPRequest("https://pictures.example/sun.gif")
        #expect(try cache.fetch(other, key: key("today"), client: world.client(server)).status == .miss)
    }

    @Test func removingAKeyForgetsItsFailure() throws {
        let server = FakeServer { _, _ in .init(status: 404) }
        let cache = try cache()
        for forget in [{ _ = try cache.remove(CacheKey(url: moon.url)) }, { try cache.maintenance.forgetFailures() }] {
            let before = server.requests.count
            #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) }
            #expect(server.requests.count == before + 1)
            try forget()
        }
    }

    @Test func scopesDoNotShareRememberedFailures() throws {
        let server = FakeServer { _, _ in .init(status: 404) }
        for scope in ["alice", "bob"] {
            let cache = try world.cache(scope: scope) { $0.negativeTTL = .byClass }
            #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) }
        }
        #expect(server.requests.count == 2)
    }

    @Test func storingFailuresDeletesExpiredFailures() throws {
        let server = FakeServer { _, _ in .init(status: 404) }
        let cache = try cache()
        for number in 0..<30 {
            let request = try HTTPRequest("https://pictures.example/\(number).gif")
            #expect(throws: FetchFailure.self) { try cache.fetch(request, client: world.client(server)) }
            world.time.advance(.seconds(300))
        }

        #expect(try cache.maintenance.forgetFailures() == 2)
    }

    @Test func rememberedFailureFromTheFutureIsIgnored() throws {
        let server = FakeServer { _, _ in .init(status: 404) }
        let cache = try cache()
        #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) }
        world.time.advance(.seconds(-3600))

        #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(server)) }
    }
}
