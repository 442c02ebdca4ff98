import Formats

/// Collects gray or YCbCr planes of a JPEG that is encoded as a whole.
final class BufferedPlaneSink: StageSink {
    private let rings: [RowRing]
    private let sizes: [PixelSize]
    private let encoding: EncodeOptions
    private let drain: EncoderOutput
    private let planes: BufferedPlanes
    private let memory: MemoryReservation
    private var done: [Int]

    init(_ stage: Stage, encoding: EncodeOptions, options: DecodeOptions, into drain: EncoderOutput) throws {
        let size = stage.plan.target
        try checkOutput(size, .jpeg)
        memory = try options.reserve(memory: size, bytesPerPixel: encoding.bytesPerPixel(of: size))
        rings = stage.rings
        sizes = stage.geometries.map(\.size)
        planes = BufferedPlanes(size: size, isGray: rings.count == 1, sampling: stage.plan.planes ?? .full)
        self.encoding = encoding
        self.drain = drain
        done = rings.map { _ in 0 }
    }

    func firstNeeded(_ plane: Int) -> Int { done[plane] }

    func take() {
        for (plane, ring) in rings.enumerated() {
            while done[plane] < min(ring.written, sizes[plane].height) {
                planes.row(plane, done[plane]).update(from: ring.row(done[plane]), count: sizes[plane].width)
                done[plane] += 1
            }
        }
    }

    func finish() throws -> PlaceholderHash? {
        try planes.write(encoding, into: drain)
        return nil
    }
}
