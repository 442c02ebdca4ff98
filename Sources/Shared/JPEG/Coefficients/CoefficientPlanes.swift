import CKernels
import Support

/// Decodes a progressive JPEG. All scans are decoded together, each from its offset in the file, so memory contains only
/// some rows of coefficients.
final class CoefficientPlanes: JPEGPlanes {
    let planes: [JPEGPlane]
    private(set) var isTruncated: Bool
    private let scans: [ProgressiveScan]
    private let schedule: ScanSchedule
    private let spareThreads: ThreadBudget
    private var threads: [Thread] = []
    private let allowsTruncated: Bool
    private let mcusDown: Int
    private let shapes: [ComponentShape]
    private let stores: [CoefficientStore]
    private let steps: [[UInt16]]
    private let memory: JPEGOptions.Reservation
    private let acOffsets: UnsafeMutablePointer<Int32>
    private var rows: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
    private var nextGroup = 0

    private static let level = apod_kernel_best()

    /// Returns nil if libjpeg must decode the picture. `JPEGFrame.planes` describes the parameters.
    init?(
        _ first: JPEGFrame, _ source: any ByteSource, scale: Int, for use: JPEGPlaneUse = .planes,
        reduction: Double, options: JPEGOptions
    ) throws {
        guard first.isProgressive else { return nil }
        var frame = first
        let isWhole: Bool
        switch try frame.readOtherScans(source, from: first.scans[0].dataOffset, options: options) {
        case .marker: isWhole = true
        case .file: isWhole = false
        case .nonsense: return nil
        }
        // libjpeg conceals data that is missing between restarts; this decoder does not.
        let hasGaps = options.allowsTruncated && frame.scans.contains { $0.restartInterval > 0 }
        guard !hasGaps, frame.scans.allSatisfy(\.isProgression) else { return nil }
        let shapes = frame.components.map { ComponentShape($0, of: frame, scale: scale, for: use) }
        var steps: [[UInt16]] = []
        for (index, shape) in shapes.enumerated() {
            let parts = frame.scans.flatMap(\.components).filter { $0.index == index }
            guard let first = parts.first, let own = first.steps else { return nil }
            steps.append(shape.layout.laidOut(steps: own))
        }
        let isNeeded = ScanChoice.needed(
            frame.scans, last: shapes.map(\.layout.last), scale: scale, reduction: reduction,
            skipsFineScans: options.skipsFineScans)
        let scans = zip(frame.scans, isNeeded).filter(\.1).map(\.0)
        let isRefined = shapes.indices.map { component in
            scans.contains { scan in
                scan.band.lowerBound > 0 && scan.missingBits > 0 && scan.components[0].index == component
            }
        }
        let (across, down) = (frame.mcusAcross, frame.mcusDown)
        let storeBytes = zip(shapes, isRefined).map {
            CoefficientStore.memory($0, mcusAcross: across, mcusDown: down, isRefined: $1)
        }
        memory = try options.reserve(storeBytes.reduce(scans.count * ProgressiveScan.memory, +))
        let stores = zip(shapes, isRefined).map {
            CoefficientStore($0, mcusAcross: across, mcusDown: down, isRefined: $1)
        }
        let tables = HuffmanTables()
        var decoders: [ProgressiveScan] = []
        for scan in scans {
            var parts: [ProgressiveScan.Part] = []
            for part in scan.components {
                var table: HuffmanTable?
                if scan.band.lowerBound > 0 {
                    guard let code = part.acCode else { return nil }
                    let countsOnly = shapes[part.index].layout.last < 63 && !isRefined[part.index]
                    table = tables.table(code, .bands(countsOnly: countsOnly))
                } else if scan.missingBits == 0 {
                    guard let code = part.dcCode else { return nil }
                    table = tables.table(code, .dc)
                }
                parts.append(
                    ProgressiveScan.Part(store: stores[part.index], shape: shapes[part.index], table: table))
            }
            guard parts.count == 1 || parts.reduce(0, { $0 + $1.shape.across * $1.shape.down }) <= 10 else {
                return nil
            }
            decoders.append(ProgressiveScan(scan, parts, mcusAcross: across, source: source, options: options))
        }
        isTruncated = !isWhole
        allowsTruncated = options.allowsTruncated
        spareThreads = options.spareThreads
        schedule = ScanSchedule(decoders, stores, rows: down, check: options.check)
        self.scans = decoders
        mcusDown = down
        planes = shapes.map(\.plane)
        self.shapes = shapes
        self.stores = stores
        self.steps = steps
        acOffsets = .allocate(capacity: stores.map(\.across).max() ?? 1)
        rows = .allocate(capacity: 8)
        rows.initialize(repeating: nil, count: 8)
        while threads.count < min(scans.count, 8) - 1, spareThreads.take() {
            guard let thread = try? Thread.start({ [schedule] in schedule.work() }) else {
                spareThreads.giveBack()
                break
            }
            threads.append(thread)
        }
    }

    private func end() {
        schedule.abandon()
        for thread in threads {
            thread.join()
            spareThreads.giveBack()
        }
        threads = []
    }

    deinit {
        end()
        acOffsets.deallocate()
        rows.deallocate()
    }

    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws {
        try schedule.decode(row: nextGroup)
        for (component, store) in stores.enumerated() {
            let size = store.layout.size
            for row in 0..<shapes[component].down {
                let blockRow = nextGroup * shapes[component].down + row
                let first = store.firstBlock(row: blockRow)
                for y in 0..<size { rows[y] = destination(component, row * size + y) }
                store.acOffsets(row: blockRow, into: acOffsets)
                steps[component].withUnsafeBufferPointer { steps in
                    var blocks = apod_dct_blocks(
                        dc: store.dc + first, ac_offsets: acOffsets, stride: 1,
                        coefficients: store.coefficients + first * store.layout.area, dc_offset: 0,
                        steps: steps.baseAddress)
                    apod_inverse_dct(Self.level, Int32(size), &blocks, store.across, rows, 0, size)
                }
            }
        }
        schedule.free(row: nextGroup)
        nextGroup += 1
    }

    func finish() throws {
        defer { end() }
        while nextGroup < mcusDown {
            try schedule.decode(row: nextGroup)
            schedule.free(row: nextGroup)
            nextGroup += 1
        }
        if isTruncated, !allowsTruncated { throw JPEGError.truncated }
        end()
        isTruncated = isTruncated || scans.contains(where: \.isTruncated)
    }
}
