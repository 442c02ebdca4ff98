/// The estimated end of a run, smoothed so that the time left counts down: it never grows while the rate is constant.
struct TimeLeft: Sendable {
    private var finish: Duration?
    private var last = Duration.zero

    /// If the new estimate is later than the old estimate by more than this share of the time left, and by more than
    /// this number of seconds, the rate has dropped. The new estimate is then used without smoothing.
    private static let toleratedShare = 0.35
    private static let toleratedSeconds = 3.0
    /// The slowest speed of the countdown, in seconds per second, after an estimate that was too early.
    private static let slowest = 0.5
    /// An estimate that was too late is corrected over this number of seconds.
    private static let settling = 3.0
    /// The longest estimate in seconds; more than four days is a useless guess.
    private static let longest = 360_000.0

    /// - Parameter left: the seconds left at the current rate, if known.
    mutating func update(_ left: Double?, at now: Duration) {
        let elapsed = max((now - last).inSeconds, 0)
        last = now
        guard let left, left >= 0, left < Self.longest else {
            finish = nil
            return
        }
        let estimate = now + .seconds(left)
        guard let old = finish else {
            finish = estimate
            return
        }
        let later = (estimate - old).inSeconds
        if later > max(Self.toleratedSeconds, Self.toleratedShare * left) {
            finish = estimate
        } else if later > 0 {
            finish = old + .seconds(min(later, Self.slowest * elapsed))
        } else {
            finish = old + .seconds(later * min(elapsed / Self.settling, 1))
        }
    }

    /// Returns the whole seconds left, at least one.
    func seconds(at now: Duration) -> Int? { finish.map { max(Int(($0 - now).inSeconds.rounded(.up)), 1) } }
}
