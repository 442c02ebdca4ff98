import CKernels
import Support

/// Decodes a sequential scan into samples of its components, a group of rows at a time.
final class ScanSamples {
    private let scan: SequentialScan
    private let places: [Place]
    /// The number of MCUs in a row. An MCU is a single block if the scan has one component (ITU-T T.81 A.2).
    private let across: Int
    /// The number of rows of MCUs in a group.
    private let groupRows: Int
    /// The number of rows of MCUs that are not yet decoded.
    private var rowsLeft: Int
    private var rows: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>

    /// A block of an MCU, with its position in the plane.
    private struct Place {
        let component: Int
        let layout: BlockLayout
        let steps: [UInt16]
        /// The position of the block's first sample within its MCU, in samples.
        let row: Int
        let column: Int
        /// The width of an MCU in samples.
        let step: Int
    }

    private static let level = apod_kernel_best()

    /// Returns nil if a table is missing, or if an MCU has too many blocks.
    ///
    /// - Parameters:
    ///   - shapes: of all components of the frame.
    ///   - data: a range of the file that begins with the data, and may extend beyond the end of the data.
    init?(
        _ header: JPEGFrame.Scan, of frame: JPEGFrame, _ shapes: [ComponentShape], _ tables: HuffmanTables,
        _ source: any ByteSource, in data: Range<Int>, sizes: SequentialScan.Sizes, options: JPEGOptions
    ) throws {
        let isAlone = header.components.count == 1
        var blocks: [MCUDecoder.Block] = []
        var places: [Place] = []
        for part in header.components {
            guard let dcCode = part.dcCode, let acCode = part.acCode, let steps = part.steps else { return nil }
            let shape = shapes[part.index]
            let size = shape.layout.size
            let block = MCUDecoder.Block(
                component: part.index, dc: tables.table(dcCode, .dc),
                ac: tables.table(acCode, .ac(countsOnly: shape.layout.last < 63)), layout: shape.layout)
            let laidOut = shape.layout.laidOut(steps: steps)
            for row in 0..<(isAlone ? 1 : shape.down) {
                for column in 0..<(isAlone ? 1 : shape.across) {
                    blocks.append(block)
                    places.append(
                        Place(
                            component: part.index, layout: shape.layout, steps: laidOut, row: row * size,
                            column: column * size, step: isAlone ? size : shape.across * size))
                }
            }
        }
        guard blocks.count <= 10 else { return nil }
        self.places = places
        let only = shapes[header.components[0].index]
        across = isAlone ? only.blocksAcross : frame.mcusAcross
        rowsLeft = isAlone ? only.blocksDown : frame.mcusDown
        groupRows = isAlone ? only.down : 1
        scan = try SequentialScan(
            source, in: data, decoder: MCUDecoder(blocks), components: shapes.count,
            mcus: (across * rowsLeft, across), restartInterval: header.restartInterval, sizes: sizes, options: options)
        rows = .allocate(capacity: 8)
        rows.initialize(repeating: nil, count: 8)
    }

    deinit { rows.deallocate() }

    var isTruncated: Bool { scan.isTruncated }

    /// Writes the next group of rows. The last group may have fewer rows. Throws for damaged data.
    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws {
        for row in 0..<min(groupRows, rowsLeft) {
            var first = 0
            while first < across {
                let mcus = try scan.next(across - first)
                for (index, place) in places.enumerated() {
                    write(mcus, index, place, row: row, from: first, destination)
                }
                first += mcus.count
            }
            rowsLeft -= 1
        }
    }

    private func write(
        _ mcus: SequentialScan.MCUs, _ index: Int, _ place: Place, row: Int, from first: Int,
        _ destination: (Int, Int) -> UnsafeMutablePointer<UInt8>
    ) {
        // Only scans of a single component have groups of several rows.
        let top = row * place.layout.size + place.row
        for y in 0..<place.layout.size { rows[y] = destination(place.component, top + y) }
        place.steps.withUnsafeBufferPointer { steps in
            var blocks = apod_dct_blocks(
                dc: mcus.store.dc + mcus.firstBlock + index,
                ac_offsets: mcus.store.acOffsets + mcus.firstBlock + index, stride: places.count,
                coefficients: mcus.store.coefficients,
                dc_offset: Int16(truncatingIfNeeded: mcus.offsets[place.component]), steps: steps.baseAddress)
            apod_inverse_dct(
                Self.level, Int32(place.layout.size), &blocks, mcus.count, rows, first * place.step + place.column,
                place.step)
        }
    }

    /// Decodes the remaining data. Returns the file offset of the marker after it, or nil if the file ends there.
    /// Throws for damaged data.
    func markerOffset() throws -> Int? {
        while rowsLeft > 0 {
            var left = across
            while left > 0 { left -= try scan.next(left).count }
            rowsLeft -= 1
        }
        return try scan.markerOffset()
    }

    func end() { scan.end() }
}
