import Support

/// The coefficients of one component of a progressive picture, for `ScanSchedule.window` rows of MCUs. For a coefficient
/// that the output does not need, stores only whether it is nonzero, because refinement scans depend on this (ITU-T
/// T.81 G.1.2.3).
///
/// `@unchecked Sendable`: several scans write at the same time, but a scan starts a row of blocks only after all
/// earlier scans have finished the row, and at most `window` rows after the last freed row (`ScanSchedule`). Callers
/// access only columns below `across`.
final class CoefficientStore: @unchecked Sendable {
    let layout: BlockLayout
    let across: Int
    /// Rows of blocks in a row of MCUs.
    private let down: Int
    private let rows: Int
    let dc: UnsafeMutablePointer<Int16>
    /// `layout.area` coefficients for each block. Position 0 receives coefficients that are not kept, and is never
    /// read; the DC coefficient is in `dc`.
    let coefficients: UnsafeMutablePointer<Int16>
    /// A bit mask for each block: bit k is set if coefficient k, in zigzag order, is nonzero. Nil if no scan refines AC
    /// coefficients.
    let history: UnsafeMutablePointer<UInt64>?
    private let memory: [AlignedBuffer]

    init(_ shape: ComponentShape, mcusAcross: Int, mcusDown: Int, isRefined: Bool) {
        layout = shape.layout
        across = mcusAcross * shape.across
        down = shape.down
        rows = min(mcusDown, ScanSchedule.window) * down
        let blocks = across * rows
        memory = [
            AlignedBuffer(count: 2 * blocks), AlignedBuffer(count: 2 * blocks * layout.area),
            AlignedBuffer(count: isRefined ? 8 * blocks : 0),
        ]
        dc = memory[0].wide
        coefficients = memory[1].wide
        history = isRefined ? UnsafeMutableRawPointer(memory[2].bytes).assumingMemoryBound(to: UInt64.self) : nil
    }

    /// Returns the size in bytes.
    static func memory(_ shape: ComponentShape, mcusAcross: Int, mcusDown: Int, isRefined: Bool) -> Int {
        let blocks = mcusAcross * shape.across * min(mcusDown, ScanSchedule.window) * shape.down
        return blocks * (2 + 2 * shape.layout.area + (isRefined ? 8 : 0))
    }

    /// The index of the first block of a row of blocks in `dc`, `history` and, times `layout.area`, `coefficients`.
    func firstBlock(row: Int) -> Int { row % rows * across }

    /// Makes the coefficients of a row of MCUs zero.
    func clear(mcuRow: Int) {
        let (first, count) = (firstBlock(row: mcuRow * down), down * across)
        (dc + first).update(repeating: 0, count: count)
        (coefficients + first * layout.area).update(repeating: 0, count: count * layout.area)
        if let history { (history + first).update(repeating: 0, count: count) }
    }

    /// Writes the offset of each block's coefficients from the start of the row; -1 for a block with only a DC
    /// coefficient.
    func acOffsets(row: Int, into offsets: UnsafeMutablePointer<Int32>) {
        let area = layout.area
        let words = area / 4
        let first = UnsafeRawPointer(coefficients + firstBlock(row: row) * area)
        for block in 0..<across {
            let own = first + block * area * 2
            // Ignores position 0, which may contain a coefficient that is not kept.
            var all = area > 1 ? own.loadUnaligned(as: UInt64.self).littleEndian >> 16 : 0
            for word in 1..<max(words, 1) { all |= own.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self) }
            offsets[block] = all == 0 ? -1 : Int32(truncatingIfNeeded: block * area)
        }
    }
}
