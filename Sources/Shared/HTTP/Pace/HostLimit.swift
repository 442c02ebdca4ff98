import Support

/// Limits parallel exchanges with a host. Further exchanges wait in order of arrival.
public final class HostLimit: Sendable {
    private let queues: Monitor<HostQueues>

    /// - Parameter limit: at least 1.
    public init(_ limit: Int) { queues = Monitor(HostQueues(limit: limit)) }

    /// Runs `body` as soon as the limit permits another exchange with the URL's host. Throws `Cancelled` if the run is
    /// stopped, and errors of `body`.
    func withRoom<Result>(at url: WebURL, interruption: Interruption, _ body: () throws -> Result) throws -> Result {
        let host = url.hostWithoutDot
        let number = queues.withLock { $0.join(host) }
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
        // Wakes the next exchange in the queue, which the limit may permit, too.
        queues.update { _ in }
        defer { queues.update { $0.leave(host) } }
        return try body()
    }
}

/// The active and waiting exchanges of each host, first come, first served. Never blocks: `HostLimit` waits.
struct HostQueues: Sendable {
    private struct Queue {
        var active = 0
        var waiting: [Int] = []
    }

    private let limit: Int
    private var queues: [String: Queue] = [:]
    private var lastNumber = 0

    /// - Parameter limit: the maximum number of active exchanges per host, at least 1.
    init(limit: Int) { self.limit = max(limit, 1) }

    /// Hosts with active or waiting exchanges. Idle hosts are removed, since a stream may contain a million hosts.
    var hosts: Set<String> { Set(queues.keys) }

    /// Joins the host's queue and returns the number for `begin`.
    mutating func join(_ host: String) -> Int {
        lastNumber += 1
        queues[host, default: Queue()].waiting.append(lastNumber)
        return lastNumber
    }

    /// Begins the exchange `number` if it is the first in the host's queue and the limit permits it. Returns whether it
    /// began.
    mutating func begin(_ number: Int, at host: String) -> Bool {
        guard let queue = queues[host], queue.active < limit, queue.waiting.first == number else { return false }
        queues[host]?.waiting.removeFirst()
        queues[host]?.active += 1
        return true
    }

    mutating func giveUp(_ number: Int, at host: String) {
        queues[host]?.waiting.removeAll { $0 == number }
        forgetIfIdle(host)
    }

    mutating func leave(_ host: String) {
        queues[host]?.active -= 1
        forgetIfIdle(host)
    }

    private mutating func forgetIfIdle(_ host: String) {
        if let queue = queues[host], queue.active == 0, queue.waiting.isEmpty { queues[host] = nil }
    }
}
