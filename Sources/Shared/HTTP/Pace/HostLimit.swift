import Support

/// Limits how many exchanges with one host go on at once; the others wait in the order in which they came.
public final class HostLimit: Sendable {
    private let queues: Monitor<HostQueues>

    /// - Parameter limit: at least 1.
    public init(_ limit: Int) { queues = Monitor(HostQueues(limit: limit)) }

    /// Runs `body` once there is room for it. Throws `Cancelled` as soon as the run is stopped, and what `body` throws.
    func withRoom<Result>(
        at url: WebURL, interruption: Interruption, _ body: () throws -> Result
    ) throws -> Result {
        let host = url.hostWithoutDot
        if let number = queues.update({ $0.join(host) }) { try wait(number, host, interruption) }
        defer { queues.update { $0.leave(host) } }
        return try body()
    }

    private func wait(_ number: Int, _ host: String, _ interruption: Interruption) throws {
        do {
            try interruption.during(onCancel: { [queues] in queues.update { _ in } }) {
                let hasBegun = queues.wait { queues -> Bool? in
                    if interruption.cause != nil { return false }
                    return queues.begin(number, at: host) ? true : nil
                }
                if !hasBegun { throw Cancelled() }
            }
        } catch {
            queues.update { $0.giveUp(number, at: host) }
            throw error
        }
        // There may be room for the next one, too.
        queues.update { _ in }
    }
}
