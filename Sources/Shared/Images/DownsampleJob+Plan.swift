import Formats
import Support

extension DownsampleJob {
    /// An output, its geometry for the size of the picture, and its results.
    final class PlannedOutput {
        let index: Int
        let output: Output
        let placement: Placement
        let plan: ResizePlan
        let drain: EncoderOutput
        /// Nil for a still output.
        var animation: AnimatedOutput?
        /// The number of frames written to an animation with a size limit.
        var fittedFrames: Int?
        var hash: PlaceholderHash?
        /// The compressed pixel data of a PNG source, if the output has the same pixels. Not used if the colours are
        /// converted.
        var kept: PassthroughPNG?
        let firstFrame = FirstFrame()
        /// The level of an output that is cut into tiles.
        let level: TileLevel?
        /// Whether this is the largest level of the output, which is completed last. True for an output without tiles.
        var isLast: Bool { level.map { $0.number == 0 } ?? true }

        /// - Parameter drain: shared by the levels of an output; nil creates one.
        init(
            _ index: Int, _ output: Output, _ info: ImageHeader, _ limits: DecodeLimits, level: TileLevel? = nil,
            drain: EncoderOutput? = nil
        ) throws {
            self.index = index
            self.output = output
            self.level = level
            let orientation = info.orientation.rotated(clockwiseQuarters: output.geometry.quarterTurns)
            let upright = orientation.swapsAxes ? info.storedSize.swapped : info.storedSize
            placement = try output.geometry.placement(of: upright)
            if level == nil { try checkOutput(placement.target, output.encoding.format) }
            // The aspect ratio of an untrusted picture may require too many pixels.
            try limits.check(pixels: placement.rendered)
            try limits.check(pixels: placement.target)
            plan = ResizePlan(source: info.storedSize, orientation: orientation, placement)
            self.drain = drain ?? EncoderOutput(output.encoding.format, output.sink)
        }

        func result(isTruncated: Bool, isDamaged: Bool, _ frames: FrameCounts?) -> DownsampleResult {
            DownsampleResult(
                size: placement.target, format: output.encoding.format, bytes: drain.count, isTruncated: isTruncated,
                isDamaged: isDamaged, hash: hash, frames: frames)
        }
    }

    /// Plans the outputs, the largest first.
    func plan() throws -> [PlannedOutput] {
        let planned = try outputs.enumerated().flatMap(plan)
        for planned in planned {
            planned.drain.checkpoint = { [options] in try options.check(before: $0) }
            planned.drain.spareThreads = options.spareThreads
        }
        // Outputs of equal size keep their order.
        return planned.sorted { a, b in
            let (first, second) = (a.plan.target.pixels ?? .max, b.plan.target.pixels ?? .max)
            return first == second ? a.index < b.index : first > second
        }
    }

    /// Returns a plan for each level of an output that is cut into tiles, otherwise a single plan.
    private func plan(_ index: Int, _ output: Output) throws -> [PlannedOutput] {
        guard let tiles = output.tiles else { return [try PlannedOutput(index, output, info, options.limits)] }
        let drain = EncoderOutput(output.encoding.format, output.sink)
        return try TileLevel.levels(of: info.uprightSize, leastSide: tiles.leastSide).map { level in
            var output = output
            output.geometry = .exactly(level.size)
            return try PlannedOutput(index, output, info, options.limits, level: level, drain: drain)
        }
    }
}
