import HTTP
import Libc
import Support
import Testing

@testable import Fetch
@testable import Store
@testable import Tools

/// Quotas in the index of a root.
@Suite struct CachedQuotasTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private let nasa = "a3f1"

    private func ledger(scope: String? = nil) -> CachedQuotas {
        CachedQuotas(log: Log(tool: "test", threshold: .detail, write: world.messages.add)) { [world] in
            try world.cache(scope: scope)
        }
    }

    /// Tells the ledger what a server has said.
    private func learn(_ quotas: CachedQuotas, _ name: String, remaining: Int) throws {
        try quotas.update(name) { [now = world.time.now] in
            $0.learn(QuotaReport(limit: 1000, remaining: remaining), number: 0, now: now)
        }
    }

    private func remaining(_ quotas: CachedQuotas, _ name: String) throws -> Int? {
        try quotas.update(name) { $0.remaining }
    }

    private func rows() throws -> [String] {
        try world.cache().index.perform { try $0.database.all("SELECT name FROM quotas ORDER BY 1") { $0.string(0) } }
    }

    @Test func allWhoUseTheRootShareThemWhateverTheirScope() throws {
        try learn(ledger(scope: "alice"), nasa, remaining: 700)

        let other = ledger(scope: "bob")
        #expect(try remaining(other, nasa) == 700)
        #expect(try remaining(other, "another") == nil)
        let turn = try other.update(nasa) { [now = world.time.now] in $0.take(now: now) }

        #expect(turn == .go(after: .zero, number: 1))
        #expect(try remaining(ledger(), nasa) == 699)
    }

    @Test func ofAServerThatCountsNothingNothingIsWritten() throws {
        let quotas = ledger()
        let cache = try world.cache()
        try cache.requireWriting()
        let before = cache.index.version()
        for _ in 0..<3 { _ = try quotas.update(nasa) { [now = world.time.now] in $0.take(now: now) } }
        #expect(try rows() == [])
        #expect(before != nil)
    }

    @Test func theIndexIsOpenedWithTheFirstRequest() throws {
        let quotas = ledger()
        #expect(access(world.root, F_OK) != 0)
        _ = try remaining(quotas, nasa)
        #expect(access(world.root, F_OK) == 0)
    }

    @Test func takesOfManyThreadsAndCachesAreAllCounted() throws {
        try learn(ledger(), nasa, remaining: 1000)
        let shared = ledger()
        let results = try together(6) { [nasa, world] worker in
            let quotas = worker < 3 ? shared : ledger()
            return try (0..<20).map { _ in
                try quotas.update(nasa) { [now = world.time.now] in $0.take(now: now) }
            }
        }
        let turns = try results.flatMap { try $0.get() }
        let numbers = turns.compactMap { turn -> Int? in
            if case .go(_, let number) = turn { number } else { nil }
        }
        #expect(numbers.sorted() == Array(1...120))
        #expect(try remaining(ledger(), nasa) == 880)
    }

    @Test func whatWasNotUsedForADayIsForgotten() throws {
        try learn(ledger(), nasa, remaining: 5)
        try learn(ledger(), "another", remaining: 6)
        world.time.advance(.seconds(80_000))
        try learn(ledger(), "another", remaining: 7)
        world.time.advance(.seconds(7000))

        #expect(try remaining(ledger(), nasa) == nil)
        #expect(try rows() == ["a3f1", "another"])
        try learn(ledger(), "third", remaining: 8)
        #expect(try rows() == ["another", "third"])
    }

    @Test func whatCannotBeUnderstoodIsBegunAnew() throws {
        try learn(ledger(), nasa, remaining: 5)
        try world.cache().index.perform { try $0.database.execute("UPDATE quotas SET state = 'limit=many'") }

        #expect(try remaining(ledger(), nasa) == nil)
        try learn(ledger(), nasa, remaining: 9)
        #expect(try remaining(ledger(), nasa) == 9)
    }

    @Test func aPurgeLeavesThemAndAResetTakesThem() throws {
        try learn(ledger(), nasa, remaining: 5)
        _ = try world.cache().purge(.standard)
        #expect(try remaining(ledger(), nasa) == 5)

        _ = try world.cache().reset()
        #expect(try remaining(ledger(), nasa) == nil)
    }

    @Test func aRemovedRootBeginsAnew() throws {
        let quotas = ledger()
        try learn(quotas, nasa, remaining: 5)
        Surroundings.removeTree(world.root)

        #expect(try remaining(quotas, nasa) == nil)
        try learn(quotas, nasa, remaining: 4)
        #expect(try remaining(ledger(), nasa) == 4)
    }

    // MARK: Roots that cannot be used

    @Test(arguments: [
        CacheFailure.readOnly(root: "/r"), .cannotMakeRoot(path: "/r", errno: EACCES), .diskFull(root: "/r"),
    ])
    func whereTheRootCannotBeUsedTheProcessCountsAlone(_ failure: CacheFailure) throws {
        let opened = Monitor(0)
        let quotas = CachedQuotas(log: Log(tool: "test", threshold: .detail, write: world.messages.add)) {
            opened.update { $0 += 1 }
            throw failure
        }
        try learn(quotas, nasa, remaining: 5)

        #expect(try remaining(quotas, nasa) == 5)
        #expect(opened.withLock { $0 } == 1)
        #expect(world.messages.all.count == 1 && world.messages.all[0].contains(failure.message))
    }

    @Test func aDiskThatIsFullLaterChangesNothing() async {
        await #expect(processExitsWith: .success) {
            let world = try Surroundings()
            let quotas = CachedQuotas { try world.cache() }
            let now = world.time.now
            try quotas.update("a") { $0.learn(QuotaReport(limit: 1000, remaining: 5), number: 0, now: now) }
            try limitFiles(to: 0)

            try quotas.update("a") { $0.learn(QuotaReport(limit: 1000, remaining: 4), number: 0, now: now) }

            #expect(try quotas.update("a") { $0.remaining } == 4)
        }
    }

    @Test func aNewerLayoutIsNotPassedOver() throws {
        try learn(ledger(), nasa, remaining: 5)
        try world.cache().index.perform { try $0.database.execute("PRAGMA user_version = 99") }

        let error = #expect(throws: CacheFailure.self) { try remaining(ledger(), nasa) }
        #expect(error?.exitCode == .configuration)
    }

    @Test func aStoppedRunAsksNoMore() throws {
        let quotas = CachedQuotas { throw Cancelled() }
        #expect(throws: Cancelled.self) { try remaining(quotas, nasa) }
    }
}
