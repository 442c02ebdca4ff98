/// Passes planes to a JPEG encoder, strip by strip.
final class JPEGPlaneSink: StageSink {
    private let rings: [RowRing]
    private let writer: JPEGPlaneWriter
    private let memory: MemoryReservation

    init(_ stage: Stage, encoding: EncodeOptions, options: DecodeOptions, into drain: EncoderOutput) throws {
        let size = stage.plan.target
        memory = try options.reserve(memory: size, bytesPerPixel: encoding.bytesPerPixel(of: size))
        rings = stage.rings
        writer = try JPEGPlaneWriter(
            size: size, isGray: rings.count == 1, coding: encoding.jpegCoding(stage.plan.planes ?? .full, size),
            metadata: encoding.metadata, into: drain)
    }

    func firstNeeded(_ plane: Int) -> Int { writer.done[plane] }

    func take() throws {
        try writer.write(available: rings.map(\.written)) { UnsafePointer(rings[$0].row($1)) }
    }

    func finish() throws -> PlaceholderHash? {
        try writer.finish()
        return nil
    }
}
