import Formats
import Support

/// Reads the filtered rows of a PNG in order. If a spare thread is available, it decompresses rows ahead of the caller.
final class FilteredRows {
    /// The approximate size of a block: large enough that threads rarely exchange blocks, and small enough that all
    /// blocks fit in the processor's cache.
    private static let blockBytes = 256 << 10
    private static let blockCount = 3
    /// The minimum size of the decompressed data. For less data, a thread costs more time than it saves.
    private static let threadBytes = 1 << 20

    private let stream: PNGDataStream
    /// The bytes of a row, including the filter byte.
    private let rowBytes: Int
    private var rowsToUnpack: Int
    private let rowsPerBlock: Int
    private var block: RowBlock?
    private var nextRow = 0
    private var isFinished = false
    private var worker: BlocksAhead<RowBlock>?
    /// The error to throw after the rows of `block`. Used only without a worker.
    private var failure: (any Error)?

    init(_ stream: PNGDataStream, rowBytes: Int, rows: Int, options: DecodeOptions) {
        self.stream = stream
        self.rowBytes = rowBytes
        rowsToUnpack = rows
        rowsPerBlock = max(min(Self.blockBytes / rowBytes, rows), 1)
        let isLarge = rowBytes.multipliedReportingOverflow(by: rows).partialValue >= Self.threadBytes
        guard isLarge else { return }
        let perBlock = rowsPerBlock
        worker = BlocksAhead(
            (0..<Self.blockCount).map { _ in RowBlock(count: perBlock * rowBytes) }, spareThreads: options.spareThreads
        ) { queue in
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

    /// Returns the next row: its filter byte, then its filtered bytes. Valid until the next call. Must not be called
    /// after the last row.
    func next() throws -> UnsafePointer<UInt8> {
        while true {
            if let block, nextRow < block.rows {
                nextRow += 1
                return UnsafePointer(block.bytes.bytes + (nextRow - 1) * rowBytes)
            }
            nextRow = 0
            if let worker {
                if let block { worker.free(block) }
                block = nil
                guard let next = try worker.next() else { preconditionFailure("all rows were read") }
                block = next
            } else {
                if let failure { throw failure }
                let block = block ?? RowBlock(count: rowsPerBlock * rowBytes)
                self.block = block
                precondition(rowsToUnpack > 0, "all rows were read")
                failure = stream.unpack(into: block, rowBytes: rowBytes, rows: min(rowsPerBlock, rowsToUnpack))
                rowsToUnpack -= block.rows
            }
        }
    }

    /// Reads the rest of the file.
    func finish() throws {
        guard !isFinished else { return }
        isFinished = true
        guard let worker else {
            try stream.finish()
            return
        }
        if let block { worker.free(block) }
        block = nil
        try worker.finish()
    }
}

/// A block of filtered rows.
///
/// `@unchecked Sendable`: a thread uses a block only between taking it from the queue and returning it.
private final class RowBlock: @unchecked Sendable {
    let bytes: AlignedBuffer
    /// The number of complete rows.
    var rows = 0

    init(count: Int) { bytes = AlignedBuffer(count: count) }
}

extension PNGDataStream {
    /// Decompresses up to `rows` rows into a block. If an error prevents further rows, sets `block.rows` to the number
    /// of complete rows and returns the error.
    fileprivate func unpack(into block: RowBlock, rowBytes: Int, rows: Int) -> (any Error)? {
        let (count, failure) = unpack(into: block.bytes.bytes, count: rows * rowBytes)
        block.rows = count / rowBytes
        return failure
    }
}
