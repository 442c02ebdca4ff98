import Formats
import Support

/// Encodes a picture in memory as a JPEG, with the chroma resolution and the coding that suit its content.
///
/// Halves the chroma if the options require it, or if they leave the choice to the encoder and the loss is invisible.
/// With an effort above 3, tries baseline and progressive coding and keeps the smaller file, unless the options require
/// a progressive picture. Progressive coding often enlarges small pictures, because each scan has its own codes. With an
/// effort above 6, uses trellis quantisation.
final class AdaptiveJPEGEncoder {
    private let options: EncodeOptions
    private let drain: EncoderOutput
    private let planes: BufferedPlanes
    /// The picture with halved chroma, unless the chroma keeps its resolution.
    private let halved: BufferedPlanes?
    private var halvedRows = 0
    private var loss = ChromaLoss()
    /// Encodes the halved chroma while rows arrive. Most pictures need no full chroma, and waiting for the last row
    /// makes the encoding of three megapixels 1.4 times as long.
    private var early: (writer: JPEGPlaneWriter, file: MemorySink)?

    init(
        size: PixelSize, isGray: Bool, sampling: ChromaSampling, options: EncodeOptions, into drain: EncoderOutput
    ) throws {
        self.options = options
        self.drain = drain
        planes = BufferedPlanes(size: size, isGray: isGray, sampling: sampling)
        let mayHalve = !isGray && sampling == .full && options.chromaSampling(of: size) != .full
        halved = mayHalve ? planes.withHalvedChroma() : nil
        guard mayHalve, !options.comparesCodings else { return }
        let file = MemorySink()
        let writer = try JPEGPlaneWriter(
            size: size, isGray: false, coding: options.jpegCoding(.halved, size), metadata: options.metadata,
            into: drain.redirected(to: file))
        early = (writer, file)
    }

    /// The memory of a row, which the caller fills.
    func row(_ plane: Int, _ y: Int) -> UnsafeMutablePointer<UInt8> { planes.row(plane, y) }

    /// Halves the chroma of the first `rows` rows, which must be complete in all planes.
    func advance(to rows: Int) throws {
        guard let halved else { return }
        let height = planes.size.height
        while 2 * halvedRows + 1 < rows || rows == height && 2 * halvedRows < height {
            let y = 2 * halvedRows
            halved.halveChroma(of: planes, row: halvedRows)
            halvedRows += 1
            guard y + 1 < height else { break }
            loss.add(
                upperBlue: row(1, y), lowerBlue: row(1, y + 1), upperRed: row(2, y), lowerRed: row(2, y + 1),
                count: planes.size.width)
        }
        // A picture with a visible loss in its first quarter will probably keep its chroma.
        if rows >= height / 4, loss.isVisible { early = nil }
        try early?.writer.write(available: [rows, halvedRows, halvedRows]) { UnsafePointer(halved.row($0, $1)) }
    }

    /// Writes the file. All rows must be complete.
    func finish() throws {
        try advance(to: planes.size.height)
        let keepsChroma = options.chromaSampling(of: planes.size) == nil && loss.isVisible
        if let early, !keepsChroma {
            try early.writer.finish()
            let bytes = early.file.bytes
            return try drain.write(bytes.span.bytes)
        }
        early = nil
        try encode(keepsChroma ? planes : halved ?? planes)
    }

    private func encode(_ planes: BufferedPlanes) throws {
        let coding = options.jpegCoding(planes.sampling, planes.size)
        guard options.comparesCodings else { return try planes.encode(coding, nil, options.metadata, into: drain) }
        let blocks = options.choosesCoefficients ? try planes.quantized(coding, drain.checkpoint) : nil
        var inScans = coding
        inScans.scans = JPEGCoding.fewScans
        let files = try (options.isProgressive ? [inScans] : [coding, inScans]).map { coding in
            let sink = MemorySink()
            try planes.encode(coding, blocks, options.metadata, into: drain.redirected(to: sink))
            return sink.bytes
        }
        let smallest = files.min { $0.count < $1.count }!
        try drain.write(smallest.span.bytes)
    }
}
