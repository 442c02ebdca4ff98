import Support

/// Decoded blocks in scan order. Flat blocks, as in a sky, store only their DC coefficient.
///
/// `@unchecked Sendable`: used by one thread at a time, first by the thread that fills it, then by the thread that
/// joins the regions. The decoder checks `hasRoom` before each MCU, so it never writes past the end.
final class BlockStore: @unchecked Sendable {
    struct End {
        var blocks = 0
        var coefficients = 0
    }

    /// The DC coefficient of each block. In a `SpeculativeRun`, all values of a component have the same unknown offset.
    let dc: UnsafeMutablePointer<Int16>
    /// The offset of each block's coefficients; -1 for a block with only a DC coefficient.
    let acOffsets: UnsafeMutablePointer<Int32>
    let coefficients: UnsafeMutablePointer<Int16>
    var end = End()
    /// The maximum number of blocks.
    let capacity: Int
    private let blocks: Int
    private let memory: [AlignedBuffer]

    /// `MCUDecoder` clears whole vectors of 16 coefficients, which may extend beyond the last block.
    private static let slack = 16

    /// - Parameters:
    ///   - blocks: blocks per MCU.
    ///   - area: coefficients per MCU.
    init(mcus: Int, blocks: Int, area: Int) {
        capacity = mcus * blocks
        self.blocks = blocks
        memory = [
            AlignedBuffer(count: capacity * MemoryLayout<Int16>.stride),
            AlignedBuffer(count: capacity * MemoryLayout<Int32>.stride),
            AlignedBuffer(count: (mcus * area + Self.slack) * MemoryLayout<Int16>.stride),
        ]
        dc = memory[0].wide
        acOffsets = UnsafeMutableRawPointer(memory[1].bytes).assumingMemoryBound(to: Int32.self)
        coefficients = memory[2].wide
    }

    static func memory(mcus: Int, blocks: Int, area: Int) -> Int { mcus * (6 * blocks + 2 * area) + 2 * slack }

    /// Whether another MCU fits.
    var hasRoom: Bool { capacity - end.blocks >= blocks }
}
