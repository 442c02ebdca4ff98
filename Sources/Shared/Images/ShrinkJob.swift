import CKernels
import Formats
import Support

/// One picture under way from its reader to its outputs.
struct ShrinkJob {
    let info: PictureInfo
    let outputs: [Output]
    let options: DecodeOptions
    let isLinear: Bool

    /// An output with the numbers that follow from the picture.
    private struct Planned {
        let index: Int
        let output: Output
        let placement: Placement
        let plan: ResizePlan
    }

    /// A decoder, and what its planes mean.
    private struct Source {
        let planes: any PlaneReader
        /// Of one plane; three are YCbCr.
        let layout: RowLayout
        let profile: [UInt8]?
    }

    func run(_ source: some ByteSource, done: (Int, ShrinkResult) throws -> Void) throws {
        let planned = try plan()
        let opened = try open(source, planned)
        let transform = ColourTransform(profile: opened.profile, layout: opened.layout)
        let flow = try RowFlow(
            opened.planes, layout: opened.layout, whole: info.storedSize, isLinear: isLinear,
            stages: planned.map { planned in
                StagePlan(
                    plan: planned.plan,
                    isDirect: isDirect(planned, opened.planes, transform: planned.output.keepsProfile ? nil : transform))
            }, limits: options.limits)
        var sinks: [any StageSink] = []
        var drains: [ByteDrain] = []
        for (planned, stage) in zip(planned, flow.stages) {
            let drain = ByteDrain(planned.output.encoding.format, planned.output.sink)
            let sink = try self.sink(planned, stage, opened, transform, drain)
            stage.sink = sink
            sinks.append(sink)
            drains.append(drain)
        }
        try flow.run(checking: options)
        for (place, planned) in planned.enumerated().reversed() {
            let hash = try sinks[place].finish()
            try done(
                planned.index,
                ShrinkResult(
                    size: planned.placement.target, format: planned.output.encoding.format, bytes: drains[place].count,
                    isTruncated: opened.planes.isTruncated, hash: hash))
        }
    }

    /// The outputs' numbers, the largest output first.
    private func plan() throws -> [Planned] {
        let planned = try outputs.enumerated().map { index, output in
            let orientation = info.orientation.rotated(clockwiseQuarters: output.geometry.quarterTurns)
            let upright = orientation.swapsAxes ? info.storedSize.swapped : info.storedSize
            let placement = try output.geometry.placement(of: upright)
            try checkOutput(placement.target, output.encoding.format)
            let plan = ResizePlan(source: info.storedSize, orientation: orientation, placement)
            return Planned(index: index, output: output, placement: placement, plan: plan)
        }
        // Equal sizes in the order given.
        return planned.sorted { a, b in
            let (first, second) = (a.plan.target.pixels ?? .max, b.plan.target.pixels ?? .max)
            return first == second ? a.index < b.index : first > second
        }
    }

    private func open(_ source: some ByteSource, _ planned: [Planned]) throws -> Source {
        guard info.format == .jpeg else {
            let reader = try rowReader(source, info, scale: 8, options: options)
            return Source(planes: InterleavedRows(reader), layout: reader.layout, profile: reader.profile)
        }
        let jpeg = try JPEGReader(source, options: options)
        guard jpeg.size == info.storedSize else { throw ImageError.corrupt(.jpeg, "two sizes") }
        let scale = planned.map(\.plan.jpegScale).max() ?? 8
        // Pixels that are only copied get their colours from libjpeg, whose chroma is every viewer's.
        let copiesPixels = planned.contains { $0.plan.isIdentity && $0.output.encoding.format != .jpeg }
        if jpeg.hasPlanes && !isLinear && !copiesPixels {
            return Source(planes: try jpeg.planes(scale: scale), layout: jpeg.layout, profile: jpeg.profile)
        }
        let rows = try jpeg.rows(scale: scale)
        return Source(planes: InterleavedRows(rows), layout: jpeg.layout, profile: jpeg.profile)
    }

    /// Whether planes go straight into a JPEG's, without ever becoming pixels.
    private func isDirect(_ planned: Planned, _ planes: any PlaneReader, transform: ColourTransform?) -> Bool {
        planned.output.encoding.format == .jpeg && transform == nil && planned.plan.orientation == .upright
            && planned.placement.cover == nil && !planned.output.hasLooks
            && (planes.planes.count == 3 || planes.planes[0].channels == 1)
    }

    private func sink(
        _ planned: Planned, _ stage: Stage, _ source: Source, _ transform: ColourTransform?, _ drain: ByteDrain
    ) throws -> any StageSink {
        let output = planned.output
        var encoding = output.encoding
        if output.keepsProfile && source.layout != .cmyk { encoding.metadata.profile = source.profile }
        if stage.plan.isDirect {
            return try JPEGPlaneSink(stage, encoding: encoding, limits: options.limits, into: drain)
        }
        let finish = RowFinish(
            source.layout, transform: output.keepsProfile && source.layout != .cmyk ? nil : transform,
            isPremultiplied: stage.isResampled && !isLinear, width: planned.plan.target.width)
        let pixels = try PixelOutput(
            output, placement: planned.placement, orientation: planned.plan.orientation, channels: finish.channels,
            options: options
        ) { [limits = options.limits] size, channels in
            guard let limit = output.byteLimit else {
                return try rowWriter(encoding, size: size, channels: channels, limits: limits, into: drain)
            }
            return try FittingWriter(
                encoding, byteLimit: limit, size: size, channels: channels, limits: limits, into: drain)
        }
        return PixelSink(stage, finish: finish, to: pixels)
    }
}
