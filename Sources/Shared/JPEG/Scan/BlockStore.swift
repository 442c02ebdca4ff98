import Support

/// Blocks of coefficients in the order in which a scan has them. Those of flat areas, of which a sky has many, are no
/// more than their means.
///
/// `@unchecked Sendable`: only the thread that fills it, and then the one that it is handed to, touches it. Who fills it
/// asks `hasRoom` before each MCU, so that no pointer leaves its memory.
final class BlockStore: @unchecked Sendable {
    /// What it holds.
    struct End {
        var blocks = 0
        var coefficients = 0
    }

    /// The mean of each block; in a run that began anywhere, less what the first one should have been added to.
    let means: UnsafeMutablePointer<Int16>
    /// Where each block's coefficients begin; -1 if it has none but its mean.
    let details: UnsafeMutablePointer<Int32>
    let coefficients: UnsafeMutablePointer<Int16>
    var end = End()
    /// Blocks.
    let capacity: Int
    private let blocks: Int
    private let memory: [AlignedBuffer]

    /// Zeros are written in whole vectors.
    private static let slack = 16

    /// - Parameters:
    ///   - blocks: of an MCU.
    ///   - area: coefficients of an MCU.
    init(mcus: Int, blocks: Int, area: Int) {
        capacity = mcus * blocks
        self.blocks = blocks
        memory = [
            AlignedBuffer(count: capacity * MemoryLayout<Int16>.stride),
            AlignedBuffer(count: capacity * MemoryLayout<Int32>.stride),
            AlignedBuffer(count: (mcus * area + Self.slack) * MemoryLayout<Int16>.stride),
        ]
        means = memory[0].wide
        details = UnsafeMutableRawPointer(memory[1].bytes).assumingMemoryBound(to: Int32.self)
        coefficients = memory[2].wide
    }

    static func memory(mcus: Int, blocks: Int, area: Int) -> Int { mcus * (6 * blocks + 2 * area) + 2 * slack }

    /// Whether another MCU fits.
    var hasRoom: Bool { capacity - end.blocks >= blocks }
}
