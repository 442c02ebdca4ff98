import Support

/// Lets at most so many exchanges with one host go on at once; the others wait in the order in which they came.
public final class HostLimit: Sendable {
    /// Those who are at work with a host, and the numbers of those who wait, the first one first.
    private struct Host {
        var active = 0
        var waiting: [Int] = []
    }

    private struct State {
        var hosts: [String: Host] = [:]
        var nextNumber = 0
    }

    private let limit: Int
    private let state = Monitor(State())

    /// - Parameter limit: at least 1.
    public init(_ limit: Int) { self.limit = max(limit, 1) }

    /// Runs `body` once there is room for it. Throws `Cancelled` as soon as the run is stopped, and what `body` throws.
    func withRoom<Result>(
        at url: WebURL, interruption: Interruption, _ body: () throws -> Result
    ) throws -> Result {
        let name = url.hostWithoutDot
        try enter(name, interruption)
        defer { leave(name) }
        return try body()
    }

    private func enter(_ name: String, _ interruption: Interruption) throws {
        let number = state.update { state -> Int? in
            let host = state.hosts[name] ?? Host()
            if host.active < limit, host.waiting.isEmpty {
                state.hosts[name, default: host].active += 1
                return nil
            }
            state.nextNumber += 1
            state.hosts[name, default: host].waiting.append(state.nextNumber)
            return state.nextNumber
        }
        guard let number else { return }
        do {
            let hasRoom = try interruption.during(onCancel: { [state] in state.update { _ in } }) {
                state.wait { state -> Bool? in
                    guard interruption.cause == nil else { return false }
                    guard let host = state.hosts[name], host.active < limit, host.waiting.first == number else {
                        return nil
                    }
                    state.hosts[name]?.waiting.removeFirst()
                    state.hosts[name]?.active += 1
                    return true
                }
            }
            if !hasRoom { throw Cancelled() }
            // Whoever is the first now may have room too.
            state.update { _ in }
        } catch {
            state.update { state in
                state.hosts[name]?.waiting.removeAll { $0 == number }
                Self.forget(name, &state)
            }
            throw error
        }
    }

    private func leave(_ name: String) {
        state.update { state in
            state.hosts[name]?.active -= 1
            Self.forget(name, &state)
        }
    }

    /// Waits until so many wait for a host: for tests.
    func waitUntilWaiting(_ count: Int, at url: WebURL) {
        state.wait { $0.hosts[url.hostWithoutDot]?.waiting.count == count ? () : nil }
    }

    /// Whether nobody is at work, waits or is remembered.
    var isIdle: Bool { state.withLock { $0.hosts.isEmpty } }

    /// A stream may name a million hosts.
    private static func forget(_ name: String, _ state: inout State) {
        if let host = state.hosts[name], host.active == 0, host.waiting.isEmpty { state.hosts[name] = nil }
    }
}
