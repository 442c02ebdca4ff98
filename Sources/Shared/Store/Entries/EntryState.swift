/// The state of an entry in a list, whether or not it was ever asked for.
public enum EntryState: String, Sendable, CaseIterable {
    case fresh, expired
    /// A picture that is shown for others that cannot be had.
    case placeholder
}

extension CacheStore {
    public func state(of entry: Entry) -> EntryState {
        if EntryFilter.Kind(entry) == .placeholder { return .placeholder }
        return entry.isExpired(at: clock.now()) ? .expired : .fresh
    }
}
