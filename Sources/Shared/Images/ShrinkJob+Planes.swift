import Formats
import Support

extension ShrinkJob {
    /// The fast path from JPEG to JPEG: every component is resampled at its own resolution straight to the planes of
    /// the output, without colour conversion.
    func run(_ reader: any PlaneReader) throws {
        let schedule = PlaneSchedule(reader.planes, plan)
        try limits.check(memory: schedule.memory)
        let resamplers = schedule.resamplers()
        if plan.orientation == .upright {
            let writer = try JPEGPlaneWriter(
                size: plan.target, isGray: reader.planes.count == 1, quality: options.quality, into: drain)
            try forEachStrip(reader, schedule, resamplers, destination: writer.row) {
                try writer.writeStrip(filled: $0)
            }
            try reader.finish()
            try writer.finish()
            return
        }
        // The small planes are gathered, then turned strip by strip.
        try limits.check(memory: plan.target, bytesPerPixel: 2)
        let whole = schedule.targets.map { AlignedBuffer(count: $0.width * $0.height) }
        var done = schedule.targets.map { _ in 0 }
        try forEachStrip(
            reader, schedule, resamplers,
            destination: { plane, row in whole[plane].bytes + (done[plane] + row) * schedule.targets[plane].width }
        ) { rows in
            for plane in rows.indices { done[plane] += rows[plane] }
        }
        try reader.finish()
        try writeTurned(whole, schedule)
    }

    /// Decodes and resamples strip after strip; `finished` is told how many rows of each plane it has.
    private func forEachStrip(
        _ reader: any PlaneReader, _ schedule: PlaneSchedule, _ resamplers: [RowResampler],
        destination: (Int, Int) -> UnsafeMutablePointer<UInt8>, finished: ([Int]) throws -> Void
    ) throws {
        var groups = 0
        func readGroup() throws {
            try interruption.check()
            try reader.readGroup { resamplers[$0].nextRow($1) }
            for (plane, resampler) in resamplers.enumerated() { resampler.advance(by: reader.planes[plane].groupRows) }
            groups += 1
        }
        for strip in 0..<schedule.strips {
            let ranges = resamplers.indices.map { schedule.rows(of: $0, strip: strip) }
            while true {
                for (plane, resampler) in resamplers.enumerated() {
                    while resampler.produced < ranges[plane].upperBound && resampler.canProduce {
                        resampler.produce(into: destination(plane, resampler.produced - ranges[plane].lowerBound))
                    }
                }
                if zip(resamplers, ranges).allSatisfy({ $0.produced == $1.upperBound }) { break }
                try readGroup()
            }
            try finished(ranges.map(\.count))
        }
        // Rows behind the last ones that the filter needed: the picture must still turn out to be whole.
        while groups < schedule.groups { try readGroup() }
    }

    private func writeTurned(_ whole: [AlignedBuffer], _ schedule: PlaneSchedule) throws {
        let turned = zip(whole, schedule.targets).map { buffer, size in
            let out = AlignedBuffer(count: size.width * size.height)
            StoredPosition(orientation: plan.orientation, stored: size)
                .turn(from: buffer.bytes, stride: size.width, channels: 1) { out.bytes + $0 }
            return out
        }
        let writer = try JPEGPlaneWriter(
            size: plan.target, isGray: whole.count == 1, quality: options.quality, into: drain)
        var done = writer.planes.map { _ in 0 }
        while done[0] < plan.target.height {
            try interruption.check()
            var rows: [Int] = []
            for (plane, size) in writer.planes.enumerated() {
                let count = min(writer.stripRows[plane], size.height - done[plane])
                for row in 0..<count {
                    let from = turned[plane].bytes + (done[plane] + row) * size.width
                    writer.row(plane, row).update(from: from, count: size.width)
                }
                done[plane] += count
                rows.append(count)
            }
            try writer.writeStrip(filled: rows)
        }
        try writer.finish()
    }
}

/// How the planes of one picture move through their resamplers: a pure function of the shapes.
///
/// The planes come in groups of rows and leave in strips of whole blocks; since each has its own resolution, some must
/// wait for others, and `heldRows` says for how long.
struct PlaneSchedule {
    /// The output planes in the stored orientation.
    let targets: [PixelSize]
    let strips: Int
    /// Groups that the decoder delivers in all.
    let groups: Int
    let planes: [PlaneGeometry]
    private let stripRows: [Int]
    private let plans: [RowResamplingPlan]
    private let heldRows: [Int]

    init(_ planes: [PlaneGeometry], _ plan: ResizePlan) {
        self.planes = planes
        let target = plan.storedTarget
        let chroma = PixelSize(width: (target.width + 1) / 2, height: (target.height + 1) / 2)
        targets = planes.indices.map { $0 == 0 ? target : chroma }
        stripRows = planes.count == 1 ? [8] : [16, 8, 8]
        strips = (target.height + stripRows[0] - 1) / stripRows[0]
        groups = planes.map { ($0.size.height + $0.groupRows - 1) / $0.groupRows }.max() ?? 0
        let mirrored = Self.mirrors(plan.orientation)
        var plans: [RowResamplingPlan] = []
        for (index, plane) in planes.enumerated() {
            if index == 2 && plane == planes[1] {
                plans.append(plans[1])
                continue
            }
            // Chroma: half of the luma's size, which is not whole where that is odd.
            let step = index == 0 ? 1.0 : 2.0
            var horizontal = ResamplingAxis(sourceCount: plane.size.width, targetCount: targets[index].width)
            horizontal.sourceExtent = plane.extentWidth
            horizontal.targetExtent = Double(target.width) / step
            var vertical = ResamplingAxis(sourceCount: plane.size.height, targetCount: targets[index].height)
            vertical.sourceExtent = plane.extentHeight
            vertical.targetExtent = Double(target.height) / step
            // Chroma is laid out from the upright picture's top left; seen from the other side, its grid begins
            // outside of an odd picture.
            if mirrored.horizontal { horizontal.alignToFarEdge() }
            if mirrored.vertical { vertical.alignToFarEdge() }
            plans.append(RowResamplingPlan(horizontal: horizontal, vertical: vertical, channels: 1))
        }
        self.plans = plans
        heldRows = Self.heldRows(planes, plans, targets, stripRows, strips)
    }

    /// Whether the upright picture is read from the right, or from the bottom, of the stored one.
    private static func mirrors(_ orientation: Orientation) -> (horizontal: Bool, vertical: Bool) {
        switch orientation {
        case .upright, .transposed: (false, false)
        case .mirrored, .rotated90CounterClockwise: (true, false)
        case .flipped, .rotated90Clockwise: (false, true)
        case .rotated180, .transversed: (true, true)
        }
    }

    private static func heldRows(
        _ planes: [PlaneGeometry], _ plans: [RowResamplingPlan], _ targets: [PixelSize], _ stripRows: [Int],
        _ strips: Int
    ) -> [Int] {
        var held = plans.map(\.widestSpan)
        for strip in 0..<strips {
            let ranges = planes.indices.map { stripRange(strip, stripRows[$0], targets[$0].height) }
            // Groups that have come when the strip is done.
            let groups = planes.indices.map { plane in
                guard let last = ranges[plane].last else { return 0 }
                let rows = plans[plane].sourceRows(before: last)
                return (rows + planes[plane].groupRows - 1) / planes[plane].groupRows
            }.max() ?? 0
            for plane in planes.indices where !ranges[plane].isEmpty {
                let rows = plans[plane].heldRows(for: ranges[plane], sourceRows: groups * planes[plane].groupRows)
                held[plane] = max(held[plane], rows)
            }
        }
        return held
    }

    private static func stripRange(_ strip: Int, _ rows: Int, _ height: Int) -> Range<Int> {
        min(strip * rows, height)..<min((strip + 1) * rows, height)
    }

    /// The output rows of a plane that are in a strip.
    func rows(of plane: Int, strip: Int) -> Range<Int> {
        Self.stripRange(strip, stripRows[plane], targets[plane].height)
    }

    /// Bytes of all resamplers, about.
    var memory: Int {
        planes.indices.reduce(0) { $0 + plans[$1].memory(heldRows: heldRows[$1] + planes[$1].groupRows) }
    }

    func resamplers() -> [RowResampler] {
        planes.indices.map {
            RowResampler(
                plans[$0], heldRows: heldRows[$0], groupRows: planes[$0].groupRows, rowBytes: planes[$0].rowBytes)
        }
    }
}
