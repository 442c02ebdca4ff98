import Testing

@testable import Support

/// Estimates of the time left.
struct TimeLeftTests {
    /// Returns the time left, in seconds, that a simulated download shows at each tenth of a second. Omits the times
    /// without an estimate.
    ///
    /// - Parameter received: returns the number of bytes received up to a time in seconds.
    private func leftOver(_ seconds: Double, total: Int, received: (Double) -> Int) -> [Int] {
        var state = ProgressState(began: .zero, expected: 1)
        let number = state.begin("m31.jpg")
        state.expect(number, bytes: 0, total: total)
        var shown: [Int] = []
        // Drawing starts after half a second.
        for tenth in 5..<Int(seconds * 10) {
            let now = Duration.milliseconds(tenth * 100)
            state.receive(number, min(received(Double(tenth) / 10), total) - state.received)
            state.sampleRate(at: now)
            if let left = state.secondsLeft(at: now) { shown.append(left) }
        }
        return shown
    }

    private func climbs(_ shown: [Int]) -> Int { zip(shown, shown.dropFirst()).count { $1 > $0 } }

    @Test func timeLeftNeverGrowsAtAConstantRate() {
        let total = 60_000_000
        let even = leftOver(60, total: total) { Int($0 * 1e6) }
        #expect(climbs(even) == 0 && even.count > 500, "\(even)")
        // The data arrives in bursts, late, or with a burst at the start.
        for pause in [0.3, 0.7, 1.3, 2.1] {
            let bursts = leftOver(60, total: total) { Int(($0 / pause).rounded(.down) * pause * 1e6) }
            #expect(climbs(bursts) == 0 && bursts.count > 400, "\(pause): \(bursts)")
        }
        let late = leftOver(60, total: total) { max(Int(($0 - 4) * 1e6), 0) }
        #expect(climbs(late) == 0, "\(late)")
        let early = leftOver(55, total: total) { 5_000_000 + Int($0 * 1e6) }
        #expect(climbs(early) == 0, "\(early)")
    }

    @Test(arguments: 1...20) func timeLeftNeverGrowsWhileTheRateFluctuates(_ seed: UInt64) {
        var random = LinearGenerator(state: seed)
        var received = 0.0
        let shown = leftOver(100, total: 100_000_000) { _ in
            received += 1e5 * Double.random(in: 0.4...1.6, using: &random)
            return Int(received)
        }
        #expect(climbs(shown) == 0, "\(shown)")
        // The first estimate is right within about a quarter.
        #expect(shown.count > 300 && (80...125).contains(shown[0]), "\(shown)")
    }

    @Test func timeLeftFollowsAFallingRate() {
        let shown = leftOver(90, total: 60_000_000) { $0 < 20 ? Int($0 * 1e6) : Int(20e6 + ($0 - 20) * 2.5e5) }
        // After 20 s, 40 s are left. After 10 s more, at a quarter of the rate, 150 s are left.
        let late = shown[shown.count - 600]
        #expect((120...165).contains(late), "\(shown)")
    }

    @Test func timeLeftDoesNotGrowBetweenRecords() {
        var state = ProgressState(began: .zero, expected: 20)
        var shown: [Int] = []
        for tenth in 5..<780 {
            // One record every four seconds.
            if tenth % 40 == 0 { state.finishRecord(failed: false) }
            state.sampleRate(at: .milliseconds(tenth * 100))
            if let left = state.secondsLeft(at: .milliseconds(tenth * 100)) { shown.append(left) }
        }
        #expect(climbs(shown) == 0 && shown.count > 700, "\(shown)")
        #expect((70...80).contains(shown[0]) && shown[shown.count - 1] <= 4, "\(shown)")
    }
}

/// The generator of Knuth's MMIX, which returns the same numbers in every run.
private struct LinearGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 31)
    }
}
