import Support

/// Decodes the planes of a reader on a separate thread while the caller resamples and encodes earlier rows. The rows
/// and the error, if any, are the same as without the thread.
final class DecodeAhead: PlaneReader {
    /// The approximate size of a block: large enough that threads rarely exchange blocks, and small enough that all
    /// blocks fit in the processor's cache.
    private static let blockBytes = 256 << 10
    private static let blockCount = 3
    /// The minimum size of all planes together. For smaller pictures, a thread costs more time than it saves.
    private static let threadBytes = 1 << 20

    let planes: [PlaneGeometry]
    private let reader: any PlaneReader
    private let blocks: BlocksAhead<GroupBlock>
    private let memory: MemoryReservation
    private var block: GroupBlock?
    /// The index of the next group in `block`.
    private var nextGroup = 0

    /// Returns the reader itself if the picture is small or there is no spare thread.
    static func decoding(_ reader: any PlaneReader, options: DecodeOptions) throws -> any PlaneReader {
        try DecodeAhead(reader, options) ?? reader
    }

    private init?(_ reader: any PlaneReader, _ options: DecodeOptions) throws {
        let planes = reader.planes
        let bytes = planes.reduce(0.0) { $0 + Double($1.rowBytes) * Double($1.size.height) }
        guard bytes >= Double(Self.threadBytes) else { return nil }
        let perBlock = max(Self.blockBytes / GroupBlock.bytes(planes, groups: 1), 1)
        let groups = planes.map { ($0.size.height + $0.groupRows - 1) / $0.groupRows }.max() ?? 0
        memory = try options.reserve(memory: Self.blockCount * GroupBlock.bytes(planes, groups: perBlock))
        // Only the thread uses the reader until the thread has ended.
        nonisolated(unsafe) let decoder = reader
        let blocks = BlocksAhead(
            (0..<Self.blockCount).map { _ in GroupBlock(planes, groups: perBlock) }, spareThreads: options.spareThreads
        ) { queue in
            var rest = groups
            while rest > 0 {
                guard let block = queue.nextFree() else { return }
                defer { queue.fill(block) }
                try block.fill(from: decoder, groups: min(perBlock, rest))
                rest -= block.filled
            }
            try decoder.finish()
        }
        guard let blocks else { return nil }
        self.planes = planes
        self.reader = reader
        self.blocks = blocks
    }

    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws {
        while true {
            if let block, nextGroup < block.filled {
                block.copy(nextGroup, to: destination)
                nextGroup += 1
                return
            }
            if let block { blocks.free(block) }
            block = nil
            guard let next = try blocks.next() else { preconditionFailure("all groups have been read") }
            (block, nextGroup) = (next, 0)
        }
    }

    func finish() throws {
        if let block { blocks.free(block) }
        block = nil
        try blocks.finish()
    }

    // Valid after `finish`, because the thread has then ended.
    var isTruncated: Bool { reader.isTruncated }
    var isDamaged: Bool { reader.isDamaged }
}

/// A block of row groups of all planes.
///
/// `@unchecked Sendable`: a thread uses a block only between taking it from the queue and returning it. `row` stays
/// within the buffer, because `init` allocates all rows of `groups` groups.
private final class GroupBlock: @unchecked Sendable {
    /// The number of filled groups.
    private(set) var filled = 0
    private let planes: [PlaneGeometry]
    /// The offset of each plane in `buffer`.
    private let starts: [Int]
    private let buffer: AlignedBuffer

    init(_ planes: [PlaneGeometry], groups: Int) {
        self.planes = planes
        var end = 0
        starts = planes.map { plane in
            defer { end += RowRing.memory(samples: plane.rowBytes, rows: plane.groupRows * groups) }
            return end
        }
        buffer = AlignedBuffer(count: end)
    }

    static func bytes(_ planes: [PlaneGeometry], groups: Int) -> Int {
        planes.reduce(0) { $0 + RowRing.memory(samples: $1.rowBytes, rows: $1.groupRows * groups) }
    }

    private func row(_ plane: Int, _ index: Int) -> UnsafeMutablePointer<UInt8> {
        buffer.bytes + starts[plane] + index * RowRing.memory(samples: planes[plane].rowBytes, rows: 1)
    }

    /// Fills the block. After an error, the first `filled` groups are valid.
    func fill(from reader: any PlaneReader, groups: Int) throws {
        filled = 0
        while filled < groups {
            try reader.readGroup { row($0, filled * planes[$0].groupRows + $1) }
            filled += 1
        }
    }

    func copy(_ group: Int, to destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) {
        for (plane, shape) in planes.enumerated() {
            for index in 0..<shape.groupRows {
                let samples = row(plane, group * shape.groupRows + index)
                destination(plane, index).update(from: samples, count: shape.rowBytes)
            }
        }
    }
}
