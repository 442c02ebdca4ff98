import HTTP
import Support
import Testing

@Suite struct RenewedQuotasTests {
    private let memory = MemoryQuotas()
    private let now = Timestamp(milliseconds: 1_000_000)

    private func isRefused(_ ledger: any QuotaLedger) throws -> Bool {
        if case .refused = try ledger.update("a", { $0.take(now: now) }) { return true }
        return false
    }

    private func refuse(_ ledger: any QuotaLedger) throws {
        try ledger.update("a") { $0.learn(QuotaReport(refusal: .seconds(3600)), number: 0, now: now) }
    }

    @Test func whatEarlierRunsKnewIsForgottenOnceAndWhatThisOneLearnsIsKept() throws {
        try refuse(memory)
        #expect(try isRefused(memory))
        let ledger = RenewedQuotas.over { [memory] _ in memory }
        let address = try WebURL("http://a/")
        #expect(try !isRefused(ledger(address)))
        try refuse(ledger(address))
        #expect(try isRefused(ledger(address)))
        #expect(try isRefused(memory))
    }
}
