import CKernels
import Formats
import Support

/// A picture in memory as gray or YCbCr planes.
final class BufferedPlanes {
    let size: PixelSize
    let sampling: ChromaSampling
    private let sizes: [PixelSize]
    private let buffers: [AlignedBuffer]

    /// - Parameter luma: the samples of the first plane; nil allocates them.
    init(size: PixelSize, isGray: Bool, sampling: ChromaSampling, luma: AlignedBuffer? = nil) {
        self.size = size
        self.sampling = sampling
        sizes = sampling.planes(of: size, isGray: isGray)
        let allocated = sizes.dropFirst(luma == nil ? 0 : 1).map { AlignedBuffer(count: $0.width * $0.height) }
        buffers = (luma.map { [$0] } ?? []) + allocated
    }

    var isGray: Bool { buffers.count == 1 }

    func row(_ plane: Int, _ y: Int) -> UnsafeMutablePointer<UInt8> {
        buffers[plane].bytes + y * sizes[plane].width
    }

    /// Returns a picture that shares the luma, and whose halved chroma is undefined until `halveChroma` is called.
    func withHalvedChroma() -> BufferedPlanes {
        BufferedPlanes(size: size, isGray: false, sampling: .halved, luma: buffers[0])
    }

    /// Computes a row of halved chroma from two rows of full chroma.
    func halveChroma(of full: BufferedPlanes, row y: Int) {
        for plane in 1...2 {
            apod_halve(
                full.row(plane, 2 * y), full.row(plane, min(2 * y + 1, size.height - 1)), row(plane, y), size.width)
        }
    }

    /// Quantises the coefficients to minimise their size with optimised Huffman codes. The best codes depend on the
    /// coefficients, and the best coefficients on the codes. The first round therefore only rounds, and two further
    /// rounds use the codes of the previous round.
    func quantized(
        _ coding: JPEGCoding, _ checkpoint: (UninterruptibleCost?) throws -> Void
    ) throws -> [QuantizedPlane] {
        let steps = coding.tables.steps
        var planes: [QuantizedPlane] = []
        for round in 0...2 {
            // Luma and chroma have separate codes.
            let costs = [planes.prefix(1), planes.dropFirst()].map { round == 0 ? nil : CodeCosts(of: Array($0)) }
            planes = try sizes.indices.map { plane in
                try checkpoint(nil)
                let kind = plane == 0 ? 0 : 1
                return QuantizedPlane(
                    size: sizes[plane], row: { UnsafePointer(self.row(plane, $0)) },
                    steps: steps[kind * 64..<kind * 64 + 64], costs: costs[kind])
            }
        }
        return planes
    }

    /// Encodes the picture.
    ///
    /// - Parameter blocks: the quantised planes; nil rounds to the nearest steps.
    func encode(
        _ coding: JPEGCoding, _ blocks: [QuantizedPlane]?, _ metadata: PictureMetadata, into drain: EncoderOutput
    ) throws {
        guard let blocks else {
            let writer = try JPEGPlaneWriter(
                size: size, isGray: isGray, coding: coding, metadata: metadata, into: drain)
            try writer.write(available: sizes.map(\.height)) { UnsafePointer(row($0, $1)) }
            return try writer.finish()
        }
        let writer = try coding.writer(size: size, isGray: isGray, metadata: metadata, into: drain)
        let down = isGray ? 1 : sampling.down
        for strip in 0..<(size.height + 8 * down - 1) / (8 * down) {
            try writer.write(
                blocks.enumerated().map { plane, blocks in
                    let count = plane == 0 ? down : 1
                    return blocks.rows(from: strip * count, count: count)
                })
        }
        try writer.finish()
    }
}
