import Store
import Support

/// A queue of uploads, and the threads that perform them.
///
/// Holds no picture data in memory. The number and total size of waiting uploads are limited, and `close` limits the
/// delay that a slow remote can cause at the end of a run.
final class UploadQueue: Sendable {
    private struct State {
        var waiting: [RemoteUpload] = []
        var bytes = 0
        var active = 0
        var threads: [Thread] = []
        /// The number of offers that `add` has refused.
        var refused = 0
        var isClosed = false
        /// Whether `close` has cancelled the remaining uploads.
        var isGivenUp = false
    }

    private let state = Monitor(State())
    private let push: @Sendable (RemoteUpload, _ check: @escaping @Sendable () throws -> Void) -> Void

    static let countLimit = 4096
    static let byteLimit = 1 << 30
    /// The maximum number of parallel uploads. Each thread spends most of its time waiting for the server.
    static let threadLimit = 4

    /// - Parameter push: uploads an offer. Calls `check` repeatedly, which throws once the queue has given up.
    init(push: @escaping @Sendable (RemoteUpload, _ check: @escaping @Sendable () throws -> Void) -> Void) {
        self.push = push
    }

    /// Adds an offer without waiting. Returns false if the queue is full or closed, or has no thread.
    func add(_ offer: RemoteUpload) -> Bool {
        state.update { state in
            let (bytes, overflow) = state.bytes.addingReportingOverflow(offer.document.count)
            let isTooMuch = overflow || bytes > Self.byteLimit && !state.waiting.isEmpty
            guard !state.isClosed, !isTooMuch, state.waiting.count < Self.countLimit else {
                state.refused += 1
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
                // No thread could be started, so this offer is the only one in the queue.
                state.waiting.removeAll()
                state.bytes = 0
                state.refused += 1
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

    /// Waits until an offer is queued, and removes the oldest offer. Returns nil once the queue is closed and empty, or
    /// has given up.
    private func next() -> RemoteUpload? {
        let next: RemoteUpload?? = state.wait { state in
            if state.isGivenUp || state.isClosed && state.waiting.isEmpty { return .some(nil) }
            guard !state.waiting.isEmpty else { return nil }
            let offer = state.waiting.removeFirst()
            state.bytes -= offer.document.count
            state.active += 1
            return .some(offer)
        }
        return next ?? nil
    }

    /// Closes the queue, waits at most `limit` for the uploads to finish, and cancels the unfinished uploads. Returns
    /// the number of cancelled uploads, and the number of uploads that `add` has refused.
    ///
    /// - Parameter isStopped: whether the run has been interrupted, which ends the wait.
    func close(atMost limit: Duration, isStopped: () -> Bool) -> (unfinished: Int, refused: Int) {
        state.update { $0.isClosed = true }
        let end = SteadyTime.now() + limit
        var isDone = false
        while !isDone, !isStopped(), SteadyTime.now() < end {
            let step = min(end - SteadyTime.now(), .milliseconds(100))
            isDone = state.wait(atMost: step) { $0.waiting.isEmpty && $0.active == 0 ? true : nil } ?? false
        }
        let (result, threads) = state.update { state in
            state.isGivenUp = true
            defer { (state.waiting, state.threads, state.refused) = ([], [], 0) }
            return ((state.waiting.count + state.active, state.refused), state.threads)
        }
        for thread in threads { thread.join() }
        return result
    }
}
