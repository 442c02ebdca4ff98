import CKernels
import Support

/// Measures the loss from halving a picture's chroma resolution. Receives the picture as pairs of rows.
struct ChromaLoss {
    private var sum: UInt64 = 0
    private var squares: UInt64 = 0

    /// Adds two rows of `count` samples of each chroma plane.
    mutating func add(
        upperBlue: UnsafePointer<UInt8>, lowerBlue: UnsafePointer<UInt8>, upperRed: UnsafePointer<UInt8>,
        lowerRed: UnsafePointer<UInt8>, count: Int
    ) {
        apod_chroma_loss(upperBlue, lowerBlue, upperRed, lowerRed, count, &sum, &squares)
    }

    /// The contraharmonic mean of the loss per cell of 2 x 2 pixels: each cell is weighted by its own loss. This
    /// measures the worst places, regardless of the areas that are black, gray or soft.
    var perCell: Double { sum == 0 ? 0 : Double(squares) / Double(sum) / 4 }

    /// Whether full chroma makes the file smaller at the same visual quality (SSIMULACRA2). Of ten pictures at 640
    /// pixels, a diagram has a loss of 3,170 and a Hubble deep field 660; with full chroma, these two files are 13 %
    /// smaller. The losses of the other pictures are from 530 (a portrait) down to 60 (a map of the sky); with full
    /// chroma, their files are between 1 % smaller and 19 % larger.
    var isVisible: Bool { perCell > 600 }
}

extension ChromaLoss {
    /// Measures a picture of 3 or 4 channels, ignoring alpha.
    init(pixels: UnsafePointer<UInt8>, channels: Int, width: Int, height: Int) {
        let rows = (0..<2).map { _ in (0..<3).map { _ in AlignedBuffer(count: width) } }
        let packed = AlignedBuffer(count: width * 3)
        for y in stride(from: 0, to: height - 1, by: 2) {
            for (part, planes) in rows.enumerated() {
                var row = pixels + (y + part) * width * channels
                if channels == 4 {
                    for x in 0..<width { for c in 0..<3 { packed.bytes[x * 3 + c] = row[x * 4 + c] } }
                    row = UnsafePointer(packed.bytes)
                }
                apod_rgb_to_ycc(row, planes[0].bytes, planes[1].bytes, planes[2].bytes, width)
            }
            add(
                upperBlue: rows[0][1].bytes, lowerBlue: rows[1][1].bytes, upperRed: rows[0][2].bytes,
                lowerRed: rows[1][2].bytes, count: width)
        }
    }
}
