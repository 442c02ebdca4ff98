import HTTP
import Records
import Support
import TestSupport
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Fallback pictures, served while a better picture is temporarily unavailable.
@Suite struct DegradationTests {
    /// The states of the addresses, and the next step if fallbacks are allowed (`next`) or forbidden (`strictly`).
    struct Row: Sendable {
        let states: [CandidateChoice.State]
        let degrading: CandidateChoice.Step
        let waiting: CandidateChoice.Step

        init(
            _ states: CandidateChoice.State..., next degrading: CandidateChoice.Step,
            strictly waiting: CandidateChoice.Step
        ) {
            self.states = states
            self.degrading = degrading
            self.waiting = waiting
        }
    }

    static let rows: [Row] = [
        // Untried addresses are requested in order; a permanent failure always leads to the next address.
        Row(.untried, .untried, next: .ask(0), strictly: .ask(0)),
        Row(.definite, .untried, next: .ask(1), strictly: .ask(1)),
        Row(.definite, .definite, next: .fail(0), strictly: .fail(0)),
        // A transient failure also leads to the next address, unless fallbacks are forbidden.
        Row(.passing, .untried, next: .ask(1), strictly: .fail(0)),
        Row(.definite, .passing, .untried, next: .ask(2), strictly: .fail(1)),
        Row(.passing, .definite, next: .fail(0), strictly: .fail(0)),
        Row(.definite, .passing, next: .fail(1), strictly: .fail(1)),
        Row(.passing, .passing, next: .fail(0), strictly: .fail(0)),
        // After a recent failure, the address is not tried again while another address may have a picture.
        Row(.resting, .untried, next: .ask(1), strictly: .ask(0)),
        Row(.resting, .definite, next: .ask(0), strictly: .ask(0)),
        Row(.resting, .passing, next: .ask(0), strictly: .fail(1)),
        Row(.resting, .resting, .untried, next: .ask(2), strictly: .ask(0)),
        // After the pause the address gets one attempt, if a fallback exists.
        Row(.due, .untried, next: .ask(0, once: true), strictly: .ask(0)),
        Row(.due, next: .ask(0), strictly: .ask(0)),
        Row(.resting, .due, .untried, next: .ask(1, once: true), strictly: .ask(0)),
    ]

    @Test(arguments: rows) func nextStepDependsOnTheStatesOfTheAddresses(_ row: Row) {
        #expect(CandidateChoice.next(row.states, degrades: true) == row.degrading)
        #expect(CandidateChoice.next(row.states, degrades: false) == row.waiting)
    }

    @Test func fallbackIsDegradedIfABetterAddressMayRecover() {
        #expect(CandidateChoice.isDegraded(1, [.passing, .untried]))
        #expect(CandidateChoice.isDegraded(1, [.resting, .untried]))
        #expect(!CandidateChoice.isDegraded(1, [.definite, .untried]))
        #expect(!CandidateChoice.isDegraded(0, [.due, .passing]))
    }

    /// The outcome of a `put`.
    private struct Put: Equatable {
        let served: String?
        let isDegraded: Bool?
        /// The number of requests for the better picture.
        let asked: Int

        init(_ served: String?, _ isDegraded: Bool?, _ asked: Int) {
            self.served = served
            self.isDegraded = isDegraded
            self.asked = asked
        }
    }

    /// A server whose better picture can be switched on and off.
    private final class World {
        let isBetterThere = Monitor(false)
        let surroundings: Surroundings
        private(set) var server = FakeServer([])
        private let record = #"{"hdurl":"https://example.org/better.gif","url":"https://example.org/worse.gif"}"#

        init() throws {
            surroundings = try Surroundings()
            let isBetterThere = isBetterThere
            server = FakeServer { request, _ in
                let isBetter = request.url.path == "/better.gif"
                if isBetter, !isBetterThere.withLock({ $0 }) { return FakeServer.Answer(status: 503) }
                return FakeServer.Answer(body: picture(isBetter ? 1 : 2))
            }
        }

        /// Runs `put` on the record in a new process.
        func put(
            _ change: (inout CacheSettings) -> Void = { _ in }, degrades: Bool = true, key: String? = nil
        ) throws -> Put {
            var settings = CacheSettings(root: surroundings.root)
            change(&settings)
            let log = Log(tool: "test", threshold: .warning, write: surroundings.messages.add)
            let caches = Caches(
                settings: settings, clock: surroundings.time.clock, log: log, interruption: surroundings.interruption)
            defer { caches.close() }
            var tool = PutTool(
                caches: caches, client: surroundings.client(server, retries: 2), rules: CacheItem.Rules(key: key),
                request: { HTTPRequest(url: $0) })
            tool.degrades = degrades
            var record = try Record(parsing: record.utf8)
            let before = asked
            try tool.perform(on: &record)
            let name = record.string("cache.url")?.split(separator: "/").last.map(String.init)
            return Put(name, record.bool("cache.degraded"), asked - before)
        }

        private var asked: Int { server.requests.count { $0.url.path == "/better.gif" } }
    }

    @Test func betterPictureIsTriedAgainAfterTenMinutes() throws {
        let world = try World()
        #expect(try world.put() == Put("worse.gif", true, 3))
        #expect(world.surroundings.messages.warnings.count == 1)
        #expect(world.surroundings.messages.warnings[0].contains("worse.gif instead"))
        #expect(try world.put() == Put("worse.gif", true, 0))
        #expect(world.surroundings.messages.warnings.count == 2)
        world.surroundings.time.advance(.seconds(601))
        // After one more attempt, the address is not tried for another ten minutes.
        #expect(try world.put() == Put("worse.gif", true, 1))
        #expect(try world.put() == Put("worse.gif", true, 0))
        world.surroundings.time.advance(.seconds(601))
        world.isBetterThere.update { $0 = true }
        #expect(try world.put() == Put("better.gif", nil, 1))
        #expect(try world.put() == Put("better.gif", nil, 0))
    }

    @Test func requestForTheBestPictureIgnoresThePause() throws {
        let world = try World()
        #expect(try world.put().isDegraded == true)
        #expect(throws: (any Error).self) { try world.put(degrades: false) }
        #expect(try world.put({ $0.refreshes = true }) == Put("worse.gif", true, 3))
        world.isBetterThere.update { $0 = true }
        #expect(try world.put(degrades: false) == Put("better.gif", nil, 1))
        #expect(try world.put() == Put("better.gif", nil, 0))
    }

    @Test func staleBetterPictureIsPreferredToAFallback() throws {
        let world = try World()
        world.isBetterThere.update { $0 = true }
        #expect(try world.put() == Put("better.gif", nil, 1))
        world.isBetterThere.update { $0 = false }
        world.surroundings.time.advance(.seconds(15 * 86_400))
        #expect(try world.put() == Put("better.gif", nil, 3))
        #expect(try world.put({ $0.servesStale = false }) == Put("worse.gif", true, 3))
        #expect(try world.put() == Put("better.gif", nil, 3))
    }

    @Test func cachedPictureIsServedOffline() throws {
        let world = try World()
        #expect(try world.put() == Put("worse.gif", true, 3))
        #expect(try world.put({ $0.isOffline = true }) == Put("worse.gif", true, 0))
    }

    @Test func customKeyStoresOnlyTheBestPicture() throws {
        let world = try World()
        #expect(throws: (any Error).self) { try world.put(key: "mine") }
        world.isBetterThere.update { $0 = true }
        #expect(try world.put(key: "mine") == Put("better.gif", nil, 1))
    }
}

extension CandidateChoice.State {
    fileprivate static let passing = CandidateChoice.State.failed(isTransient: true)
    fileprivate static let definite = CandidateChoice.State.failed(isTransient: false)
}

extension CandidateChoice.Step {
    fileprivate static func ask(_ index: Int) -> CandidateChoice.Step { .ask(index, once: false) }
}
