/// The number of bytes or records per second, over the last few seconds.
///
/// A sample is added only when the amount grows, so that the rate stays constant between bursts of bytes and pages of
/// records. The rate falls only after a pause of more than twice the usual interval.
struct Rate: Sendable, Equatable {
    private struct Sample: Sendable, Equatable {
        let amount: Int
        let time: Duration
    }

    /// The first sample is the start of the run until the rate is steady, later the oldest sample in the window.
    private var samples = [Sample(amount: 0, time: .zero)]
    private var startsAtZero = true
    private var now = Duration.zero
    private let window: Duration

    /// The number of samples to keep even if they are older than the window, so that slow records also have a rate.
    private static let fewestSamples = 4

    /// - Parameter window: the age beyond which samples are removed.
    init(window: Duration = .seconds(6)) { self.window = window }

    /// - Parameters:
    ///   - amount: the total so far.
    ///   - time: since the start of the run.
    mutating func sample(_ amount: Int, at time: Duration) {
        guard time > now else { return }
        now = time
        guard let last = samples.last, amount > last.amount else { return }
        samples.append(Sample(amount: amount, time: time))
        // Ignores the start of the run, which predicts nothing: the server first prepares its response, and then sends
        // a burst of bytes from buffers.
        if startsAtZero, samples.count > Self.fewestSamples, time - samples[1].time >= .seconds(2) {
            samples.removeFirst()
            startsAtZero = false
        }
        while samples.count > Self.fewestSamples, time - samples[1].time >= window { samples.removeFirst() }
    }

    /// Whether there are enough samples to predict the time left.
    var isSteady: Bool { !startsAtZero }

    /// Returns the estimated seconds until `amount` more has arrived; nil if the rate is 0. Subtracts the time since
    /// the last arrival, but at most the mean interval.
    func seconds(for amount: Int) -> Double? {
        guard perSecond > 0, let last = samples.last else { return nil }
        return max(Double(amount) / perSecond - min(now - last.time, interval).inSeconds, 0)
    }

    /// The mean time between two arrivals.
    private var interval: Duration {
        guard samples.count > 1, let first = samples.first, let last = samples.last else { return .zero }
        return (last.time - first.time) / (samples.count - 1)
    }

    /// The rate; 0 before the first arrival and after a long pause.
    var perSecond: Double {
        guard samples.count > 1, let first = samples.first, let last = samples.last else { return 0 }
        let span = last.time - first.time
        let silence = now - last.time
        if silence > max(window, interval * 4) { return 0 }
        return Double(last.amount - first.amount) / (span + max(silence - interval * 2, .zero)).inSeconds
    }
}
