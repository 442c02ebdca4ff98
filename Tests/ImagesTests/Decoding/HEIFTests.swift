import CAVIF
import CHEIF
import Formats
import Support
import TestSupport
import Testing

@testable import Images

private let canTest = cheif_load() == nil && cavif_load() == nil

/// Derived, cropped, rotated and transparent pictures.
@Suite(.enabled(if: canTest)) struct HEIFTests {
    /// Coded colours and alpha of a picture, with the boxes that a decoder needs.
    private struct Coded {
        let colours: DrawnHEIF.Item
        let alpha: DrawnHEIF.Item?
        /// The decoded picture, before it becomes a part of another file.
        let decoded: PixelBuffer
    }

    private func coded(_ width: Int, _ height: Int, channels: Int = 3) throws -> Coded {
        let bytes = try encode(.waves(width, height, channels: channels), EncodeOptions(format: .avif, quality: 95))
        guard case .tiles(let colours, let alpha) = try HEIFPicture(MemorySource(bytes), .avif).content else {
            throw ImageError.notAnImage
        }
        func item(_ coded: HEIFPicture.Coded) -> DrawnHEIF.Item {
            DrawnHEIF.Item(
                "av01", coded.data.flatMap { bytes[$0] },
                [DrawnHEIF.size(width, height), Array(bytes[coded.configuration])]
                    + (coded.signal.map { [Array(bytes[$0])] } ?? []))
        }
        var coverage = alpha.map { item($0.tiles[0]) }
        coverage?.properties.append(DrawnHEIF.alpha)
        return Coded(
            colours: item(colours.tiles[0]), alpha: coverage, decoded: try decode(MemorySource(bytes)))
    }

    private func read(_ items: [DrawnHEIF.Item], brand: String = "avif") throws -> PixelBuffer {
        try decode(MemorySource(DrawnHEIF(brand, items).bytes))
    }

    @Test func longDecoderConfigurationIsRefused() throws {
        var item = try coded(24, 16).colours
        item.properties[1] = DrawnHEIF.box("av1C", [0x81] + [UInt8](repeating: 0, count: 1 << 16))
        #expect(
            message { _ = try read([item]) }
                == "65 the AVIF is corrupt: a decoder configuration of 65545 bytes, more than 65536")
    }

    @Test func sizeInTheHeaderMustBeTheDecodedSize() throws {
        var item = try coded(24, 16).colours
        item.properties[0] = DrawnHEIF.size(25, 16)
        let words = "the header and the decoder disagree on the size"
        #expect(message { _ = try read([item]) } == "65 the AVIF is corrupt: \(words)")
        let jpeg = try PixelBuffer.waves(24, 16, channels: 3).jpeg()
        let header = ImageHeader(format: .jpeg, storedSize: PixelSize(width: 25, height: 16))
        #expect(
            message { _ = try JPEGReader(MemorySource(jpeg), header, options: DecodeOptions()) }
                == "65 the JPEG is corrupt: \(words)")
    }

    @Test(
        arguments: [
            (nil, 0, [0xFF], "a damaged AV1 unit"), (nil, 5, [], "no operating point 5"), (2, 0, [], "no layer 2"),
        ] as [(Int?, Int, [UInt8], String)])
    func missingLayersAreReported(layer: Int?, point: Int, data: [UInt8], fault: String) {
        var data = data
        data.withUnsafeMutableBufferPointer { data in
            #expect(
                message { _ = try AV1Layers(layer: layer, operatingPoint: point).select(in: data, .avif) }
                    == "65 the AVIF is corrupt: \(fault)")
        }
    }

    @Test func imageSequenceIsReadAsItsStillPicture() throws {
        let picture = try coded(24, 16)
        #expect(try read([picture.colours], brand: "avis") == picture.decoded)
    }

    @Test func rotationAppliesAtAnyPlaceAmongTheProperties() throws {
        let picture = try coded(24, 16)
        for place in [0, 2] {
            var item = picture.colours
            item.properties.insert(DrawnHEIF.rotation(1), at: place)
            #expect(try read([item]) == picture.decoded.upright(from: .rotated90CounterClockwise))
        }
    }

    /// For comparison, applies the same steps to decoded pixels.
    @Test func rotationsMirrorsAndCropsApplyInOrder() throws {
        let picture = try coded(24, 16)
        var random = SeededRandom(seed: 11)
        for _ in 0..<40 {
            var item = picture.colours
            var expected = picture.decoded
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch Int.random(in: 0..<3, using: &random) {
                case 0:
                    let quarters = Int.random(in: 0...3, using: &random)
                    item.properties.append(DrawnHEIF.rotation(UInt8(quarters)))
                    expected = expected.upright(from: Orientation.upright.rotated(clockwiseQuarters: -quarters))
                case 1:
                    let topAndBottom = Bool.random(using: &random)
                    item.properties.append(DrawnHEIF.mirror(topAndBottom: topAndBottom))
                    expected = expected.upright(from: topAndBottom ? .flipped : .mirrored)
                default:
                    let (x, y) = (Int.random(in: 0...1, using: &random), Int.random(in: 0...1, using: &random))
                    let size = PixelSize(width: expected.size.width - 3, height: expected.size.height - 2)
                    // The offset of the centre, in half pixels.
                    item.properties.append(
                        DrawnHEIF.crop(size.width, size.height, right: 2 * x - 3, down: 2 * y - 2))
                    expected = expected.part(x, y, size)
                }
            }
            #expect(try read([item]) == expected)
        }
    }

    @Test func exceededLimitOfLibheifIsNotOutOfMemory() throws {
        var bytes = try encode(.waves(8, 8, channels: 3), EncodeOptions(format: .avif))
        let box = try #require(bytes.indices.first { bytes[$0...].starts(with: "ispe".utf8) })
        // Makes both sides longer than 2^24 pixels.
        bytes[box + 8] = 1
        bytes[box + 12] = 1
        var pixels = cheif_pixels()
        var picture: OpaquePointer?
        let status = cheif_decode(bytes, bytes.count, cheif_kind(is_gray: 0, is_wide: 0), &pixels, &picture)
        #expect(status == CHEIF_OVER_LIMIT && picture == nil)
    }

    @Test(arguments: [nil, 10, 18]) func gridIsAssembledFromItsTiles(cropped: Int?) throws {
        let (left, right) = (try coded(64, 64), try coded(64, 64, channels: 4))
        var grid = DrawnHEIF.Item(
            "grid", DrawnHEIF.grid(rows: 2, columns: 2, 100, 70), parts: [2, 3, 4, 5], isInner: true)
        if let cropped { grid.properties = [DrawnHEIF.crop(100 - 2 * cropped, 70)] }
        let picture = try read([grid, left.colours, right.colours, right.colours, left.colours])
        let start = cropped ?? 0
        #expect(picture.size == PixelSize(width: 100 - 2 * start, height: 70))
        for (x, y) in [(20, 5), (63, 63), (64, 63), (63, 64), (70, 69)] {
            let tile = (x < 64) == (y < 64) ? left : right
            for channel in 0..<3 {
                #expect(picture.sample(x - start, y, channel) == tile.decoded.sample(x % 64, y % 64, channel))
            }
        }
    }

    @Test func readingAGridNeedsMemoryForARowOfTiles() throws {
        let tile = try coded(64, 64)
        let grid = DrawnHEIF.Item(
            "grid", DrawnHEIF.grid(rows: 40, columns: 1, 64, 2560), parts: Array(2...41), isInner: true)
        let source = MemorySource(DrawnHEIF("avif", [grid] + Array(repeating: tile.colours, count: 40)).bytes)
        let info = try ImageHeader.read(source)
        func rows(_ memory: Int) throws {
            let options = DecodeOptions(limits: DecodeLimits(maxMemoryBytes: memory))
            let reader = try rowReader(source, info, options: options)
            var row = [UInt8](repeating: 0, count: 64 * 3)
            for _ in 0..<reader.size.height { try reader.readRow(into: &row) }
        }
        try rows(100_000)
        #expect(failureCode { try rows(20_000) } == "out-of-memory-limit")
    }

    @Test func overlayLayersAreDrawnOnTheCanvas() throws {
        let picture = try coded(24, 16)
        var turned = picture.colours
        turned.properties.append(DrawnHEIF.rotation(2))
        let overlay = DrawnHEIF.Item(
            "iovl", DrawnHEIF.overlay(40, 30, background: 200, [(-4, 3), (10, 12)]), parts: [2, 3], isInner: true)
        let shown = try read([overlay, picture.colours, turned])
        #expect(shown.size == PixelSize(width: 40, height: 30) && shown.channels == 3)
        let upper = picture.decoded.upright(from: .rotated180)
        for channel in 0..<3 {
            #expect(shown.sample(0, 0, channel) == 200 && shown.sample(39, 29, channel) == 200)
            #expect(shown.sample(2, 5, channel) == picture.decoded.sample(6, 2, channel))
            #expect(shown.sample(12, 14, channel) == upper.sample(2, 2, channel), "the upper layer")
        }
    }

    @Test func transparentLayerIsBlendedWithTheCanvas() throws {
        let picture = try coded(24, 16, channels: 4)
        let overlay = DrawnHEIF.Item(
            "iovl", DrawnHEIF.overlay(24, 16, background: 100, [(0, 0)]), parts: [2], isInner: true)
        var alpha = try #require(picture.alpha)
        alpha.alphaOf = 2
        let shown = try read([overlay, picture.colours, alpha])
        for (x, y) in [(3, 4), (20, 9), (11, 15)] {
            let part = Double(picture.decoded.sample(x, y, 3)) / 255
            for channel in 0..<3 {
                let mixed = Double(picture.decoded.sample(x, y, channel)) * part + 100 * (1 - part)
                #expect(abs(Double(shown.sample(x, y, channel)) - mixed) <= 1)
            }
        }
    }

    @Test func identityDerivationAppliesItsRotation() throws {
        let picture = try coded(24, 16)
        let derived = DrawnHEIF.Item("iden", [], [DrawnHEIF.rotation(3)], parts: [2])
        #expect(try read([derived, picture.colours]) == picture.decoded.upright(from: .rotated90Clockwise))
    }

    /// These cases are as in libavif's test file `abc_color_irot_alpha_NOirot.avif` and similar files.
    @Test(arguments: [(true, false), (false, true), (true, true)]) func onlyTheRotationOfTheColoursApplies(
        _ colour: Bool, _ alpha: Bool
    ) throws {
        let picture = try coded(24, 16, channels: 4)
        var (colours, coverage) = (picture.colours, try #require(picture.alpha))
        coverage.alphaOf = 1
        if colour { colours.properties.append(DrawnHEIF.rotation(1)) }
        if alpha { coverage.properties.append(DrawnHEIF.rotation(1)) }
        let expected = picture.decoded.upright(from: colour ? .rotated90CounterClockwise : .upright)
        #expect(try read([colours, coverage]) == expected)
    }

    @Test func alphaOfAnotherSizeIsScaledToThePicture() throws {
        let (picture, other) = (try coded(24, 16, channels: 4), try coded(12, 8, channels: 4))
        var alpha = try #require(other.alpha)
        alpha.alphaOf = 1
        let shown = try read([picture.colours, alpha])
        for (x, y) in [(0, 0), (23, 15), (13, 6)] {
            #expect(shown.sample(x, y, 3) == other.decoded.sample(x / 2, y / 2, 3))
            #expect(shown.sample(x, y, 1) == picture.decoded.sample(x, y, 1))
        }
    }

    /// Reads the alpha of a picture as luma and as alpha, in limited and full range.
    @Test(arguments: [true, false]) func limitedRangeIsExpanded(isFullRange: Bool) throws {
        let picture = try coded(24, 16, channels: 4)
        var levels = try #require(picture.alpha)
        levels.properties = Array(levels.properties.prefix(2)) + [DrawnHEIF.signal(isFullRange: isFullRange)]
        let gray = try read([levels])
        levels.properties.append(DrawnHEIF.alpha)
        levels.alphaOf = 1
        let transparent = try read([picture.colours, levels])
        for y in 0..<16 {
            for x in 0..<24 {
                let stored = Int(picture.decoded.sample(x, y, 3))
                let level = isFullRange ? stored : (min(max(stored, 16), 235) * 255 - 16 * 255 + 109) / 219
                #expect((0..<3).allSatisfy { gray.sample(x, y, $0) == level })
                #expect(transparent.sample(x, y, 3) == level)
            }
        }
    }

    /// Reads a picture whose lower layer is red and whose upper layer is blue, with an additional property.
    private func layered(_ type: String, _ body: [UInt8]) throws -> (red: Int, blue: Int) {
        let bytes = SmallPictures.layeredAVIF
        guard case .tiles(let tiling, _) = try HEIFPicture(MemorySource(bytes), .avif).content else {
            throw ImageError.notAnImage
        }
        let coded = tiling.tiles[0]
        let properties = [
            DrawnHEIF.size(16, 16), Array(bytes[coded.configuration]), DrawnHEIF.box(type, body),
        ]
        let picture = try read([DrawnHEIF.Item("av01", coded.data.flatMap { bytes[$0] }, properties)])
        return (Int(picture.sample(8, 8, 0)), Int(picture.sample(8, 8, 2)))
    }

    @Test(
        arguments: [
            ("free", [], false), ("lsel", [0xFF, 0xFF], false), ("lsel", [0, 1], false), ("lsel", [0, 0], true),
            ("a1op", [0], false), ("a1op", [1], true),
        ] as [(String, [UInt8], Bool)])
    func selectedLayerIsShown(property: String, body: [UInt8], isRed: Bool) throws {
        let (red, blue) = try layered(property, body)
        #expect(isRed ? red > 150 && blue < 100 : red < 100 && blue > 150)
    }

    @Test(arguments: [("lsel", [0, 2]), ("lsel", [1, 0]), ("a1op", [2]), ("a1op", [255])] as [(String, [UInt8])])
    func missingLayerIsCorrupt(property: String, body: [UInt8]) {
        #expect {
            try layered(property, body)
        } throws: { error in
            if case ImageError.corrupt = error { true } else { false }
        }
    }

    @Test(arguments: [10, 12]) func limitedRangeGrayOf10And12BitsIsExpanded(bits: Int) throws {
        let picture = try decode(
            MemorySource(bits == 10 ? SmallPictures.grayAVIF10 : SmallPictures.grayAVIF12))
        #expect(picture.sample(2, 8, 0) == 0 && picture.sample(29, 8, 0) == 255)
    }
}

extension PixelBuffer {
    /// Returns the rectangle of this size whose top left corner is at x and y.
    fileprivate func part(_ x: Int, _ y: Int, _ size: PixelSize) -> PixelBuffer {
        let rows = (y..<y + size.height).flatMap { row in
            let start = (row * self.size.width + x) * channels
            return Array(bytes[start..<start + size.width * channels])
        }
        return PixelBuffer(size: size, channels: channels, bytes: rows)
    }
}
