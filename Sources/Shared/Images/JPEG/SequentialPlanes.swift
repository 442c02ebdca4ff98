import CKernels
import Formats
import Support

/// The planes of a JPEG whose only scan has all components (ITU-T T.81 F.2), decoded without colour conversion and
/// upsampling: at their full size the same samples as libjpeg's, else what their lowest frequencies say.
final class SequentialPlanes: PlaneReader {
    let planes: [PlaneGeometry]
    private let source: any ByteSource
    private let options: DecodeOptions
    private var frame: JPEGFrame
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
        _ frame: JPEGFrame, _ source: any ByteSource, scale: Int, for use: ComponentShape.Use = .planes,
        sizes: SequentialScan.Sizes = .standard, options: DecodeOptions
    ) throws {
        guard !frame.isProgressive, let first = frame.scans.first,
            first.components.count == frame.components.count
        else { return nil }
        let shapes = frame.components.map { ComponentShape($0, of: frame, scale: scale, for: use) }
        let tables = HuffmanTables()
        var blocks: [MCUDecoder.Block] = []
        var places: [Place] = []
        for part in first.components {
            guard let means = part.means, let details = part.details, let steps = part.steps else { return nil }
            let shape = shapes[part.index]
            let block = MCUDecoder.Block(
                component: part.index, means: tables.table(means, .means),
                details: tables.table(details, .details(countsOnly: shape.layout.last < 63)), layout: shape.layout)
            let laidOut = shape.layout.laidOut(steps: steps)
            for row in 0..<shape.down {
                for column in 0..<shape.across {
                    blocks.append(block)
                    places.append(
                        Place(
                            component: part.index, layout: shape.layout, steps: laidOut,
                            row: row * shape.layout.size, column: column * shape.layout.size,
                            step: shape.across * shape.layout.size))
                }
            }
        }
        mcusAcross = frame.mcusAcross
        guard blocks.count <= 10 else { return nil }
        self.places = places
        self.frame = frame
        planes = shapes.map(\.plane)
        self.source = source
        self.options = options
        scan = try SequentialScan(
            source, from: first.dataOffset, decoder: MCUDecoder(blocks), components: frame.components.count,
            mcus: (mcusAcross * frame.mcusDown, mcusAcross), restartInterval: first.restartInterval, sizes: sizes,
            options: options)
        rows = .allocate(capacity: 8)
        rows.initialize(repeating: nil, count: 8)
    }

    deinit { rows.deallocate() }

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
        guard let offset = try scan.markerOffset() else { return try lackEnd() }
        switch try frame.readOtherScans(source, from: offset, options: options) {
        case .marker:
            guard frame.scans.count == 1 else { throw ImageError.corrupt(.jpeg, "another scan of the same components") }
        case .file: try lackEnd()
        // Another frame, of a kind that no decoder here reads (T.81 table B.1).
        case .nonsense(0xC3), .nonsense(0xC5...0xC8), .nonsense(0xCB), .nonsense(0xCD...0xCF):
            throw ImageError.unsupported(.jpeg, "another picture begins before its end")
        case .nonsense(let code):
            throw ImageError.corrupt(.jpeg, "a segment behind the data makes no sense: 0x\(String(code, radix: 16))")
        }
    }

    private var lacksEnd = false

    private func lackEnd() throws {
        guard options.allowsTruncated else { throw ImageError.truncated(.jpeg) }
        lacksEnd = true
    }

    var isTruncated: Bool { lacksEnd || scan.isTruncated }
}
