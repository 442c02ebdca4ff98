/// When something will be done, smoothed so that it reads as a clock that runs down: as long as the rate holds, what is
/// left never climbs.
struct TimeLeft: Sendable {
    private var finish: Duration?
    private var last = Duration.zero

    /// A later end than that is no wobble any more: the rate has fallen. In shares of what is left, and in seconds.
    private static let toleratedShare = 0.35
    private static let toleratedSeconds = 3.0
    /// How fast the clock may go when it was too early: at half its speed.
    private static let slowest = 0.5
    /// In how many seconds an end that was too late is brought forward.
    private static let settling = 3.0
    /// More than four days is a guess that helps nobody.
    private static let longest = 360_000.0

    /// - Parameter left: what the rate of this moment says, in seconds; nil if it says nothing.
    mutating func update(_ left: Double?, at now: Duration) {
        let elapsed = max((now - last).inSeconds, 0)
        last = now
        guard let left, left >= 0, left < Self.longest else {
            finish = nil
            return
        }
        let estimate = now + .seconds(left)
        guard let held = finish else {
            finish = estimate
            return
        }
        let later = (estimate - held).inSeconds
        if later > max(Self.toleratedSeconds, Self.toleratedShare * left) {
            finish = estimate
        } else if later > 0 {
            finish = held + .seconds(min(later, Self.slowest * elapsed))
        } else {
            finish = held + .seconds(later * min(elapsed / Self.settling, 1))
        }
    }

    /// Whole seconds that are left, at least one.
    func seconds(at now: Duration) -> Int? {
        finish.map { max(Int(($0 - now).inSeconds.rounded(.up)), 1) }
    }
}
