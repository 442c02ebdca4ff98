/// How long a definite failure is remembered.
public enum NegativeTTL: Sendable, Equatable {
    /// Nothing is remembered.
    case none
    /// By what went wrong: what is gone for good the longest, what a changed setting of the server's may allow at any
    /// moment the shortest.
    case byClass
    /// Everything that is definite for the same time.
    case always(Duration)
}
