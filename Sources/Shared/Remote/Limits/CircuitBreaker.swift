/// Stops requests to the remote, until the end of the run, once too many requests have failed.
struct CircuitBreaker: Sendable, Equatable {
    /// The number of consecutive failures that opens the breaker. Five failures are unlikely to be a coincidence.
    static let limit = 5

    private(set) var isOpen = false
    private var failures = 0

    mutating func noteSuccess() { failures = 0 }

    /// Returns whether this failure opened the breaker.
    ///
    /// - Parameter isFinal: whether a retry would certainly fail too.
    mutating func noteFailure(isFinal: Bool) -> Bool {
        failures += 1
        guard !isOpen, isFinal || failures >= Self.limit else { return false }
        isOpen = true
        return true
    }
}
