import Formats
import Support
import TestSupport
import Testing

@testable import Images
@testable import JPEG

@Suite struct UpsampledRowsTests {
    private func rows(
        _ source: some ByteSource, _ decoder: DecodeOptions.Decoder, scale: Int = 8
    ) throws -> PixelBuffer {
        let options = DecodeOptions(decoder: decoder, spareThreads: ThreadBudget(0))
        let reader = try JPEGReader(source, options: options).rows(scale: scale)
        #expect(decoder == .libjpeg || reader is NativeRowReader)
        let row = AlignedBuffer(count: reader.size.width * reader.layout.channels)
        var bytes: [UInt8] = []
        for _ in 0..<reader.size.height {
            try reader.readRow(into: row.bytes)
            bytes.append(contentsOf: UnsafeBufferPointer(start: row.bytes, count: row.count))
        }
        try reader.finish()
        return PixelBuffer(size: reader.size, channels: reader.layout.channels, bytes: bytes)
    }

    private static let samplings: [[(Int, Int)]] = [
        [(1, 1)], [(1, 1), (1, 1), (1, 1)], [(2, 1), (1, 1), (1, 1)], [(1, 2), (1, 1), (1, 1)],
        [(2, 2), (1, 1), (1, 1)], [(4, 1), (1, 1), (1, 1)], [(2, 2), (2, 1), (1, 2)],
        [(1, 1), (1, 1), (1, 1), (1, 1)], [(2, 2), (1, 1), (1, 1), (2, 2)],
    ]

    @Test(arguments: samplings.indices, [false, true])
    func rowsAtFullSizeMatchLibjpeg(_ sampling: Int, isUnconverted: Bool) throws {
        var random = SeededRandom(seed: UInt64(sampling))
        for number in 0..<60 {
            let picture = GeneratedJPEG(
                width: 1 + random.below(40), height: 1 + random.below(40), sampling: Self.samplings[sampling],
                quality: 1 + random.below(100), isProgressive: number % 3 == 0,
                scans: number % 3 == 1 ? Self.samplings[sampling].indices.map { [$0] } : [],
                isUnconverted: isUnconverted, seed: UInt64(number), noise: random.below(200))
            let source = MemorySource(picture.encoded())
            #expect(try rows(source, .auto) == rows(source, .libjpeg), "\(picture)")
        }
    }

    /// Scales a picture down. Each pixel of the result is the mean of the pixels that it covers completely or partly.
    private func means(of picture: PixelBuffer, to target: PixelSize) -> [UInt8] {
        func covered(_ place: Int, _ wanted: Int, _ count: Int) -> Range<Int> {
            place * count / wanted..<((place + 1) * count + wanted - 1) / wanted
        }
        let (width, channels) = (picture.size.width, picture.channels)
        return (0..<target.width * target.height * channels).map { index in
            let (pixel, channel) = (index / channels, index % channels)
            let columns = covered(pixel % target.width, target.width, width)
            let rows = covered(pixel / target.width, target.height, picture.size.height)
            let sum = rows.reduce(0) { sum, y in
                columns.reduce(sum) { $0 + Int(picture.bytes[(y * width + $1) * channels + channel]) }
            }
            return UInt8(sum / (rows.count * columns.count))
        }
    }

    /// The picture is smooth, so the samples of the scaled rows are near the means of the covered pixels.
    @Test(arguments: BlockLayout.sizes)
    func scaledRowsShowTheSamePicture(_ scale: Int) throws {
        for sampling in Self.samplings {
            let picture = GeneratedJPEG(width: 160, height: 96, sampling: sampling, quality: 98, noise: 0)
            let source = MemorySource(picture.encoded())
            let (whole, scaled) = (try rows(source, .auto), try rows(source, .auto, scale: scale))
            #expect(scaled.size == PixelSize(width: 20 * scale, height: 12 * scale))
            #expect(psnr(scaled.bytes, means(of: whole, to: scaled.size)) > 19, "\(sampling)")
        }
    }
}

extension CorpusTests {
    @Test func rowsOfEveryJPEGMatchLibjpeg() throws {
        for folder in ["photos", "exif"] {
            for path in try Corpus.pictures(in: folder) {
                let source = try File.openInput(path)
                func pixels(_ decoder: DecodeOptions.Decoder) throws -> PixelBuffer? {
                    guard let info = try? inspect(source), info.format == .jpeg else { return nil }
                    return try? decode(source, info, options: DecodeOptions(decoder: decoder).begun())
                }
                #expect(try pixels(.auto) == pixels(.libjpeg), "\(path)")
            }
        }
    }
}
