import CKernels
import Formats
import Support

/// The way of all rows of one picture: from the decoder through the stages of all outputs, each row as soon as what it
/// is made of is there. Larger outputs come first, and smaller ones are made of theirs if that costs no quality.
struct RowFlow {
    /// One for each plan, in their order.
    let stages: [Stage]
    private let reader: any PlaneReader
    private let layout: RowLayout
    /// The decoder's rows as outputs are resampled from them: alpha, if there is one, multiplied in, so that the
    /// colour of transparent pixels does not bleed into their neighbours.
    private let rings: [RowRing]
    /// The decoder's rows as they are, for outputs that copy them; the same if there is no difference.
    private let straight: [RowRing]
    /// The stages that are made of the decoder's rows: of `rings`, and of `straight` if those differ.
    private let users: [Stage]
    private let straightUsers: [Stage]
    private let roots: [Stage]
    private let premultiplies: Bool
    private let options: DecodeOptions
    private let memory: MemoryReservation

    /// - Parameters:
    ///   - layout: of the one plane, or of the pixels that three YCbCr planes become.
    ///   - whole: all of the picture, as it is stored.
    ///   - plans: the largest output first.
    init(
        _ reader: any PlaneReader, layout: RowLayout, whole: PixelSize, isLinear: Bool, plans: [ResizePlan],
        options: DecodeOptions
    ) throws {
        self.reader = reader
        self.layout = layout
        let frame = Rectangle(whole)
        func makeRings() -> [RowRing] {
            reader.planes.map {
                RowRing(samples: max($0.rowBytes, $0.size.width * $0.channels), rows: 2 * $0.groupRows)
            }
        }
        // Twice, if some outputs want the rows as they are.
        memory = try options.reserve(
            memory: reader.planes.reduce(0) { sum, plane in
                sum + 2 * RowRing.memory(samples: plane.size.width * plane.channels, rows: 2 * plane.groupRows)
            })
        let rings = makeRings()
        let source = StageSource(rings: rings, geometries: reader.planes, frame: frame)
        let areCopies = plans.map { Stage.isCopy($0, of: source) }
        premultiplies = reader.planes.count == 1 && layout.hasAlpha && !isLinear && areCopies.contains(false)
        let straight = premultiplies && areCopies.contains(true) ? makeRings() : rings
        let linear = isLinear ? layout : nil
        var stages: [Stage] = []
        for (plan, isCopy) in zip(plans, areCopies) {
            if isCopy {
                stages.append(
                    Stage(copying: StageSource(rings: straight, geometries: reader.planes, frame: frame), plan))
                continue
            }
            // The smallest that will do: its rows are the fewest.
            if let parent = stages.last(where: { $0.serves(plan) }) {
                let stage = try Stage(from: parent.source, plan, linear: linear, options: options)
                parent.children.append(stage)
                stages.append(stage)
            } else {
                stages.append(try Stage(from: source, plan, linear: linear, options: options))
            }
        }
        self.options = options
        self.rings = rings
        self.straight = straight
        self.stages = stages
        let children = Set(stages.flatMap(\.children).map(ObjectIdentifier.init))
        roots = stages.filter { !children.contains(ObjectIdentifier($0)) }
        let isShared = straight[0] === rings[0]
        users = isShared ? roots : roots.filter(\.isResampled)
        straightUsers = isShared ? [] : roots.filter { !$0.isResampled }
    }

    /// Runs the picture through.
    func run() throws {
        let groups = reader.planes.map { ($0.size.height + $0.groupRows - 1) / $0.groupRows }.max() ?? 0
        for group in 0..<groups {
            if group % checkInterval == 0 { try options.check() }
            try readGroup()
            for stage in roots { try stage.pump(checking: options) }
        }
        try reader.finish()
    }

    /// Groups of one row are too small to look at the time after each.
    private var checkInterval: Int { reader.planes[0].groupRows == 1 ? 16 : 1 }

    private func readGroup() throws {
        for (plane, geometry) in reader.planes.enumerated() {
            rings[plane].reserve(
                geometry.groupRows, keeping: users.reduce(.max) { min($0, $1.firstNeededOfSource(plane)) })
            if !straightUsers.isEmpty {
                straight[plane].reserve(
                    geometry.groupRows, keeping: straightUsers.reduce(.max) { min($0, $1.firstNeededOfSource(plane)) })
            }
        }
        try reader.readGroup { plane, row in rings[plane].row(rings[plane].written + row) }
        for (plane, geometry) in reader.planes.enumerated() {
            let ring = rings[plane]
            if premultiplies {
                let row = ring.row(ring.written)
                if !straightUsers.isEmpty {
                    straight[plane].row(straight[plane].written).update(from: row, count: geometry.rowBytes)
                    straight[plane].advance()
                }
                apod_premultiply(row, layout.channels, geometry.size.width)
            }
            ring.advance(by: geometry.groupRows)
        }
    }
}
