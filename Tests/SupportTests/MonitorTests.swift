import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct MonitorTests {
    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(Int64.min), .nanoseconds(1), .milliseconds(1)])
    func waitWithAnExpiredLimitReturnsNilUnlessItsConditionHolds(limit: Duration) {
        #expect(Monitor(false).wait(atMost: limit) { $0 ? true : nil } == nil)
        #expect(Monitor(true).wait(atMost: limit) { $0 ? true : nil } == true)
    }

    @Test(arguments: [Duration.seconds(3600), .seconds(Int64.max)])
    func updateEndsAVeryLongWait(limit: Duration) throws {
        let monitor = Monitor(false)
        let thread = try Thread.start { monitor.update { $0 = true } }
        #expect(monitor.wait(atMost: limit) { $0 ? true : nil } == true)
        thread.join()
    }

    @Test func waitLastsUntilTheLimit() {
        let start = ContinuousClock.now
        #expect(Monitor(false).wait(atMost: .milliseconds(50)) { $0 ? true : nil } == nil)
        #expect(ContinuousClock.now - start >= .milliseconds(50))
    }
}
