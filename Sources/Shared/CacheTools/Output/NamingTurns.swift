import Support

/// The order in which the records of a run claim names. If two records have the same name, the earlier record gets the
/// name, even if the later record is fetched or decoded first.
final class NamingTurns: Sendable {
    private struct State {
        var next = 0
        var current = 0
        /// Turns that ended before they became current.
        var ended: Set<Int> = []
    }

    private let state = Monitor(State())

    func next() -> NamingTurn {
        state.withLock { state in
            defer { state.next += 1 }
            return NamingTurn(number: state.next, turns: self)
        }
    }

    fileprivate func wait(for number: Int) { state.wait { $0.current >= number ? () : nil } }

    fileprivate func end(_ number: Int) {
        state.update { state in
            guard number >= state.current else { return }
            state.ended.insert(number)
            while state.ended.remove(state.current) != nil { state.current += 1 }
        }
    }
}

/// The turn of one record. The deinitializer ends the turn, so that a dropped record does not block later records.
public final class NamingTurn: Sendable {
    private let number: Int
    private let turns: NamingTurns

    fileprivate init(number: Int, turns: NamingTurns) {
        self.number = number
        self.turns = turns
    }

    deinit { end() }

    /// Waits until the turns of all earlier records have ended. Cannot deadlock, because threads start records in
    /// order.
    public func wait() { turns.wait(for: number) }

    /// Ends the turn. Does nothing if the turn has already ended.
    public func end() { turns.end(number) }
}
