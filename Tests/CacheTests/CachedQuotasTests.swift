import HTTP
import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Quotas stored in the index of a cache root.
@Suite struct CachedQuotasTests {
    private let world: Surroundings
    init() throws { world = try Surroundings() }

    private let nasa = "a3f1"

    private func ledger(scope: String? = nil) -> CachedQuotas {
        CachedQuotas(log: Log(tool: "test", threshold: .detail, write: world.messages.add)) { [world] in
            try world.cache(scope: scope)
        }
    }

    private func refusal(_ limit: Int, for span: Duration = .seconds(90_000)) -> QuotaRefusal {
        QuotaRefusal(until: world.time.now + span, limit: limit)
    }

    private func rows() throws -> [String] {
        try world.cache().index.perform { try $0.database.all("SELECT name FROM quotas ORDER BY 1") { $0.string(0) } }
    }

    @Test func scopesOfARootShareQuotas() throws {
        try ledger(scope: "alice").keep(refusal(700), of: nasa)

        let other = ledger(scope: "bob")
        #expect(try other.refusal(of: nasa) == refusal(700))
        #expect(try other.refusal(of: "another") == nil)
        try other.keep(refusal(5), of: nasa)
        #expect(try ledger().refusal(of: nasa) == refusal(5))
        try other.keep(nil, of: nasa)
        #expect(try ledger().refusal(of: nasa) == nil)
        #expect(try rows() == [])
    }

    @Test func readingAQuotaWritesNothing() throws {
        let quotas = ledger()
        for _ in 0..<3 { #expect(try quotas.refusal(of: nasa) == nil) }
        #expect(try rows() == [])
    }

    @Test func indexIsOpenedAtTheFirstRead() throws {
        let quotas = ledger()
        #expect(access(world.root, F_OK) != 0)
        _ = try quotas.refusal(of: nasa)
        #expect(access(world.root, F_OK) == 0)
    }

    @Test func concurrentRefusalsAreAllStored() throws {
        let shared = ledger()
        let results = try together(6) { [world, refusal = refusal(9)] worker in
            let quotas = worker < 3 ? shared : CachedQuotas { try world.cache() }
            for number in 0..<5 { try quotas.keep(refusal, of: "server \(worker) \(number)") }
        }
        for result in results { try result.get() }
        #expect(try rows().count == 30)
    }

    @Test func quotaIsForgottenAfterADay() throws {
        let kept = refusal(6)
        try ledger().keep(refusal(5), of: nasa)
        world.time.advance(.seconds(80_000))
        try ledger().keep(kept, of: "another")
        world.time.advance(.seconds(7000))

        #expect(try ledger().refusal(of: nasa) == nil)
        #expect(try ledger().refusal(of: "another") == kept)
        #expect(try rows() == ["a3f1", "another"])
        try ledger().keep(refusal(8), of: "third")
        #expect(try rows() == ["another", "third"])
    }

    @Test func refusalFromTheFutureIsIgnored() throws {
        try ledger().keep(refusal(5), of: nasa)
        world.time.advance(.seconds(-61))
        #expect(try ledger().refusal(of: nasa) == nil)
    }

    @Test func unreadableRowIsIgnored() throws {
        try ledger().keep(refusal(5), of: nasa)
        try world.cache().index.perform { try $0.database.execute("UPDATE quotas SET state = 'refused=later'") }

        #expect(try ledger().refusal(of: nasa) == nil)
        try ledger().keep(refusal(9), of: nasa)
        #expect(try ledger().refusal(of: nasa) == refusal(9))
    }

    @Test func purgeKeepsQuotasAndResetRemovesThem() throws {
        try ledger().keep(refusal(5), of: nasa)
        _ = try world.cache().scopes.purge(.standard)
        #expect(try ledger().refusal(of: nasa) == refusal(5))

        _ = try world.cache().scopes.reset()
        #expect(try ledger().refusal(of: nasa) == nil)
    }

    @Test func quotasAreEmptyAfterTheRootIsRemoved() throws {
        let quotas = ledger()
        try quotas.keep(refusal(5), of: nasa)
        Surroundings.removeTree(world.root)

        #expect(try quotas.refusal(of: nasa) == nil)
        try quotas.keep(refusal(4), of: nasa)
        #expect(try ledger().refusal(of: nasa) == refusal(4))
    }

    // MARK: Unusable roots

    @Test(arguments: [
        CacheFailure.readOnly(root: "/r"), .cannotMakeRoot(path: "/r", errno: EACCES), .diskFull(root: "/r"),
    ])
    func quotasStayInMemoryIfTheRootIsUnusable(_ failure: CacheFailure) throws {
        let opened = Monitor(0)
        let quotas = CachedQuotas(log: Log(tool: "test", threshold: .detail, write: world.messages.add)) {
            opened.update { $0 += 1 }
            throw failure
        }
        try quotas.keep(refusal(5), of: nasa)

        #expect(try quotas.refusal(of: nasa) == refusal(5))
        #expect(opened.withLock { $0 } == 1)
        let words = "cannot share the request limits with other processes: \(failure.message)"
        #expect(world.messages.all == ["test: \(words)\n"])
    }

    @Test func quotasStayInMemoryIfTheDiskFillsUpLater() async {
        await #expect(processExitsWith: .success) {
            let world = try Surroundings()
            let quotas = CachedQuotas { try world.cache() }
            let until = world.time.now + .seconds(60)
            try quotas.keep(QuotaRefusal(until: until, limit: 5), of: "a")
            try limitFiles(to: 0)

            try quotas.keep(QuotaRefusal(until: until, limit: 4), of: "a")

            #expect(try quotas.refusal(of: "a")?.limit == 4)
        }
    }

    @Test func newerLayoutIsReported() throws {
        try ledger().keep(refusal(5), of: nasa)
        try world.cache().index.perform { try $0.database.execute("PRAGMA user_version = 99") }

        let error = #expect(throws: CacheFailure.self) { try ledger().refusal(of: nasa) }
        #expect(error?.exitCode == .configuration)
    }

    @Test func cancellationIsNotTreatedAsAnUnusableRoot() throws {
        let quotas = CachedQuotas { throw Cancelled() }
        #expect(throws: Cancelled.self) { try quotas.refusal(of: nasa) }
    }
}
