import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Colours are converted before they are resampled: the other order darkens edges.
@Suite struct ConversionOrderTests {
    private let size = PixelSize(width: 37, height: 37)

    /// Returns the largest difference between the downsampled picture and a reference: the decoded sRGB picture,
    /// downsampled by the reference filter.
    private func greatestDifference(_ bytes: [UInt8]) throws -> Int {
        let small = try downsampled(bytes, to: size, EncodeOptions(format: .png))
        let expected = referenceLanczos(try decode(MemorySource(bytes)), to: size)
        return zip(small.bytes, expected.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// Returns random samples of 0 or 255.
    private func squares(channels: Int) -> [UInt8] {
        var random = SeededRandom(seed: 3)
        return (0..<20 * 20 * channels).map { _ in Bool.random(using: &random) ? 255 : 0 }
    }

    @Test func edgesBetweenInksAreResampledInSRGB() throws {
        let inks = InkPicture(width: 20, height: 20, samples: squares(channels: 4))
        #expect(try greatestDifference(inks.jpeg()) <= 2)
    }

    @Test func cmykWithoutAdobesMarkerHasTheSameColours() throws {
        var inks = InkPicture(width: 20, height: 20, samples: squares(channels: 4))
        let marked = inks.jpeg()
        inks.hasAdobeMarker = false
        for decoder in [DecodeOptions.Decoder.auto, .libjpeg] {
            let options = DecodeOptions(decoder: decoder)
            let pictures = try [marked, inks.jpeg()].map { bytes in
                let source = MemorySource(bytes)
                return try decode(source, inspect(source), options: options)
            }
            #expect(pictures[0] == pictures[1])
        }
    }

    @Test(arguments: ["a matrix", "a table"]) func edgesBetweenProfileColoursAreResampledInSRGB(kind: String) throws {
        let profile = kind == "a table" ? TestProfile.table() : TestProfile.matrix(gamma: 1.8, wide: true)
        let strong = squares(channels: 3).map { $0 == 0 ? UInt8(30) : 225 }
        let small = DrawnPicture(width: 20, height: 20, channels: 3, bytes: strong)
        let picture = small.sampled(160, 160)
        let stored = picture.png(chunks: [PNGChunk("iCCP", [112, 0, 0] + Deflate.zlib(profile))])
        #expect(try greatestDifference(stored) <= 2)
        // The profile must change the colours.
        let plain = try decode(MemorySource(picture.png()))
        #expect(try decode(MemorySource(stored)) != plain)
    }

    @Test func outputsWithAndWithoutTheProfileShowTheSameColours() throws {
        let profile = TestProfile.matrix(gamma: 1.8, wide: true)
        let picture = DrawnPicture.noise(64, 64, seed: 2)
        let source = MemorySource(picture.png(chunks: [PNGChunk("iCCP", [112, 0, 0] + Deflate.zlib(profile))]))
        let sinks = (0..<3).map { _ in MemorySink() }
        let outputs = zip(sinks, [(OutputFormat.png, true), (.png, false), (.gif, true)]).map { sink, wish in
            Output(
                .exactly(PixelSize(width: 64, height: 64)), encoding: EncodeOptions(format: wish.0),
                keepsProfile: wish.1, sink: sink)
        }
        var done: Set<Int> = []
        try downsample(source, inspect(source), to: outputs) { index, _ in done.insert(index) }
        #expect(done == [0, 1, 2])
        let kept = try PNGReader(MemorySource(sinks[0].bytes), options: DecodeOptions(), keepsProfile: true)
        #expect(kept.profile == profile)
        let shown = try decode(source)
        #expect(try decode(MemorySource(sinks[0].bytes)) == shown)
        #expect(try decode(MemorySource(sinks[1].bytes)) == shown)
        #expect(shown.bytes != picture.bytes)
        #expect(psnr(try decode(MemorySource(sinks[2].bytes)).bytes, shown.bytes) > 20)
    }
}

/// The order of conversion and resampling for real CMYK pictures.
@Suite(.enabled(if: Corpus.isPresent)) struct InkCorpusTests {
    @Test(arguments: ["pil_sample_cmyk.jpg", "ycck-swop-icc.jpg"])
    func cmykLetteringKeepsItsWeight(name: String) throws {
        let path = try #require(try Corpus.pictures(in: "photos").first { $0.hasSuffix(name) })
        let source = try File.openInput(path)
        let whole = try encode(decode(source), EncodeOptions(format: .png))
        let geometry = Geometry(width: 50)
        let (direct, _) = try downsample(source, to: geometry, encode: EncodeOptions(format: .png))
        let (byWay, _) = try downsample(MemorySource(whole), to: geometry, encode: EncodeOptions(format: .png))
        #expect(psnr(try decode(MemorySource(direct)).bytes, try decode(MemorySource(byWay)).bytes) > 55)
    }
}
