/// Decides which of a picture's addresses to request next. Addresses are ordered best first.
enum CandidateChoice {
    enum State: Equatable {
        case untried
        /// Failed transiently in an earlier run, and may be requested again.
        case due
        /// Failed transiently in an earlier run, and must not be requested yet.
        case resting
        /// Failed in this run.
        case failed(isTransient: Bool)
    }

    enum Step: Equatable {
        /// Request this address. `once` means without retries, because the address failed before and there is an
        /// alternative.
        case ask(Int, once: Bool)
        /// Fail with the failure of this address.
        case fail(Int)
    }

    /// - Parameters:
    ///   - states: the states of the addresses. Not empty.
    ///   - degrades: whether to use a picture of lower quality if a better picture fails transiently.
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
        // All other addresses failed in this run. Request a postponed address rather than fail.
        if let resting = states.firstIndex(of: .resting) { return .ask(resting, once: false) }
        return .fail(transient ?? 0)
    }

    /// Returns whether a better address than `index` may become available, because it failed transiently.
    static func isDegraded(_ index: Int, _ states: [State]) -> Bool {
        states[..<index].contains { $0 == .resting || $0 == .failed(isTransient: true) }
    }
}
