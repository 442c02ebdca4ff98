import CKernels
import Formats
import Support

/// The planes of a JPEG whose only scan has all components (ITU-T T.81 F.2), decoded without colour conversion and
/// upsampling: at their full size the same samples as libjpeg's, else what their lowest frequencies say.
final class SequentialPlanes: PlaneReader {
    let planes: [PlaneGeometry]
    private let source: any ByteSource
    private let options: DecodeOptions
    private let scan: SequentialScan
    private let mcusAcross: Int
    private var rows: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
    private let places: [Place]

    /// Where one of an MCU's blocks goes.
    private struct Place {
        let component: Int
        let layout: BlockLayout
        let steps: [UInt16]
        /// Of the first sample: in rows of the plane's groups, and in columns.
        let row: Int
        let column: Int
        /// Columns from one MCU to the next.
        let step: Int
    }

    private static let level = apod_kernel_best()

    /// Nil if the picture is of another kind.
    ///
    /// - Parameter scale: eighths of its size at which luma is decoded, one of `BlockLayout.sizes`.
    init?(
        _ frame: JPEGFrame, _ source: any ByteSource, scale: Int, sizes: SequentialScan.Sizes = .standard,
        options: DecodeOptions
    ) throws {
        guard !frame.isProgressive, frame.scan.count == frame.components.count else { return nil }
        // The blocks of a scan's only component come row by row, whatever it says of sampling (A.2.2).
        let isAlone = frame.components.count == 1
        let (mostAcross, mostDown) = isAlone ? (1, 1) : (frame.mostAcross, frame.mostDown)
        var blocks: [MCUDecoder.Block] = []
        var places: [Place] = []
        var tables: [[HuffmanTable?]] = [[nil, nil, nil, nil], [nil, nil, nil, nil]]
        var planes: [(place: Int, plane: PlaneGeometry)] = []
        mcusAcross = (frame.size.width + 8 * mostAcross - 1) / (8 * mostAcross)
        let mcusDown = (frame.size.height + 8 * mostDown - 1) / (8 * mostDown)
        for part in frame.scan {
            let component = frame.components[part.index]
            let (across, down) = isAlone ? (1, 1) : (component.across, component.down)
            guard let meanCode = frame.meanCodes[part.meanTable], let detailCode = frame.detailCodes[part.detailTable],
                let steps = frame.steps[component.stepTable]
            else { return nil }
            let layout = BlockLayout(size: Self.size(scale, (across, down), most: (mostAcross, mostDown)))
            let means = tables[0][part.meanTable] ?? HuffmanTable(meanCode, .means)
            tables[0][part.meanTable] = means
            let details = tables[1][part.detailTable] ?? HuffmanTable(detailCode, .details(countsOnly: scale < 8))
            tables[1][part.detailTable] = details
            let laidOut = layout.laidOut(steps: steps)
            for row in 0..<down {
                for column in 0..<across {
                    blocks.append(
                        MCUDecoder.Block(component: part.index, means: means, details: details, layout: layout))
                    places.append(
                        Place(
                            component: part.index, layout: layout, steps: laidOut, row: row * layout.size,
                            column: column * layout.size, step: across * layout.size))
                }
            }
            let width = Double(frame.size.width * across * layout.size) / Double(8 * mostAcross)
            let height = Double(frame.size.height * down * layout.size) / Double(8 * mostDown)
            let plane = PlaneGeometry(
                size: PixelSize(width: Int(width.rounded(.up)), height: Int(height.rounded(.up))), extentWidth: width,
                extentHeight: height, rowBytes: mcusAcross * across * layout.size, groupRows: down * layout.size)
            planes.append((part.index, plane))
        }
        guard blocks.count <= 10 else { return nil }
        self.places = places
        self.planes = planes.sorted { $0.place < $1.place }.map(\.plane)
        self.source = source
        self.options = options
        scan = try SequentialScan(
            source, from: frame.dataOffset, decoder: MCUDecoder(blocks), components: frame.components.count,
            mcus: (mcusAcross * mcusDown, mcusAcross), restartInterval: frame.restartInterval,
            sizes: sizes, options: options)
        rows = .allocate(capacity: 8)
        rows.initialize(repeating: nil, count: 8)
    }

    deinit { rows.deallocate() }

    /// The eighths at which a component is decoded: those of luma, but twice as many for one that would be less than half
    /// as fine as the finest.
    private static func size(_ scale: Int, _ own: (across: Int, down: Int), most: (across: Int, down: Int)) -> Int {
        let isCoarse = own.across * 2 < most.across || own.down * 2 < most.down
        return isCoarse ? BlockLayout.sizes.first { $0 >= min(2 * scale, 8) } ?? 8 : scale
    }

    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws {
        var first = 0
        while first < mcusAcross {
            let mcus = try scan.next(mcusAcross - first)
            for (index, place) in places.enumerated() { write(mcus, index, place, from: first, destination) }
            first += mcus.count
        }
    }

    /// Turns one block of each MCU into samples.
    private func write(
        _ mcus: SequentialScan.MCUs, _ index: Int, _ place: Place, from first: Int,
        _ destination: (Int, Int) -> UnsafeMutablePointer<UInt8>
    ) {
        for row in 0..<place.layout.size { rows[row] = destination(place.component, place.row + row) }
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

    /// Reads what follows, to the end marker.
    func finish() throws {
        defer { scan.end() }
        guard let marker = try scan.markerOffset() else { return try lackEnd() }
        var segments = JPEGSegments(source, at: marker, options: options)
        while let segment = try segments.next() {
            switch segment.code {
            case JPEGMarkers.endOfImage: return
            case 0xC4, 0xDB, 0xDC, 0xDD, 0xE0...0xEF, 0xFE: break
            default: throw ImageError.corrupt(.jpeg, "another picture or scan begins before the picture's end")
            }
        }
        try lackEnd()
    }

    private var lacksEnd = false

    private func lackEnd() throws {
        guard options.allowsTruncated else { throw ImageError.truncated(.jpeg) }
        lacksEnd = true
    }

    var isTruncated: Bool { lacksEnd || scan.isTruncated }
}
