/// Says when something has failed too often to be asked again in this run. Pure.
struct Circuit: Sendable, Equatable {
    /// How many failures in a row are too many: more than come together by chance.
    static let limit = 5

    private(set) var isOpen = false
    private var failures = 0

    mutating func noteSuccess() { failures = 0 }

    /// Returns whether this failure was the one too many.
    ///
    /// - Parameter isFinal: whether it would fail again for certain.
    mutating func noteFailure(isFinal: Bool) -> Bool {
        failures += 1
        guard !isOpen, isFinal || failures >= Self.limit else { return false }
        isOpen = true
        return true
    }
}
