import HTTP
import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// The output of `explain`, which must not change the cache.
@Suite struct ExplainTests {
    private let world: Surroundings
    private let moon: HTTPRequest
    private let server = FakeServer { request, _ in
        request.url.path == "/gone.gif" ? .init(status: 404) : .init(headers: [("ETag", "\"1\"")], body: picture())
    }

    init() throws {
        world = try Surroundings()
        // A literal IP address, so no name is resolved.
        moon = try HTTPRequest("https://203.0.114.7/moon.gif")
    }

    private func explain(
        _ request: HTTPRequest, _ change: (inout CacheSettings) -> Void = { _ in }
    ) throws -> Explanation {
        var settings = CacheSettings(root: world.root)
        settings.ttl = .seconds(100)
        settings.negativeTTL = .byClass
        change(&settings)
        let explainer = Explainer(
            settings: settings, client: world.client(server), clock: world.time.clock, interruption: world.interruption)
        return try explainer.explain(request, key: CacheKey(url: request.url))
    }

    private func cache() throws -> CacheStore {
        try world.cache {
            $0.ttl = .seconds(100)
            $0.negativeTTL = .byClass
        }
    }

    @Test func explainCreatesNoCache() throws {
        let explanation = try explain(moon)

        #expect(explanation.decision == .fetch)
        #expect(explanation.reason == "there is no entry with this key")
        #expect(Surroundings.files(below: world.folder).isEmpty)
        #expect(try explain(moon) { $0.isOffline = true }.decision == .offlineMiss)
    }

    @Test func decisionMatchesAFetch() throws {
        _ = try cache().fetch(moon, client: world.client(server))

        #expect(try explain(moon).decision == .hit)
        #expect(try explain(moon).facts.kept?.entry.validators.etag == "\"1\"")
        world.time.advance(.seconds(1))
        #expect(try explain(moon) { $0.refreshes = true }.decision == .revalidate)
        world.time.advance(.seconds(99))
        #expect(try explain(moon).decision == .revalidate)
        #expect(try explain(moon).facts.kept?.age == .seconds(100))
        #expect(try explain(moon) { $0.isOffline = true }.decision == .stale)
        #expect(server.requests.count == 1)
    }

    @Test func entryFromTheFutureShowsNoExpiry() throws {
        world.time.advance(.seconds(86_400))
        _ = try cache().fetch(moon, client: world.client(server))
        let fetched = world.time.now.iso8601
        world.time.advance(.seconds(-86_400))

        let explanation = try explain(moon)

        #expect(explanation.decision == .revalidate)
        #expect(explanation.reason.hasPrefix("it was fetched at \(fetched), before the clock was set back, and"))
        #expect(!explanation.text.contains("expired") && !explanation.text.contains("lease"), "\(explanation.text)")
        let json = "\(explanation.json)"
        #expect(json.contains("fetched_at") && !json.contains("expires_at") && !json.contains("lease_until"), "\(json)")
        #expect(try explain(moon) { $0.isOffline = true }.reason.hasSuffix("set back, and the run is offline"))
    }

    @Test func validatorsOfAnotherAddressAreIgnored() throws {
        let other = try HTTPRequest("https://203.0.114.7/other.gif")
        _ = try cache().fetch(other, key: CacheKey(url: moon.url), client: world.client(server))
        world.time.advance(.seconds(100))

        let explanation = try explain(moon)

        #expect(explanation.decision == .fetch && explanation.reason.hasSuffix("it came from another address"))
        _ = try cache().fetch(moon, client: world.client(server))
        #expect(server.requests.last?.header("If-None-Match") == nil)
    }

    @Test func rememberedFailureIsReported() throws {
        let gone = try HTTPRequest("https://203.0.114.7/gone.gif")
        #expect(throws: FetchFailure.self) { try cache().fetch(gone, client: world.client(server)) }

        let explanation = try explain(gone)

        #expect(explanation.decision == .rememberedFailure)
        #expect(explanation.facts.negative?.code == "not-found")
        #expect(try explain(gone) { $0.refreshes = true }.decision == .fetch)
    }

    @Test func explainReportsWhichAddressesAreAllowed() throws {
        let inner = try explain(try HTTPRequest("http://10.0.0.1/moon.gif"))
        #expect(inner.decision == .refused)
        #expect(inner.reason == "10.0.0.1 is a private address")
        #expect(try explain(moon).facts.addresses?.map(\.verdict) == [.allowed])
        #expect(try explain(moon) { $0.isOffline = true }.facts.addresses == nil)
    }

    @Test func explainReportsPartialFilesAndLocks() throws {
        let cache = try cache()
        let breaking = FakeServer { _, _ in
            .init(
                headers: [("ETag", "\"1\""), ("Content-Length", "9000")], body: picture(1, bytes: 9000),
                breaksAfter: 5000)
        }
        #expect(throws: FetchFailure.self) { try cache.fetch(moon, client: world.client(breaking)) }
        let lock = try cache.lock(CacheKey(url: moon.url).name)

        let explanation = try withExtendedLifetime(lock) { try explain(moon) }

        #expect(
            explanation.facts.leftover
                == Explanation.Leftover(bytes: 5000, total: 9000, validator: "\"1\"", canContinue: true))
        #expect(explanation.facts.isLocked)
        #expect(explanation.reason.contains("after 5000 bytes"))
    }

    @Test func explainKeepsTheRowOfAMissingFile() throws {
        let path = try cache().fetch(moon, client: world.client(server)).entry.path
        #expect(unlink(path) == 0)

        #expect(try explain(moon).decision == .fetch)
        #expect(try explain(moon).facts.kept?.isWhole == false)
    }

    @Test func explainDoesNotChangeTheIndex() throws {
        let cache = try cache()
        _ = try cache.fetch(moon, client: world.client(server))
        cache.close()
        world.time.advance(.seconds(100))
        let before = try ["", "-wal"].map { try Surroundings.contents("\(world.root)/index.sqlite\($0)") }
        let files = world.files("")

        _ = try explain(moon)
        _ = try explain(try HTTPRequest("http://10.0.0.1/other.gif"))

        #expect(try ["", "-wal"].map { try Surroundings.contents("\(world.root)/index.sqlite\($0)") } == before)
        #expect(world.files("") == files)
    }

    @Test func startPacingSeparatesRequestsByTheDelay() throws {
        let pauses = Monitor([Duration]())
        let pacing = StartPacing(delay: .seconds(2), now: { .seconds(10) }) { pause in
            pauses.withLock { $0.append(pause) }
        }

        for _ in 0..<3 { try pacing.take() }

        #expect(pauses.withLock { $0 } == [.seconds(2), .seconds(4)])
    }
}
