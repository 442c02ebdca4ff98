import Support

/// Blocks that a separate thread fills ahead of their reader. Their number is fixed: the thread waits if it is far
/// ahead, and stops at the next block if this object is freed.
final class BlocksAhead<Block: Sendable> {
    private let queue: BlockQueue<Block>
    private let spareThreads: ThreadBudget
    private var thread: Thread?

    /// Starts the thread. Nil if there is no spare thread: then the caller does the work.
    ///
    /// - Parameter fill: the work of the thread: fills free blocks until `nextFree` returns nil. Its error is thrown by
    ///   `next` behind the blocks that came before.
    init?(
        _ makeBlocks: @autoclosure () -> [Block], spareThreads: ThreadBudget,
        fill: @escaping @Sendable (BlockQueue<Block>) throws -> Void
    ) {
        guard spareThreads.take() else { return nil }
        let queue = BlockQueue(makeBlocks())
        guard let thread = try? Thread.start({ queue.end(Result { try fill(queue) }) }) else {
            spareThreads.giveBack()
            return nil
        }
        self.queue = queue
        self.spareThreads = spareThreads
        self.thread = thread
    }

    deinit { end() }

    /// The next filled block, which the caller must free; nil after the last.
    func next() throws -> Block? { try queue.nextFilled() }

    func free(_ block: Block) { queue.free(block) }

    /// Waits for the end of the thread's work, which fills the remaining blocks all the same.
    func finish() throws {
        defer { end() }
        while let unread = try queue.nextFilled() { queue.free(unread) }
    }

    private func end() {
        guard let thread else { return }
        self.thread = nil
        queue.abandon()
        thread.join()
        spareThreads.giveBack()
    }
}

/// Blocks that go between the filling thread and the reader.
final class BlockQueue<Block: Sendable>: Sendable {
    private struct State {
        var free: [Block]
        /// In order.
        var filled: [Block] = []
        /// The result of the filling thread, after its end.
        var outcome: Result<Void, any Error>?
        var isAbandoned = false
    }

    private let state: Monitor<State>

    fileprivate init(_ blocks: [Block]) { state = Monitor(State(free: blocks)) }

    // Calls of the filling thread.

    /// A block to fill; nil if no more are wanted.
    func nextFree() -> Block? {
        state.wait { state -> Block?? in
            if state.isAbandoned { return .some(nil) }
            return state.free.popLast().map { .some($0) }
        }
    }

    func fill(_ block: Block) { state.update { $0.filled.append(block) } }

    /// The last call of the filling thread.
    fileprivate func end(_ outcome: Result<Void, any Error>) { state.update { $0.outcome = outcome } }

    // Calls of the reader.

    /// The next filled block; nil after the last. Throws the error of the filling thread after all of its blocks.
    fileprivate func nextFilled() throws -> Block? {
        let next: Result<Block?, any Error> = state.wait { state in
            if !state.filled.isEmpty { return .success(state.filled.removeFirst()) }
            return state.outcome?.map { nil }
        }
        return try next.get()
    }

    fileprivate func free(_ block: Block) { state.update { $0.free.append(block) } }

    fileprivate func abandon() { state.update { $0.isAbandoned = true } }
}
