/// When something will be done, smoothed so that it reads like a countdown: as long as the rate holds, the time left
/// never grows.
struct TimeLeft: Sendable {
    private var finish: Duration?
    private var last = Duration.zero

    /// How much later the end may become before that means that the rate has fallen. A share of what is left, and
    /// seconds.
    private static let toleratedShare = 0.35
    private static let toleratedSeconds = 3.0
    /// How slowly the countdown may run if it was too early: at half speed.
    private static let slowest = 0.5
    /// How many seconds it takes to bring an end forward that was too late.
    private static let settling = 3.0
    /// More than four days is a useless guess.
    private static let longest = 360_000.0

    /// - Parameter left: seconds left at the present rate; nil if that says nothing.
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
