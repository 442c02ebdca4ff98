import Support

/// The time that a picture has used.
final class PictureAllowance: Sendable {
    /// The picture in the run's memory budget.
    let number: Int
    /// The start of the work, postponed by later waits.
    private let start = Monitor(SteadyTime.now())

    init(number: Int) { self.number = number }

    /// Throws `.tooSlow` if the work so far plus the next `ahead` seconds exceeds `limit`.
    func check(seconds limit: Double, ahead: Double) throws(ImageError) {
        let worked = start.withLock { SteadyTime.now() - $0 }
        if worked / .seconds(1) + ahead > limit { throw .tooSlow(seconds: limit) }
    }

    /// Runs `body` without counting its time.
    func waiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        let begun = SteadyTime.now()
        defer {
            let waited = SteadyTime.now() - begun
            start.withLock { $0 += waited }
        }
        return try body()
    }
}
