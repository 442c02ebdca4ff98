import Formats
import Support
import TestSupport
import Testing

@testable import Images
@testable import JPEG

/// JPEGs whose height follows the first scan (ITU-T T.81 B.2.5).
@Suite struct LateHeightTests {
    private static let pictures: [GeneratedJPEG] = {
        var picture = GeneratedJPEG(width: 90, height: 70, sampling: GeneratedJPEG.samplings[5], isProgressive: true)
        var pictures = [picture]
        picture.isProgressive = false
        picture.restartInterval = 3
        for scans in [[], [[0], [1], [2]], [[0, 1], [2]]] {
            picture.scans = scans
            pictures.append(picture)
        }
        return pictures
    }()

    /// Moves the height from the frame header to a DNL segment after the first scan.
    private func late(_ bytes: [UInt8]) throws -> [UInt8] {
        let source = MemorySource(bytes)
        let frame = try #require(bytes.indices.first { (0xC0...0xC2).contains(bytes[$0]) && bytes[$0 - 1] == 0xFF })
        let data = try #require(try JPEGFrame(source, options: JPEGOptions())).scans[0].dataOffset
        var segments = JPEGSegments(source, at: data, options: JPEGOptions())
        let scanEnd = try #require(try segments.next()).start
        return bytes[..<(frame + 4)] + [0, 0] + bytes[(frame + 6)..<scanEnd] + [0xFF, 0xDC, 0, 4, 0, 70]
            + bytes[scanEnd...]
    }

    @Test(arguments: pictures.indices, [DecodeOptions.Decoder.auto, .libjpeg])
    func heightAfterTheFirstScanGivesTheSamePixels(_ index: Int, decoder: DecodeOptions.Decoder) throws {
        let bytes = Self.pictures[index].encoded()
        func pixels(_ bytes: [UInt8]) throws -> PixelBuffer {
            let source = MemorySource(bytes)
            return try decode(source, inspect(source), options: DecodeOptions(decoder: decoder).begun())
        }
        let picture = try pixels(late(bytes))
        #expect(picture.size == PixelSize(width: 90, height: 70))
        #expect(picture == (try pixels(bytes)))
    }

    @Test func pixelLimitAppliesToALateHeight() throws {
        let source = MemorySource(try late(Self.pictures[0].encoded()))
        #expect(failureCode { _ = try inspect(source, limits: DecodeLimits(maxPixels: 6299)) } == "too-many-pixels")
        #expect(try inspect(source, limits: DecodeLimits(maxPixels: 6300)).dnlHeightOffset != nil)
    }
}
