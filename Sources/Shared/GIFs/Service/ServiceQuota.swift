import Support

/// The number of remaining requests in the service's first answer of this run.
public final class ServiceQuota: Sendable {
    private let state = Monitor<Int?>(nil)

    public init() {}

    /// Nil if no answer had the number.
    var remaining: Int? { state.withLock { $0 } }

    func note(remaining: Int?) { state.withLock { $0 = $0 ?? remaining } }
}
