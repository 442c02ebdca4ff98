import Formats

/// Consumes the rows of an output.
protocol StageSink: AnyObject {
    /// Returns the first row of a plane that the sink still needs.
    func firstNeeded(_ plane: Int) -> Int
    /// Consumes the rows that its stage has produced.
    func take() throws
    /// Writes the end of the output after the last row. Returns the hash if requested.
    func finish() throws -> PlaceholderHash?
}

/// The input rows of a stage: from the decoder, or from a larger output.
struct StageSource {
    let rings: [RowRing]
    let geometries: [PlaneGeometry]
    /// The part of the stored picture that the rows show.
    let frame: Rectangle
}

/// Produces the rows of an output from a source.
final class Stage {
    let plan: ResizePlan
    /// The produced rows, or the source's rows if nothing is resampled.
    let source: StageSource
    var geometries: [PlaneGeometry] { source.geometries }
    var rings: [RowRing] { source.rings }
    var isResampled: Bool { !resamplers.isEmpty }
    var sink: (any StageSink)?
    /// Stages that use this stage's rows.
    var children: [Stage] = []
    private let resamplers: [any Resampler]
    private let memory: MemoryReservation?

    /// Creates a stage that passes the source's rows on unchanged.
    init(copying source: StageSource, _ plan: ResizePlan) {
        self.plan = plan
        self.source = source
        resamplers = []
        memory = nil
    }

    /// - Parameters:
    ///   - mixing: the encoding in which floating-point samples are averaged; nil resamples integers.
    ///   - hasAlpha: whether the last sample of a pixel is alpha, which requires floating point.
    init(
        from source: StageSource, _ plan: ResizePlan, mixing: SampleMixing?, hasAlpha: Bool, options: DecodeOptions
    ) throws {
        self.plan = plan
        let planes = Self.planes(plan, source, boxes: mixing == nil)
        memory = try options.reserve(memory: planes.reduce(0) { $0 + $1.plan.memory })
        resamplers = zip(planes, source.rings).map { plane, ring in
            guard let mixing else { return RowResampler(plane.plan, from: ring) }
            return FloatResampler(plane.plan, from: ring, hasAlpha: hasAlpha, mixing: mixing)
        }
        self.source = StageSource(
            rings: planes.map { RowRing(samples: $0.target.rowBytes, rows: 16) },
            geometries: planes.map(\.target), frame: plan.crop)
    }

    private static func planes(
        _ plan: ResizePlan, _ source: StageSource, boxes: Bool
    ) -> [(target: PlaneGeometry, plan: RowResamplingPlan)] {
        var planes: [(target: PlaneGeometry, plan: RowResamplingPlan)] = []
        for (index, plane) in source.geometries.enumerated() {
            if index == 2 && plane == source.geometries[1] {
                planes.append(planes[1])
                continue
            }
            let target = target(plan, index, channels: plane.channels)
            let crop = plan.crop
            let horizontal = axis(
                (plane.size.width, plane.extentWidth), (target.size.width, target.extentWidth),
                (crop.x, crop.width), (source.frame.x, source.frame.width), sharpening: plane.sharpening)
            let vertical = axis(
                (plane.size.height, plane.extentHeight), (target.size.height, target.extentHeight),
                (crop.y, crop.height), (source.frame.y, source.frame.height), sharpening: plane.sharpening)
            let resampling = RowResamplingPlan(
                horizontal: horizontal, vertical: vertical, channels: plane.channels, boxes: boxes)
            planes.append((target, resampling))
        }
        return planes
    }

    /// Returns the geometry of an output plane. Halved chroma may have a fractional extent.
    static func target(_ plan: ResizePlan, _ index: Int, channels: Int) -> PlaneGeometry {
        let sampling = index > 0 ? plan.planes ?? .full : .full
        let size = sampling.chroma(of: plan.target)
        return PlaneGeometry(
            size: size, extentWidth: Double(plan.target.width) / Double(sampling.across),
            extentHeight: Double(plan.target.height) / Double(sampling.down), rowBytes: size.width * channels,
            groupRows: 1, channels: channels)
    }

    private static func axis(
        _ plane: (count: Int, extent: Double), _ target: (count: Int, extent: Double),
        _ crop: (start: Double, length: Double), _ frame: (start: Double, length: Double), sharpening: Double
    ) -> ResamplingAxis {
        var axis = ResamplingAxis(sourceCount: plane.count, targetCount: target.count)
        axis.sourceLength = plane.extent
        axis.sharpening = sharpening
        axis.sourceOffset = (crop.start - frame.start) / frame.length * plane.extent
        axis.sourceExtent = crop.length / frame.length * plane.extent
        axis.targetExtent = target.extent
        return axis
    }

    /// Whether the output has the same rows as the source.
    static func isCopy(_ plan: ResizePlan, of source: StageSource) -> Bool {
        guard plan.crop == source.frame else { return false }
        return source.geometries.enumerated().allSatisfy { index, plane in
            let target = target(plan, index, channels: plane.channels)
            return plane.size == target.size && plane.extentWidth == target.extentWidth
                && plane.extentHeight == target.extentHeight
        }
    }

    /// Whether a smaller output can be resampled from this stage's rows without loss. The output must show a part of
    /// this stage's crop at half the resolution or less. It then contains only frequencies that this stage's filter
    /// passes unchanged. As sizes are rounded, a ratio of 1.96 suffices.
    func serves(_ other: ResizePlan) -> Bool {
        guard isResampled, plan.crop.contains(other.crop) else { return false }
        func isEnough(_ own: (Int, Double), _ other: (Int, Double)) -> Bool {
            Double(own.0) / own.1 >= 1.96 * Double(other.0) / other.1
        }
        return isEnough((plan.target.width, plan.crop.width), (other.target.width, other.crop.width))
            && isEnough((plan.target.height, plan.crop.height), (other.target.height, other.crop.height))
    }

    func firstNeededOfSource(_ plane: Int) -> Int {
        isResampled ? resamplers[plane].firstNeeded : firstNeeded(plane)
    }

    private func firstNeeded(_ plane: Int) -> Int {
        children.reduce(sink?.firstNeeded(plane) ?? .max) { min($0, $1.firstNeededOfSource(plane)) }
    }

    /// Produces the available rows, and passes them to the sink and the children. Produces a few rows at a time,
    /// because a source row of an enlargement can become thousands of rows.
    func pump(checking options: DecodeOptions) throws {
        for resampler in resamplers { resampler.take() }
        var isDone = false
        while !isDone {
            isDone = true
            for (plane, resampler) in resamplers.enumerated() {
                let ring = rings[plane]
                var count = 0
                while count < Self.rowsAtATime && resampler.canProduce {
                    ring.reserve(1, keeping: firstNeeded(plane))
                    resampler.produce(into: ring.row(ring.written))
                    ring.advance()
                    count += 1
                }
                if count == Self.rowsAtATime { isDone = false }
            }
            try sink?.take()
            for child in children { try child.pump(checking: options) }
            if !isDone { try options.check() }
        }
    }

    private static let rowsAtATime = 16
}
