import Support

/// Blocks that a thread of its own fills ahead of the one that empties them. There are only so many: the thread waits if
/// it is far ahead. If this is dropped half-way, the thread stops at its next block.
final class BlocksAhead<Block: Sendable> {
    private let queue: BlockQueue<Block>
    private let spareThreads: SpareThreads
    private var thread: Thread?

    /// Starts the thread. Nil if none is to be had: then the caller has to do all by itself.
    ///
    /// - Parameter fill: the thread's whole work: takes free blocks and fills them, until there are none to be had. What
    ///   it throws, `next` throws behind the blocks that came before.
    init?(
        _ makeBlocks: @autoclosure () -> [Block], spareThreads: SpareThreads,
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

    /// The next filled block, which has to be freed; nil behind the last one.
    func next() throws -> Block? { try queue.nextFilled() }

    func free(_ block: Block) { queue.free(block) }

    /// Waits for the end of the thread's work; blocks that were not asked for are filled all the same.
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

/// Blocks on their way between the thread that fills them and the one that empties them.
final class BlockQueue<Block: Sendable>: Sendable {
    private struct State {
        var free: [Block]
        /// First come, first served.
        var filled: [Block] = []
        /// How the filling thread ended.
        var outcome: Result<Void, any Error>?
        var isAbandoned = false
    }

    private let state: Monitor<State>

    fileprivate init(_ blocks: [Block]) { state = Monitor(State(free: blocks)) }

    // What the filling thread calls.

    /// A block to fill; nil if nobody wants any more.
    func nextFree() -> Block? {
        state.wait { state -> Block?? in
            if state.isAbandoned { return .some(nil) }
            return state.free.popLast().map { .some($0) }
        }
    }

    func fill(_ block: Block) { state.update { $0.filled.append(block) } }

    /// The filling thread's last call.
    fileprivate func end(_ outcome: Result<Void, any Error>) { state.update { $0.outcome = outcome } }

    // What the other one calls.

    /// The next filled block; nil behind the last one. Throws what the filling thread failed with once all that it
    /// filled has been given.
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
