/// How many bytes or records came in a second, over the last few seconds.
///
/// Only moments at which something came are kept. What comes in bursts or pages has a constant rate, and the rate falls
/// only if nothing comes for longer than before.
struct Rate: Sendable, Equatable {
    private struct Sample: Sendable, Equatable {
        let amount: Int
        let time: Duration
    }

    /// The beginning, until enough has come after it; then the oldest moment that still counts.
    private var samples = [Sample(amount: 0, time: .zero)]
    private var startsAtZero = true
    private var now = Duration.zero
    private let window: Duration

    /// This many moments count however long ago they were, so that a few slow records have a rate too.
    private static let fewestSamples = 4

    /// - Parameter window: how long a moment counts.
    init(window: Duration = .seconds(6)) { self.window = window }

    /// - Parameters:
    ///   - amount: all that has come so far.
    ///   - time: since the beginning.
    mutating func sample(_ amount: Int, at time: Duration) {
        guard time > now else { return }
        now = time
        guard let last = samples.last, amount > last.amount else { return }
        samples.append(Sample(amount: amount, time: time))
        // The first bytes arrive differently: late, while a server thinks, and then many at once, out of buffers.
        if startsAtZero, samples.count > Self.fewestSamples, time - samples[1].time >= .seconds(2) {
            samples.removeFirst()
            startsAtZero = false
        }
        while samples.count > Self.fewestSamples, time - samples[1].time >= window { samples.removeFirst() }
    }

    /// Whether enough has come to predict how fast the rest will come.
    var isSteady: Bool { !startsAtZero }

    /// How many seconds it takes for this much more to come, less the time since something came last; nil if that is
    /// unknown.
    func seconds(for amount: Int) -> Double? {
        guard perSecond > 0, let last = samples.last else { return nil }
        return max(Double(amount) / perSecond - min(now - last.time, interval).inSeconds, 0)
    }

    /// The time between two moments at which something came.
    private var interval: Duration {
        guard samples.count > 1, let first = samples.first, let last = samples.last else { return .zero }
        return (last.time - first.time) / (samples.count - 1)
    }

    /// Zero before anything came, and once nothing has come for long.
    var perSecond: Double {
        guard samples.count > 1, let first = samples.first, let last = samples.last else { return 0 }
        let span = last.time - first.time
        let silence = now - last.time
        if silence > max(window, interval * 4) { return 0 }
        return Double(last.amount - first.amount) / (span + max(silence - interval * 2, .zero)).inSeconds
    }
}
