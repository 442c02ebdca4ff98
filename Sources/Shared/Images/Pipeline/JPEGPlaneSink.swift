import Formats

/// Passes planes to a JPEG encoder, strip by strip.
final class JPEGPlaneSink: StageSink {
    private let rings: [RowRing]
    private let writer: JPEGPlaneWriter
    private let memory: MemoryReservation
    /// Rows of each plane that were consumed, in total and in the current strip.
    private var done: [Int]
    private var filled: [Int]

    init(_ stage: Stage, encoding: EncodeOptions, options: DecodeOptions, into drain: ByteDrain) throws {
        let size = stage.plan.target
        memory = try options.reserve(memory: size, bytesPerPixel: encoding.bytesPerPixel(of: size))
        rings = stage.rings
        writer = try JPEGPlaneWriter(
            size: size, isGray: rings.count == 1, coding: encoding.jpegCoding(stage.plan.planes ?? .full, size),
            metadata: encoding.metadata, into: drain)
        done = rings.map { _ in 0 }
        filled = done
    }

    func firstNeeded(_ plane: Int) -> Int { done[plane] }

    func take() throws {
        while true {
            for (plane, ring) in rings.enumerated() {
                let size = writer.planes[plane]
                let last = min(ring.written, size.height)
                while filled[plane] < writer.stripRows[plane] && done[plane] < last {
                    writer.row(plane, filled[plane]).update(from: ring.row(done[plane]), count: size.width)
                    filled[plane] += 1
                    done[plane] += 1
                }
            }
            let isWhole = writer.planes.indices.allSatisfy {
                filled[$0] == writer.stripRows[$0] || done[$0] == writer.planes[$0].height
            }
            guard isWhole, filled.contains(where: { $0 > 0 }) else { return }
            try writer.writeStrip(filled: filled)
            filled = filled.map { _ in 0 }
        }
    }

    func finish() throws -> PlaceholderHash? {
        try writer.finish()
        return nil
    }
}
