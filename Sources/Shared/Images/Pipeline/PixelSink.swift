import CKernels
import Support

/// Processes the pixels of an output.
protocol PixelConsumer: AnyObject {
    /// Processes the next row in stored orientation. May modify the row.
    func write(_ row: UnsafeMutablePointer<UInt8>) throws
    /// Writes the end of the output after the last row. Returns the hash if requested.
    func finish() throws -> PlaceholderHash?
}

/// Combines the planes of a stage into rows of pixels, in stored orientation.
final class PixelSink: StageSink {
    private let rings: [RowRing]
    /// The channels of the first plane. Used only if there is a single plane.
    private let channels: Int
    private let output: any PixelConsumer
    private let width: Int, height: Int
    private let row: AlignedBuffer
    private var done = 0

    init(_ stage: Stage, to output: any PixelConsumer) {
        rings = stage.rings
        channels = stage.geometries[0].channels
        self.output = output
        width = stage.plan.target.width
        height = stage.plan.target.height
        row = AlignedBuffer(count: width * 4)
    }

    func firstNeeded(_ plane: Int) -> Int { done }

    func take() throws {
        while done < height && rings.allSatisfy({ $0.written > done }) {
            if rings.count == 3 {
                apod_ycc_to_rgb(rings[0].row(done), rings[1].row(done), rings[2].row(done), row.bytes, width)
            } else {
                // Copies the row, because other stages may still need it unchanged.
                row.bytes.update(from: rings[0].row(done), count: width * channels)
            }
            try output.write(row.bytes)
            done += 1
        }
    }

    func finish() throws -> PlaceholderHash? { try output.finish() }
}
