import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Reads all rows of a truncated picture, and returns whether the reader reports the truncation.
private func readablePart(
    _ bytes: [UInt8], scale: Int = 8, allowsTruncated: Bool = true
) throws -> (pixels: PixelBuffer, isTruncated: Bool) {
    let source = MemorySource(bytes)
    let options = DecodeOptions(allowsTruncated: allowsTruncated)
    let info = try inspect(source)
    let reader =
        try info.format == .jpeg
        ? JPEGReader(source, info, options: options).rows(scale: scale) : rowReader(source, info, options: options)
    let channels = reader.layout.channels
    let row = AlignedBuffer(count: reader.size.width * channels)
    var pixels: [UInt8] = []
    for _ in 0..<reader.size.height {
        try reader.readRow(into: row.bytes)
        pixels.append(contentsOf: UnsafeBufferPointer(start: row.bytes, count: row.count))
    }
    try reader.finish()
    return (PixelBuffer(size: reader.size, channels: channels, bytes: pixels), reader.isTruncated)
}

@Suite struct TruncatedPictureTests {
    private static let picture = PixelBuffer.noise(120, 90, channels: 3)

    private func rows(_ picture: PixelBuffer, _ range: Range<Int>) -> [UInt8] {
        let rowBytes = picture.size.width * picture.channels
        return Array(picture.bytes[range.lowerBound * rowBytes..<range.upperBound * rowBytes])
    }

    @Test func topOfATruncatedPictureIsDecoded() throws {
        for format in OutputFormat.readable {
            let bytes = try encode(Self.picture, EncodeOptions(format: format, quality: 90))
            let whole = try readablePart(bytes)
            #expect(!whole.isTruncated)
            let half = Array(bytes[0..<bytes.count * 2 / 3])
            let part = try readablePart(half)
            #expect(part.isTruncated && part.pixels.size == whole.pixels.size, "\(format)")
            // libwebp holds some rows back for its filter.
            #expect(rows(part.pixels, 0..<16) == rows(whole.pixels, 0..<16), "\(format)")
            #expect(rows(part.pixels, 60..<90) != rows(whole.pixels, 60..<90), "\(format)")
            #expect(failureCode { _ = try readablePart(half, allowsTruncated: false) } == "truncated-image")
        }
    }

    /// The last of the seven passes consists of every other row.
    @Test(arguments: [20, 100, 1000, 5000])
    func truncatedInterlacedPictureLosesOnlyTheMissingSamples(_ missing: Int) throws {
        let bytes = try encode(Self.picture, EncodeOptions(format: .png, isProgressive: true))
        let part = try readablePart(Array(bytes.dropLast(missing)))
        #expect(part.isTruncated)
        let wrong = zip(part.pixels.bytes, Self.picture.bytes).count { $0 != $1 }
        // Each missing byte is a sample of noise. In addition, a row of the pass may be incomplete.
        #expect(wrong <= missing + 2 * 120 * 3, "\(wrong) samples")
    }

    @Test func missingRowsAreBlackGrayOrTransparent() throws {
        let png = try encode(Self.picture, EncodeOptions(format: .png))
        let black = try readablePart(Array(png[0..<png.count / 2])).pixels
        #expect(rows(black, 60..<90).allSatisfy { $0 == 0 })
        let alpha = try encode(.noise(120, 90, channels: 4), EncodeOptions(format: .png))
        let transparent = try readablePart(Array(alpha[0..<alpha.count / 2])).pixels
        #expect(rows(transparent, 60..<90).allSatisfy { $0 == 0 })
        let jpeg = try Self.picture.jpeg()
        let gray = try readablePart(Array(jpeg[0..<jpeg.count / 2])).pixels
        #expect(rows(gray, 80..<90).allSatisfy { $0 == 128 })
    }

    @Test func missingEndMarkerLosesNoPixels() throws {
        for bytes in [try Self.picture.jpeg(), try encode(Self.picture, EncodeOptions(format: .png))] {
            let missing = Array(bytes.dropLast(2))
            let (part, whole) = (try readablePart(missing), try readablePart(bytes))
            #expect(part.isTruncated && part.pixels == whole.pixels)
        }
    }

    @Test func incompleteHeaderIsRejected() throws {
        for format in OutputFormat.readable {
            let bytes = try encode(Self.picture, EncodeOptions(format: format))
            for count in [0, 3, 11, 20] {
                #expect(failureCode { _ = try readablePart(Array(bytes[0..<count])) } != nil, "\(format) \(count)")
            }
        }
    }

    @Test func everyTruncatedLengthIsDecodedOrRejected() throws {
        for format in OutputFormat.readable {
            let bytes = try encode(.noise(40, 30, channels: 3), EncodeOptions(format: format))
            for count in stride(from: 0, to: bytes.count, by: 41) {
                if let code = failureCode({ _ = try readablePart(Array(bytes[0..<count])) }) {
                    #expect(["truncated-image", "corrupt-image", "not-an-image", "empty-body"].contains(code))
                    #expect(count < 800, "\(format) \(count): \(code)")
                }
            }
        }
    }
}

extension CorpusTests {
    @Test(arguments: ["malformed", "png-suite", "gif", "webp"])
    func damagedFilesAreDecodedOrRejectedIfTruncationIsAllowed(folder: String) throws {
        for path in try Corpus.pictures(in: folder) {
            do {
                _ = try readablePart(File.openInput(path).bytes(0..<(32 << 20)))
            } catch {
                let failure = failure(of: error)
                #expect([.data, .notAllowed].contains(failure.exitCode), "\(path): \(failure.message)")
            }
        }
    }

    @Test func picturesMayBeTruncatedAnywhere() throws {
        let drawn = ["photos/progressive-420-large.jpg", "photos/baseline-420-large.jpg", "gif/interlaced.gif"]
        let real = ["photos/flower.png.im_q85_420_progr.jpg", "photos/MW_fermi_gamma.jpg"]
        let names = drawn + (Corpus.isPresent ? real : [])
        for name in names {
            let folder = name.prefix { $0 != "/" }
            let path = try Corpus.pictures(in: String(folder)).first { $0.hasSuffix(name) }
            let bytes = try path.map { try File.openInput($0).bytes(0..<(32 << 20)) } ?? []
            for share in stride(from: 15, to: 100, by: 14) {
                let part = Array(bytes[0..<bytes.count * share / 100])
                for scale in [1, 8] {
                    #expect(try readablePart(part, scale: scale).isTruncated, "\(name) \(share)")
                }
            }
        }
    }
}
