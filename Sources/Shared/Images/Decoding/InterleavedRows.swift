import Formats

/// Returns the rows of a reader as a single plane of interleaved samples.
final class InterleavedRows: PlaneReader {
    let planes: [PlaneGeometry]
    private let reader: any RowReader

    init(_ reader: any RowReader, sharpening: Double = 0) {
        self.reader = reader
        planes = [
            PlaneGeometry(
                size: reader.size, extentWidth: reader.extent.width, extentHeight: reader.extent.height,
                rowBytes: reader.size.width * reader.layout.channels, groupRows: 1, channels: reader.layout.channels,
                sharpening: sharpening)
        ]
    }

    var isTruncated: Bool { reader.isTruncated }
    var isDamaged: Bool { reader.isDamaged }

    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws {
        try reader.readRow(into: destination(0, 0))
    }

    func finish() throws { try reader.finish() }
}
