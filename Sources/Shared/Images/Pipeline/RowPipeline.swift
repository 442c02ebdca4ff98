import Formats

/// The pipeline of a picture: passes rows from the decoder through the stages of all outputs as soon as they are
/// available. Smaller outputs are resampled from larger outputs if that costs no quality.
struct RowPipeline {
    /// The stages of the outputs, in the order of the plans.
    let stages: [Stage]
    private let reader: any PlaneReader
    private let rings: [RowRing]
    private let roots: [Stage]
    private let options: DecodeOptions
    private let memory: MemoryReservation

    /// - Parameters:
    ///   - layout: the layout of the pixels in a single plane; ignored for three YCbCr planes.
    ///   - whole: the size of the stored picture.
    ///   - plans: the largest output first.
    init(
        _ reader: any PlaneReader, layout: RowLayout, whole: PixelSize, isLinear: Bool, plans: [ResizePlan],
        options: DecodeOptions
    ) throws {
        self.reader = reader
        let frame = Rectangle(whole)
        memory = try options.reserve(
            memory: reader.planes.reduce(0) { sum, plane in
                sum + RowRing.memory(samples: plane.size.width * plane.channels, rows: 2 * plane.groupRows)
            })
        let rings = reader.planes.map {
            RowRing(samples: max($0.rowBytes, $0.size.width * $0.channels), rows: 2 * $0.groupRows)
        }
        let source = StageSource(rings: rings, geometries: reader.planes, frame: frame)
        let hasAlpha = reader.planes.count == 1 && layout.hasAlpha
        let mixing: SampleMixing? = isLinear ? .light : hasAlpha ? .coded : nil
        var stages: [Stage] = []
        for plan in plans {
            if Stage.isCopy(plan, of: source) {
                stages.append(Stage(copying: source, plan))
                continue
            }
            // The last suitable stage is the smallest, and has the fewest rows.
            let parent = stages.last { $0.serves(plan) }
            let stage = try Stage(
                from: parent?.source ?? source, plan, mixing: mixing, hasAlpha: hasAlpha, options: options)
            parent?.children.append(stage)
            stages.append(stage)
        }
        self.options = options
        self.rings = rings
        self.stages = stages
        let children = Set(stages.flatMap(\.children).map(ObjectIdentifier.init))
        roots = stages.filter { !children.contains(ObjectIdentifier($0)) }
    }

    func run() throws {
        let groups = reader.planes.map { ($0.size.height + $0.groupRows - 1) / $0.groupRows }.max() ?? 0
        for group in 0..<groups {
            // A check after each group would be too frequent for groups of a single row.
            if group % 16 == 0 || reader.planes[0].groupRows > 1 { try options.check() }
            try readGroup()
            for stage in roots { try stage.pump(checking: options) }
        }
        try reader.finish()
    }

    private func readGroup() throws {
        for (plane, geometry) in reader.planes.enumerated() {
            rings[plane].reserve(
                geometry.groupRows, keeping: roots.reduce(.max) { min($0, $1.firstNeededOfSource(plane)) })
        }
        try reader.readGroup { plane, row in rings[plane].row(rings[plane].written + row) }
        for (plane, geometry) in reader.planes.enumerated() { rings[plane].advance(by: geometry.groupRows) }
    }
}
