import CKernels
import Support

/// The samples of the components that a sequential scan has, group by group of the picture's planes.
final class ScanSamples {
    private let scan: SequentialScan
    private let places: [Place]
    /// MCUs in a row, which are single blocks if the scan has only one component (ITU-T T.81 A.2).
    private let across: Int
    /// Rows of MCUs in a group, and those that are left.
    private let groupRows: Int
    private var rowsLeft: Int
    private var rows: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>

    /// Where one of an MCU's blocks goes.
    private struct Place {
        let component: Int
        let layout: BlockLayout
        let steps: [UInt16]
        /// Of the first sample: in rows from the MCU's first one on, and in columns.
        let row: Int
        let column: Int
        /// Columns from one MCU to the next.
        let step: Int
    }

    private static let level = apod_kernel_best()

    /// Nil if a table is missing, or if an MCU has too many blocks.
    ///
    /// - Parameters:
    ///   - shapes: of all components of the frame.
    ///   - data: where the scan's data lies in the file, with what may follow it.
    init?(
        _ header: JPEGFrame.Scan, of frame: JPEGFrame, _ shapes: [ComponentShape], _ tables: HuffmanTables,
        _ source: any ByteSource, in data: Range<Int>, sizes: SequentialScan.Sizes, options: JPEGOptions
    ) throws {
        let isAlone = header.components.count == 1
        var blocks: [MCUDecoder.Block] = []
        var places: [Place] = []
        for part in header.components {
            guard let means = part.means, let details = part.details, let steps = part.steps else { return nil }
            let shape = shapes[part.index]
            let size = shape.layout.size
            let block = MCUDecoder.Block(
                component: part.index, means: tables.table(means, .means),
                details: tables.table(details, .details(countsOnly: shape.layout.last < 63)), layout: shape.layout)
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

    /// Whether data was missing so far.
    var isTruncated: Bool { scan.isTruncated }

    /// Writes the next group of rows, less at the end. Throws for damaged data.
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

    /// Turns one block of each MCU into samples.
    private func write(
        _ mcus: SequentialScan.MCUs, _ index: Int, _ place: Place, row: Int, from first: Int,
        _ destination: (Int, Int) -> UnsafeMutablePointer<UInt8>
    ) {
        // A group has more than one row only of single blocks.
        let top = row * place.layout.size + place.row
        for y in 0..<place.layout.size { rows[y] = destination(place.component, top + y) }
        place.steps.withUnsafeBufferPointer { steps in
            var blocks = apod_dct_blocks(
                means: mcus.store.means + mcus.firstBlock + index,
                details: mcus.store.details + mcus.firstBlock + index, stride: places.count,
                coefficients: mcus.store.coefficients,
                mean_offset: Int16(truncatingIfNeeded: mcus.offsets[place.component]), steps: steps.baseAddress)
            apod_inverse_dct(
                Self.level, Int32(place.layout.size), &blocks, mcus.count, rows, first * place.step + place.column,
                place.step)
        }
    }

    /// Where the marker behind the scan's data lies; nil if the file ends there. Decodes what has not been read, and
    /// throws if that is damaged.
    func markerOffset() throws -> Int? {
        while rowsLeft > 0 {
            var left = across
            while left > 0 { left -= try scan.next(left).count }
            rowsLeft -= 1
        }
        return try scan.markerOffset()
    }

    /// Stops all threads.
    func end() { scan.end() }
}
