/// Decides which of a picture's addresses to ask, from what is known of each, the best one first. Pure.
enum CandidateChoice {
    /// What is known of one address.
    enum State: Equatable {
        case untried
        /// It failed for a time, a while ago.
        case due
        /// It failed for a time just now, in an earlier run.
        case resting
        /// It has failed in this run.
        case failed(isTransient: Bool)
    }

    enum Step: Equatable {
        /// Ask this one; once, if there is another to go on with and no reason to expect much.
        case ask(Int, once: Bool)
        /// Give up with the failure of this one.
        case fail(Int)
    }

    /// Returns what to do next.
    ///
    /// - Parameters:
    ///   - states: at least one.
    ///   - degrades: whether a worse picture will do while a better one cannot be had for a time.
    static func next(_ states: [State], degrades: Bool) -> Step {
        let transient = states.firstIndex(of: .failed(isTransient: true))
        if !degrades, let transient { return .fail(transient) }
        for (index, state) in states.enumerated() {
            switch state {
            case .untried: return .ask(index, once: false)
            case .due: return .ask(index, once: degrades && index + 1 < states.count)
            case .resting where !degrades: return .ask(index, once: false)
            case .resting, .failed: continue
            }
        }
        // Nothing else is left.
        if let resting = states.firstIndex(of: .resting) { return .ask(resting, once: false) }
        return .fail(transient ?? 0)
    }

    /// Whether a picture at this address stands in for a better one that may be had later.
    static func isDegraded(_ index: Int, _ states: [State]) -> Bool {
        states[..<index].contains { $0 == .resting || $0 == .failed(isTransient: true) }
    }
}
