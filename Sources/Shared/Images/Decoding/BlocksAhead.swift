import Support

/// Blocks that a separate thread fills ahead of the reader. The number of blocks is fixed: the thread waits while all
/// of them are filled. If this object is freed, the thread stops before the next block.
final class BlocksAhead<Block: Sendable> {
    private let queue: BlockQueue<Block>
    private let spareThreads: ThreadBudget
    private var thread: Thread?

    /// Starts the thread. Returns nil if there is no spare thread; the caller must then do the work itself.
    ///
    /// - Parameter fill: runs on the thread, and fills blocks until the work is done or `nextFree` returns nil. If it
    ///   throws, `next` first returns the blocks filled so far, then throws the error.
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

    /// Returns the next filled block, or nil after the last block. The caller must pass each block to `free`.
    func next() throws -> Block? { try queue.nextFilled() }

    func free(_ block: Block) { queue.free(block) }

    /// Waits until the thread has filled the remaining blocks, and discards them.
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

/// The blocks shared by the filling thread and the reader.
final class BlockQueue<Block: Sendable>: Sendable {
    private struct State {
        var free: [Block]
        /// The oldest block is first.
        var filled: [Block] = []
        /// The result of the filling thread; nil while the thread runs.
        var outcome: Result<Void, any Error>?
        var isAbandoned = false
    }

    private let state: Monitor<State>

    fileprivate init(_ blocks: [Block]) { state = Monitor(State(free: blocks)) }

    // Called by the filling thread.

    /// Waits for a block to fill. Returns nil if the reader needs no more blocks.
    func nextFree() -> Block? {
        state.wait { state -> Block?? in
            if state.isAbandoned { return .some(nil) }
            return state.free.popLast().map { .some($0) }
        }
    }

    func fill(_ block: Block) { state.update { $0.filled.append(block) } }

    /// Must be the last call of the filling thread.
    fileprivate func end(_ outcome: Result<Void, any Error>) { state.update { $0.outcome = outcome } }

    // Called by the reader.

    /// Waits for the next filled block. After the last block, returns nil or throws the error of the filling thread.
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
