import Store
import Support

/// What is still to be handed over, worked off by threads of its own while the run goes on.
///
/// It holds no bytes of pictures, only their files' names; still it is bounded in both, so that a remote that is slower
/// than the run costs neither memory nor, at the end, more than the agreed time.
final class OfferQueue: Sendable {
    private struct State {
        var waiting: [RemoteOffer] = []
        /// How many bytes those have.
        var bytes = 0
        /// How many are being handed over.
        var active = 0
        var threads: [Thread] = []
        /// How many were left out.
        var dropped = 0
        /// Whether nothing more is accepted.
        var isClosed = false
        /// Whether nobody waits any more.
        var isGivenUp = false
    }

    private let state = Monitor(State())
    private let push: @Sendable (RemoteOffer, _ check: @escaping @Sendable () throws -> Void) -> Void

    /// How many may wait.
    static let countLimit = 4096
    /// How many bytes those may have in all.
    static let byteLimit = 1 << 30
    /// How many go at once: each waits mostly for the server.
    static let threadLimit = 4

    /// - Parameter push: hands one over; calls `check` while it does, which throws once nobody waits any more.
    init(push: @escaping @Sendable (RemoteOffer, _ check: @escaping @Sendable () throws -> Void) -> Void) {
        self.push = push
    }

    /// Returns at once; false if there is no room.
    func add(_ offer: RemoteOffer) -> Bool {
        state.update { state in
            let (bytes, overflow) = state.bytes.addingReportingOverflow(offer.document.count)
            let isTooMuch = overflow || bytes > Self.byteLimit && !state.waiting.isEmpty
            guard !state.isClosed, !isTooMuch, state.waiting.count < Self.countLimit else {
                state.dropped += 1
                return false
            }
            state.waiting.append(offer)
            state.bytes = bytes
            if state.threads.count < min(Self.threadLimit, state.waiting.count + state.active),
                let thread = try? Thread.start({ [self] in work() })
            {
                state.threads.append(thread)
            }
            if state.threads.isEmpty {
                // The system has no thread left, and this is the only one that waits.
                state.waiting.removeAll()
                state.bytes = 0
                state.dropped += 1
                return false
            }
            return true
        }
    }

    private func work() {
        while let offer = next() {
            push(offer) { [state] in if state.withLock({ $0.isGivenUp }) { throw RemoteFailure.givenUp } }
            state.update { $0.active -= 1 }
        }
    }

    /// The oldest one, once there is one; nil at the end.
    private func next() -> RemoteOffer? {
        let next: RemoteOffer?? = state.wait { state in
            if state.isGivenUp || state.isClosed && state.waiting.isEmpty { return .some(nil) }
            guard !state.waiting.isEmpty else { return nil }
            let offer = state.waiting.removeFirst()
            state.bytes -= offer.document.count
            state.active += 1
            return .some(offer)
        }
        return next ?? nil
    }

    /// Waits until all are handed over, at most for `limit`, and gives up the rest. Returns how many were left out or
    /// given up. Nothing can be added afterwards.
    ///
    /// - Parameter isStopped: whether the run is being stopped, so that nobody waits.
    func close(atMost limit: Duration, isStopped: () -> Bool) -> Int {
        state.update { $0.isClosed = true }
        let end = SteadyTime.now() + limit
        var isDone = false
        while !isDone, !isStopped(), SteadyTime.now() < end {
            let step = min(end - SteadyTime.now(), .milliseconds(100))
            isDone = state.wait(atMost: step) { $0.waiting.isEmpty && $0.active == 0 ? true : nil } ?? false
        }
        let (rest, threads) = state.update { state in
            state.isGivenUp = true
            defer { (state.waiting, state.threads, state.dropped) = ([], [], 0) }
            return (state.waiting.count + state.active + state.dropped, state.threads)
        }
        for thread in threads { thread.join() }
        return rest
    }
}
