/// The exchanges that are going on with each host, and those that wait, first come, first served. Pure.
struct HostQueues: Sendable {
    private struct Queue {
        var active = 0
        /// The numbers of those that wait, the first one first.
        var waiting: [Int] = []
    }

    private let limit: Int
    private var queues: [String: Queue] = [:]
    private var lastNumber = 0

    /// - Parameter limit: how many exchanges may go on with one host, at least 1.
    init(limit: Int) { self.limit = max(limit, 1) }

    /// Hosts with exchanges that are going on or waiting. Others are forgotten, as a stream may name a million of them.
    var hosts: Set<String> { Set(queues.keys) }

    /// Begins an exchange and returns nil, or joins the host's queue and returns the number to call `begin` with.
    mutating func join(_ host: String) -> Int? {
        var queue = queues[host] ?? Queue()
        defer { queues[host] = queue }
        if queue.active < limit, queue.waiting.isEmpty {
            queue.active += 1
            return nil
        }
        lastNumber += 1
        queue.waiting.append(lastNumber)
        return lastNumber
    }

    /// Begins an exchange if it is this number's turn and there is room; returns whether it did.
    mutating func begin(_ number: Int, at host: String) -> Bool {
        guard let queue = queues[host], queue.active < limit, queue.waiting.first == number else { return false }
        queues[host]?.waiting.removeFirst()
        queues[host]?.active += 1
        return true
    }

    /// Leaves the queue without having begun.
    mutating func giveUp(_ number: Int, at host: String) {
        queues[host]?.waiting.removeAll { $0 == number }
        forgetIfIdle(host)
    }

    /// Ends an exchange.
    mutating func leave(_ host: String) {
        queues[host]?.active -= 1
        forgetIfIdle(host)
    }

    private mutating func forgetIfIdle(_ host: String) {
        if let queue = queues[host], queue.active == 0, queue.waiting.isEmpty { queues[host] = nil }
    }
}
