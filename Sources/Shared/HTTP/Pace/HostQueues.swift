/// Who is at work with each host, and who waits for it, first come, first served. Pure.
struct HostQueues: Sendable {
    private struct Queue {
        var active = 0
        /// The numbers of those who wait, the first one first.
        var waiting: [Int] = []
    }

    private let limit: Int
    private var queues: [String: Queue] = [:]
    private var lastNumber = 0

    /// - Parameter limit: how many may be at work with one host, at least 1.
    init(limit: Int) { self.limit = max(limit, 1) }

    /// Hosts that somebody is at work with or waits for. Others are forgotten, as a stream may name a million of them.
    var hosts: Set<String> { Set(queues.keys) }

    /// Begins work with a host and returns nil, or joins its queue and returns the number to ask `begin` with.
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

    /// Begins work with a host if it is this number's turn and there is room; returns whether it did.
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

    /// Ends work with a host.
    mutating func leave(_ host: String) {
        queues[host]?.active -= 1
        forgetIfIdle(host)
    }

    private mutating func forgetIfIdle(_ host: String) {
        if let queue = queues[host], queue.active == 0, queue.waiting.isEmpty { queues[host] = nil }
    }
}
