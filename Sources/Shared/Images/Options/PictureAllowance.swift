import Support

/// What one picture has used of what it may cost.
final class PictureAllowance: Sendable {
    /// Its number in the run's memory budget.
    let number: Int
    /// When it began, later by what it has waited since.
    private let start = Monitor(SteadyTime.now())

    init(number: Int) { self.number = number }

    /// Throws `.tooSlow` if more than `limit` seconds will have been worked when the next `ahead` of them have passed.
    func check(seconds limit: Double, ahead: Double) throws(ImageError) {
        let worked = start.withLock { SteadyTime.now() - $0 }
        if worked / .seconds(1) + ahead > limit { throw .tooSlow(seconds: limit) }
    }

    /// Runs `body`, whose time does not count as the picture's.
    func waiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        let begun = SteadyTime.now()
        defer {
            let waited = SteadyTime.now() - begun
            start.withLock { $0 += waited }
        }
        return try body()
    }
}
