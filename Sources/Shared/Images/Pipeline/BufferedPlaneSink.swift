import Formats

/// Collects gray or YCbCr planes of a JPEG that is encoded as a whole.
final class BufferedPlaneSink: StageSink {
    private let rings: [RowRing]
    private let sizes: [PixelSize]
    private let encoder: AdaptiveJPEGEncoder
    private let memory: MemoryReservation
    private var done: [Int]

    init(_ stage: Stage, encoding: EncodeOptions, options: DecodeOptions, into drain: EncoderOutput) throws {
        let size = stage.plan.target
        try checkOutput(size, .jpeg)
        memory = try options.reserve(memory: size, bytesPerPixel: encoding.bytesPerPixel(of: size))
        rings = stage.rings
        sizes = stage.geometries.map(\.size)
        encoder = try AdaptiveJPEGEncoder(
            size: size, isGray: rings.count == 1, sampling: stage.plan.planes ?? .full, options: encoding, into: drain)
        done = rings.map { _ in 0 }
    }

    func firstNeeded(_ plane: Int) -> Int { done[plane] }

    func take() throws {
        for (plane, ring) in rings.enumerated() {
            while done[plane] < min(ring.written, sizes[plane].height) {
                encoder.row(plane, done[plane]).update(from: ring.row(done[plane]), count: sizes[plane].width)
                done[plane] += 1
            }
        }
        try encoder.advance(to: done.min()!)
    }

    func finish() throws -> PlaceholderHash? {
        try encoder.finish()
        return nil
    }
}
