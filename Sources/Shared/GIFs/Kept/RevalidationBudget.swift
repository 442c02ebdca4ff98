/// Limits how many expired GIFs one run requests again: they rarely change, and new ones need the requests. Pure.
struct RevalidationBudget: Equatable {
    /// A twentieth of the remaining requests may be spent.
    private static let divisor = 20

    private var taken = 0

    /// Returns whether another GIF may be requested, and counts it.
    ///
    /// - Parameter remaining: see `ServiceQuota.remaining`. Requests before the first answer are not limited, but count.
    mutating func take(remaining: Int?) -> Bool {
        if let remaining, taken >= remaining / Self.divisor { return false }
        taken += 1
        return true
    }
}
