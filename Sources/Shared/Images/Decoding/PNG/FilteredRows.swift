import Formats
import Support

/// The rows of a PNG with their filters not yet undone, in order; unpacked ahead on a thread of their own where one is
/// to be had, so that unpacking and all that is done with the rows go on at once.
final class FilteredRows {
    /// What a block of rows takes, about: few enough hand-overs, and all blocks stay in the processor's cache.
    private static let blockBytes = 256 << 10
    private static let blockCount = 3
    /// Pixel data below which a thread would cost more than it gains.
    private static let threadBytes = 1 << 20

    private let stream: PNGDataStream
    /// With the byte that names the filter.
    private let rowBytes: Int
    private var rowsToUnpack: Int
    private let rowsPerBlock: Int
    private let spareThreads: SpareThreads
    private var block: RowBlock?
    private var nextRow = 0
    private var isFinished = false
    private var worker: (thread: Thread, queue: BlockQueue)?
    /// What the stream failed with behind the rows of `block`, without a worker.
    private var failure: (any Error)?

    init(_ stream: PNGDataStream, rowBytes: Int, rows: Int, options: DecodeOptions) {
        self.stream = stream
        self.rowBytes = rowBytes
        rowsToUnpack = rows
        rowsPerBlock = max(min(Self.blockBytes / rowBytes, rows), 1)
        spareThreads = options.spareThreads
        let isLarge = rowBytes.multipliedReportingOverflow(by: rows).partialValue >= Self.threadBytes
        guard isLarge && spareThreads.take() else { return }
        let queue = BlockQueue((0..<Self.blockCount).map { _ in RowBlock(count: rowsPerBlock * rowBytes) })
        let (perBlock, bytes) = (rowsPerBlock, rowBytes)
        do {
            let thread = try Thread.start {
                queue.end(Result { try Self.unpackAll(stream, queue, rowBytes: bytes, rows: rows, perBlock: perBlock) })
            }
            worker = (thread, queue)
        } catch {
            // The system has no thread to give: this one does all.
            spareThreads.giveBack()
        }
    }

    /// If the picture is dropped half-way, the worker stops at its next block.
    deinit { endWorker() }

    /// The next row: its filter's number and its bytes, until the next call.
    func next() throws -> UnsafePointer<UInt8> {
        while true {
            if let block, nextRow < block.rows {
                nextRow += 1
                return UnsafePointer(block.bytes.bytes + (nextRow - 1) * rowBytes)
            }
            nextRow = 0
            if let queue = worker?.queue {
                if let block { queue.free(block) }
                block = nil
                guard let next = try queue.nextFilled() else { throw ImageError.corrupt(.png, "no rows are left") }
                block = next
            } else {
                if let failure { throw failure }
                let block = block ?? RowBlock(count: rowsPerBlock * rowBytes)
                self.block = block
                guard rowsToUnpack > 0 else { throw ImageError.corrupt(.png, "no rows are left") }
                failure = stream.unpack(into: block, rowBytes: rowBytes, rows: min(rowsPerBlock, rowsToUnpack))
                rowsToUnpack -= block.rows
            }
        }
    }

    /// Reads what follows the last row.
    func finish() throws {
        guard !isFinished else { return }
        isFinished = true
        guard let queue = worker?.queue else {
            try stream.finish()
            return
        }
        defer { endWorker() }
        // Rows that were not asked for are unpacked all the same.
        if let block { queue.free(block) }
        block = nil
        while let unread = try queue.nextFilled() { queue.free(unread) }
    }

    private func endWorker() {
        guard let (thread, queue) = worker else { return }
        worker = nil
        queue.abandon()
        thread.join()
        spareThreads.giveBack()
    }

    /// The worker's whole work.
    private static func unpackAll(
        _ stream: PNGDataStream, _ queue: BlockQueue, rowBytes: Int, rows: Int, perBlock: Int
    ) throws {
        var rest = rows
        while rest > 0 {
            guard let block = queue.nextFree() else { return }
            let failure = stream.unpack(into: block, rowBytes: rowBytes, rows: min(perBlock, rest))
            rest -= block.rows
            queue.fill(block)
            if let failure { throw failure }
        }
        try stream.finish()
    }
}

/// Some filtered rows.
///
/// `@unchecked Sendable`: only the thread that took it out of the queue, and has not put it back, touches it.
private final class RowBlock: @unchecked Sendable {
    let bytes: AlignedBuffer
    /// Whole rows in it.
    var rows = 0

    init(count: Int) { bytes = AlignedBuffer(count: count) }
}

extension PNGDataStream {
    /// Unpacks whole rows into a block; gives the failure that left some out.
    fileprivate func unpack(into block: RowBlock, rowBytes: Int, rows: Int) -> (any Error)? {
        let (count, failure) = unpack(into: block.bytes.bytes, count: rows * rowBytes)
        block.rows = count / rowBytes
        return failure
    }
}

/// Blocks on their way between the worker, which fills them, and the reader, which empties them. There are only so
/// many: the worker waits if it is far ahead.
private final class BlockQueue: Sendable {
    private struct State {
        var free: [RowBlock]
        /// First come, first served.
        var filled: [RowBlock] = []
        /// How the worker ended.
        var outcome: Result<Void, any Error>?
        var isAbandoned = false
    }

    private let state: Monitor<State>

    init(_ blocks: [RowBlock]) { state = Monitor(State(free: blocks)) }

    // What the worker calls.

    /// A block to fill; nil if the reader has gone.
    func nextFree() -> RowBlock? {
        state.wait { state -> RowBlock?? in
            if state.isAbandoned { return .some(nil) }
            return state.free.popLast().map { .some($0) }
        }
    }

    func fill(_ block: RowBlock) { state.update { $0.filled.append(block) } }

    /// The worker's last call.
    func end(_ outcome: Result<Void, any Error>) { state.update { $0.outcome = outcome } }

    // What the reader calls.

    /// The next filled block; nil behind the last one. Throws what the worker failed with once all that it unpacked
    /// has been given.
    func nextFilled() throws -> RowBlock? {
        let next: Result<RowBlock?, any Error> = state.wait { state in
            if !state.filled.isEmpty { return .success(state.filled.removeFirst()) }
            return state.outcome?.map { nil }
        }
        return try next.get()
    }

    func free(_ block: RowBlock) { state.update { $0.free.append(block) } }

    func abandon() { state.update { $0.isAbandoned = true } }
}
