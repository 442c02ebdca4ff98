import Formats
import Support

@testable import Images
@testable import JPEG

/// Low limits, so that an input takes only milliseconds.
private let limits = DecodeLimits(
    maxPixels: 1 << 15, maxInputBytes: 1 << 20, maxMemoryBytes: 32 << 20, maxSeconds: 5, maxScans: 30)

/// Compares our decoder with libjpeg. If both produce a picture, the pictures must be equal, and our result must not
/// depend on the number of threads or the division into regions.
func compareJPEGDecoders(_ bytes: [UInt8]) {
    let source = MemorySource(bytes)
    let allowsTruncated = bytes.count & 1 == 0
    func options(_ decoder: DecodeOptions.Decoder = .auto, threads: Int = 0) -> DecodeOptions {
        DecodeOptions(
            limits: limits, allowsTruncated: allowsTruncated, decoder: decoder, spareThreads: ThreadBudget(threads)
        ).begun()
    }
    guard let reader = try? JPEGReader(source, options: options(.libjpeg)), reader.hasPlanes,
        let frame = try? JPEGFrame(source, options: JPEGOptions(options()))
    else { return }
    let scale = BlockLayout.sizes[bytes.count / 2 % BlockLayout.sizes.count]
    let small = SequentialScan.Sizes(threadedBytes: 0, regionBytes: 100...100, regionBlocks: 40)
    func own(_ scale: Int, _ sizes: SequentialScan.Sizes, threads: Int) -> Result<[UInt8]?, any Error> {
        Result {
            let options = JPEGOptions(options(threads: threads))
            let sequential: (any JPEGPlanes)? = try SequentialPlanes(
                frame, source, scale: scale, sizes: sizes, options: options)
            let planes =
                try sequential
                ?? CoefficientPlanes(frame, source, scale: scale, reduction: 1, options: options)
            return try planes.map { try samples(NativePlaneReader($0)) }
        }
    }
    let serial = own(scale, .standard, threads: 0)
    let parallel = own(scale, small, threads: 2)
    precondition((try? serial.get()) == (try? parallel.get()), "the result depends on the number of threads")
    guard let whole = try? own(8, .standard, threads: 0).get(),
        let expected = try? samples(reader.planes(scale: 8))
    else { return }
    // If the data contains fill bytes, which no encoder writes, libjpeg-turbo decodes an MCU twice and does not clear
    // the result of the first attempt.
    if hasFilledData(bytes) { return }
    precondition(whole == expected, "the picture differs from libjpeg's")
}

/// Whether fill bytes (ITU-T T.81 B.1.1.2) precede a stuffed zero.
private func hasFilledData(_ bytes: [UInt8]) -> Bool {
    bytes.indices.dropFirst(2).contains { bytes[$0 - 2] == 0xFF && bytes[$0 - 1] == 0xFF && bytes[$0] == 0 }
}

/// Returns the samples of the picture, without padding.
private func samples(_ reader: any PlaneReader) throws -> [UInt8] {
    let shapes = reader.planes
    let rows = shapes.map { AlignedBuffer(count: $0.rowBytes * $0.groupRows) }
    var samples: [UInt8] = []
    let groups = shapes.map { ($0.size.height + $0.groupRows - 1) / $0.groupRows }.max() ?? 0
    for group in 0..<groups {
        try reader.readGroup { rows[$0].bytes + $1 * shapes[$0].rowBytes }
        for (plane, shape) in shapes.enumerated() {
            for row in 0..<shape.groupRows where group * shape.groupRows + row < shape.size.height {
                samples.append(
                    contentsOf: UnsafeBufferPointer(
                        start: rows[plane].bytes + row * shape.rowBytes, count: shape.size.width))
            }
        }
    }
    try reader.finish()
    return samples
}
