import Support

/// The coefficients of one component of a picture in several scans, as far as they are kept, and of the others whether
/// they are 0, which refinement has to know (ITU-T T.81 G.1.2.3). Row by row, in whole MCUs.
///
/// `@unchecked Sendable`: scans work on it at the same time, but none on a row of blocks before all that came before it
/// have done theirs (`ScanSchedule`). Rows and columns lie within `down` and `across`.
final class CoefficientStore: @unchecked Sendable {
    let layout: BlockLayout
    let across: Int
    let down: Int
    let means: UnsafeMutablePointer<Int16>
    /// `layout.area` for each block; the place of its mean holds nothing.
    let coefficients: UnsafeMutablePointer<Int16>
    /// For each block a bit for each coefficient but the mean, in zigzag order from the lowest bit on: whether it is not
    /// 0. Nil if nothing is refined.
    let history: UnsafeMutablePointer<UInt64>?
    private let memory: [AlignedBuffer]

    init(_ shape: ComponentShape, mcusAcross: Int, mcusDown: Int, isRefined: Bool) {
        layout = shape.layout
        across = mcusAcross * shape.across
        down = mcusDown * shape.down
        let blocks = across * down
        memory = [
            AlignedBuffer(count: 2 * blocks), AlignedBuffer(count: 2 * blocks * layout.area),
            AlignedBuffer(count: isRefined ? 8 * blocks : 0),
        ]
        means = memory[0].wide
        coefficients = memory[1].wide
        history =
            isRefined ? UnsafeMutableRawPointer(memory[2].bytes).assumingMemoryBound(to: UInt64.self) : nil
    }

    /// Bytes that it takes; `Int.max` for more than there are.
    static func memory(_ shape: ComponentShape, mcusAcross: Int, mcusDown: Int, isRefined: Bool) -> Int {
        let (blocks, isTooMany) = (mcusAcross * shape.across).multipliedReportingOverflow(by: mcusDown * shape.down)
        let (bytes, isTooMuch) = blocks.multipliedReportingOverflow(by: 2 + 2 * shape.layout.area + (isRefined ? 8 : 0))
        return isTooMany || isTooMuch ? .max : bytes
    }

    /// Where each block of a row has its coefficients, from the row's first one on; -1 for those that have none but
    /// their mean.
    func details(row: Int, into details: UnsafeMutablePointer<Int32>) {
        let area = layout.area
        let words = area / 4
        let first = UnsafeRawPointer(coefficients + row * across * area)
        for block in 0..<across {
            let own = first + block * area * 2
            // Without the place of the mean, which comes first.
            var all = area > 1 ? own.loadUnaligned(as: UInt64.self).littleEndian >> 16 : 0
            for word in 1..<max(words, 1) { all |= own.loadUnaligned(fromByteOffset: 8 * word, as: UInt64.self) }
            details[block] = all == 0 ? -1 : Int32(truncatingIfNeeded: block * area)
        }
    }
}
