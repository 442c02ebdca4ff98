import Formats
import Support

/// Converts the rows of a reader to sRGB with 8 bits per sample.
final class SRGBRows: RowReader {
    let size: PixelSize
    let extent: (width: Double, height: Double)
    let layout: RowLayout
    private let reader: any RowReader
    private let transform: ColourTransform
    private let options: DecodeOptions
    /// The current row before conversion.
    private let stored: AlignedBuffer

    init(_ reader: any RowReader, _ transform: ColourTransform, options: DecodeOptions) {
        size = reader.size
        extent = reader.extent
        layout = reader.layout == .cmyk ? .rgb : reader.layout
        self.reader = reader
        self.transform = transform
        self.options = options
        stored = AlignedBuffer(count: reader.size.width * reader.layout.channels * reader.sampleBytes)
    }

    var isTruncated: Bool { reader.isTruncated }
    var isDamaged: Bool { reader.isDamaged }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        try reader.readRow(into: stored.bytes)
        try transform.apply(stored.bytes, row, count: size.width, checking: options)
    }

    func finish() throws { try reader.finish() }
}
