import CCodecs
import CKernels
import Formats
import Support

/// A picture in memory as gray or YCbCr planes, encoded as a JPEG with the coding that suits its content.
final class BufferedPlanes {
    private let size: PixelSize
    private let sampling: ChromaSampling
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

    func row(_ plane: Int, _ y: Int) -> UnsafeMutablePointer<UInt8> {
        buffers[plane].bytes + y * sizes[plane].width
    }

    /// Encodes the picture. Halves the chroma if the options require it, or if they leave the choice to the encoder and
    /// the loss is invisible. With an effort above 3, tries baseline and progressive coding and keeps the smaller file,
    /// unless the options require a progressive picture. Progressive coding often enlarges small pictures, because each
    /// scan has its own codes. With an effort above 6, uses trellis quantisation.
    func write(_ options: EncodeOptions, into drain: EncoderOutput) throws {
        let planes = halvesChroma(options) ? halved() : self
        let coding = options.jpegCoding(planes.sampling, size)
        guard options.effort > 3 else { return try planes.encode(coding, nil, options.metadata, into: drain) }
        let blocks = options.choosesCoefficients ? try planes.quantized(coding, drain.checkpoint) : nil
        var inScans = coding
        inScans.scans = JPEGCoding.fewScans
        let files = try (options.isProgressive ? [inScans] : [coding, inScans]).map { coding in
            let sink = MemorySink()
            try planes.encode(coding, blocks, options.metadata, into: EncoderOutput(.jpeg, sink))
            return sink.bytes
        }
        let smallest = files.min { $0.count < $1.count }!
        try drain.write(smallest.span.bytes)
    }

    private func halvesChroma(_ options: EncodeOptions) -> Bool {
        guard buffers.count == 3, sampling == .full else { return false }
        return (options.chromaSampling(of: size) ?? (loss.isVisible ? .full : .halved)) == .halved
    }

    private var loss: ChromaLoss {
        var loss = ChromaLoss()
        for y in stride(from: 0, to: size.height - 1, by: 2) {
            loss.add(
                upperBlue: row(1, y), lowerBlue: row(1, y + 1), upperRed: row(2, y), lowerRed: row(2, y + 1),
                count: size.width)
        }
        return loss
    }

    /// Returns the same luma with chroma of half the resolution.
    private func halved() -> BufferedPlanes {
        let halved = BufferedPlanes(size: size, isGray: false, sampling: .halved, luma: buffers[0])
        for plane in 1...2 {
            for y in 0..<halved.sizes[plane].height {
                apod_halve(
                    row(plane, 2 * y), row(plane, min(2 * y + 1, size.height - 1)), halved.row(plane, y), size.width)
            }
        }
        return halved
    }

    /// Quantises the coefficients to minimise their size with optimised Huffman codes. The best codes depend on the
    /// coefficients, and the best coefficients on the codes. The first round therefore only rounds, and two further
    /// rounds use the codes of the previous round.
    private func quantized(
        _ coding: JPEGCoding, _ checkpoint: (UninterruptibleCost?) throws -> Void
    ) throws -> [QuantizedPlane] {
        let steps = coding.tables?.steps ?? []
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

    /// - Parameter blocks: the quantised planes; nil leaves the quantisation to libjpeg.
    private func encode(
        _ coding: JPEGCoding, _ blocks: [QuantizedPlane]?, _ metadata: PictureMetadata, into drain: EncoderOutput
    ) throws {
        if let blocks {
            let encoder = try JPEGEncoder(
                size: size, channels: blocks.count, from: APOD_JPEG_FROM_BLOCKS, coding: coding, metadata: metadata,
                into: drain)
            for (component, plane) in blocks.enumerated() { try encoder.write(plane, of: component) }
            return try encoder.finish()
        }
        let writer = try JPEGPlaneWriter(
            size: size, isGray: buffers.count == 1, coding: coding, metadata: metadata, into: drain)
        try writer.write(available: sizes.map(\.height)) { UnsafePointer(row($0, $1)) }
        try writer.finish()
    }
}
