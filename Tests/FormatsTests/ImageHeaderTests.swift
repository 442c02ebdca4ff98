import Formats
import Support
import Testing

@Suite struct ImageHeaderTests {
    private func header(_ bytes: [UInt8]) throws -> ImageHeader { try ImageHeader.read(MemorySource(bytes)) }

    @Test func sizeOfEachFormatIsRead() throws {
        for (name, bytes) in Tiny.all where name != "gif" {
            #expect(try header(bytes).storedSize == PixelSize(width: 20, height: 10), "\(name)")
        }
        let gif = try header(Tiny.gif(width: 300, height: 2, Tiny.gifFrame()))
        #expect(gif.storedSize == PixelSize(width: 300, height: 2))
        #expect(gif.isAnimated == nil)
    }

    @Test func uprightSizeSwapsTheSidesAfterAQuarterTurn() throws {
        for name in ["jpeg", "png", "extended webp"] {
            let bytes = try #require(Tiny.all.first { $0.name == name }).bytes
            let header = try header(bytes)
            #expect(header.orientation == .rotated90Clockwise, "\(name)")
            #expect(header.uprightSize == PixelSize(width: 10, height: 20), "\(name)")
        }
    }

    @Test func everyOrientationIsReadInBothByteOrders() throws {
        for orientation in Orientation.allCases {
            for isBig in [true, false] {
                let tiff = Tiny.tiff(orientation: Int(orientation.rawValue), bigEndian: isBig)
                #expect(try header(Tiny.jpeg(before: Tiny.exifSegment(tiff))).orientation == orientation)
            }
        }
    }

    @Test(arguments: [
        Tiny.tiff(orientation: 0), Tiny.tiff(orientation: 9), Tiny.tiff(orientation: 6, type: 2),
        Tiny.tiff(orientation: 6, count: 2), Tiny.tiff(orientation: 6, directory: 0xFFFF_FFFF),
        Tiny.tiff(orientation: 6, directory: 4_000), Tiny.tiff(orientation: 6, directory: 37),
        Tiny.tiff(orientation: 6, tag: 0x0113), Array("MM\0*".utf8), Array("XX\0*".utf8), [],
    ])
    func pictureWithInvalidExifIsUpright(_ tiff: [UInt8]) throws {
        #expect(try header(Tiny.jpeg(before: Tiny.exifSegment(tiff))).orientation == .upright)
        #expect(try header(Tiny.png(before: Tiny.chunk("eXIf", tiff))).orientation == .upright)
        let webp = Tiny.webp(Tiny.extended(0x08), Tiny.lossy(), Tiny.riffChunk("EXIF", tiff))
        #expect(try header(webp).orientation == .upright)
    }

    @Test func orientationMayHaveAnyIntegerType() throws {
        // Panasonic's DMC-GF1 writes SLONG.
        for type in [4, 8, 9] {
            let tiff = Tiny.tiff(orientation: 6, bigEndian: false, type: type)
            #expect(try header(Tiny.jpeg(before: Tiny.exifSegment(tiff))).orientation == .rotated90Clockwise)
        }
    }

    @Test func pictureWithTruncatedExifIsUpright() throws {
        let tiff = Tiny.tiff(orientation: 6)
        // The last six bytes are padding of the value and the offset of the next directory, which are not needed.
        for length in 0..<tiff.count - 6 {
            let bytes = Tiny.jpeg(before: Tiny.exifSegment(Array(tiff[..<length])))
            #expect(try header(bytes).orientation == .upright, "\(length)")
        }
    }

    @Test func orientationComesFromTheFirstExifSegmentEvenAfterTheFrameHeader() throws {
        let six = Tiny.exifSegment(Tiny.tiff(orientation: 6))
        let three = Tiny.exifSegment(Tiny.tiff(orientation: 3))
        #expect(try header(Tiny.jpeg(before: six + three)).orientation == .rotated90Clockwise)
        #expect(try header(Tiny.jpeg(between: three)).orientation == .rotated180)
    }

    @Test func otherAPP1SegmentsAreNotExif() throws {
        let xmp = Tiny.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x/>".utf8))
        let bytes = Tiny.jpeg(before: xmp + Tiny.exifSegment(Tiny.tiff(orientation: 8)))
        #expect(try header(bytes).orientation == .rotated90CounterClockwise)
    }

    @Test func largeProfileIsSkipped() throws {
        let profile = (0..<12).flatMap { _ in Tiny.segment(0xE2, [UInt8](repeating: 0xFF, count: 65_000)) }
        let source = CountingSource(Tiny.jpeg(before: profile))
        #expect(try ImageHeader.read(source).storedSize == PixelSize(width: 20, height: 10))
        #expect(source.reads <= 14)
        #expect(source.bytesRead < 80_000)
    }

    /// ITU-T T.81 B.2.5.
    @Test func heightOfAJPEGMayFollowItsFirstScan() throws {
        func behindScan(_ segment: [UInt8]) -> [UInt8] {
            [0xFF, 0xD8] + Tiny.steps + Tiny.frameHeader(width: 20, height: 0) + Tiny.scan + segment + [0xFF, 0xD9]
        }
        let header = try header(behindScan(Tiny.segment(0xDC, [1, 2])))
        #expect(header.storedSize == PixelSize(width: 20, height: 258))
        #expect(header.dnlHeightOffset == Tiny.steps.count + 7)
        #expect(try self.header(Tiny.jpeg()).dnlHeightOffset == nil)
        let bad = [
            Tiny.segment(0xDC, [0, 0]), Tiny.segment(0xDC, [0, 1, 2]),
            Tiny.segment(0xDD, [0, 1]) + Tiny.segment(0xDC, [0, 1]),
        ]
        for segment in bad {
            #expect(failure { _ = try self.header(behindScan(segment)) }?.fault == "a width or height of 0")
        }
        let cut = behindScan([0xFF, 0xDC, 0, 4, 1]).dropLast(2)
        #expect(failure { _ = try self.header(Array(cut)) }?.code == "truncated-image")
        // A height that does not follow a scan is ignored.
        let empty = [0xFF, 0xD8] + Tiny.frameHeader(width: 2, height: 0) + [0xFF, 0xD9] + Tiny.segment(0xDC, [0, 1])
        #expect(failure { _ = try self.header(empty) }?.fault == "a width or height of 0")
    }

    @Test func headerOfASmallPictureNeedsASingleRead() throws {
        for (name, bytes) in Tiny.all {
            let source = CountingSource(bytes)
            _ = try ImageHeader.read(source)
            #expect(source.reads == 1, "\(name)")
        }
    }

    @Test func exifAfterTheImageDataOfAPNGIsFound() throws {
        let bytes = Tiny.png(after: Tiny.chunk("eXIf", Tiny.tiff(orientation: 5)), data: 300)
        #expect(try header(bytes).orientation == .transposed)
    }

    @Test func searchForExifInAPNGIsLimited() throws {
        let source = CountingSource(Tiny.png(data: 100_000))
        #expect(try ImageHeader.read(source).orientation == .upright)
        #expect(source.bytesRead < 300_000)
    }

    @Test func alphaAndAnimationAreDetected() throws {
        #expect(try header(Tiny.png(colour: 6)).hasAlpha == true)
        #expect(try header(Tiny.png(colour: 2)).hasAlpha == false)
        #expect(try header(Tiny.png(before: Tiny.chunk("tRNS", [0, 0, 0, 0, 0, 0]))).hasAlpha == true)
        let twoFrames = Tiny.chunk("acTL", [0, 0, 0, 2, 0, 0, 0, 0])
        #expect(try header(Tiny.png(before: twoFrames)).isAnimated == true)
        #expect(try header(Tiny.png(after: twoFrames)).isAnimated == false)
        #expect(try header(Tiny.webp(Tiny.lossless(alpha: true))).hasAlpha == true)
        #expect(try header(Tiny.webp(Tiny.lossless(width: 16_384, height: 16_384))).storedSize.pixels == 1 << 28)
        let animation = try header(Tiny.webp(Tiny.extended(0x12), Tiny.riffChunk("ANMF", [1])))
        #expect(animation.isAnimated == true && animation.hasAlpha == true)
    }

    @Test func invalidSizesAreRefused() {
        let bad: [(String, [UInt8])] = [
            ("a width or height of 0", Tiny.jpeg(height: 0)), ("a width or height of 0", Tiny.jpeg(width: 0)),
            ("a width or height of 0", Tiny.png(width: 0)), ("a width or height of 0", Tiny.gif(width: 0)),
            ("a width or height of 0", Tiny.webp(Tiny.lossy(width: 0))),
            ("a width or height over 2^31 - 1", Tiny.png(height: 1 << 31)),
            (
                "a canvas over 2^32 - 1 pixels",
                Tiny.webp(Tiny.extended(0, width: 1 << 24, height: 1 << 24), Tiny.lossy())
            ),
            ("colour type 5 with a depth of 8 bits", Tiny.png(colour: 5)),
        ]
        for (fault, bytes) in bad { #expect(failure { _ = try header(bytes) }?.fault == fault) }
    }

    @Test(arguments: [("VP8X", 10, [0, 0, 0, 0, 19, 0, 0, 9]), ("VP8 ", 10, [0x10, 0, 0]), ("VP8L", 5, [0x2F, 19])])
    func shortWebPChunkIsRefusedForItsLength(_ type: String, _ least: Int, _ body: [UInt8]) {
        let bytes = Tiny.webp(Tiny.riffChunk(type, body), Tiny.lossy())
        let name = type.prefix { $0 != " " }
        let message = "a \(name) chunk of fewer than \(least) bytes"
        #expect(failure { _ = try header(bytes) }?.message.contains(message) == true)
    }

    @Test func jpegWithoutAFrameHeaderIsCorrupt() {
        let bytes = [0xFF, 0xD8] + Tiny.scan + [0xFF, 0xD9]
        #expect(failure { _ = try header(bytes) }?.fault == "no frame header before the first scan")
    }

    @Test func strayBytesBetweenSegmentsAreSkipped() throws {
        let bytes = Tiny.jpeg(before: Tiny.segment(0xFE, [65]) + [1, 2, 3, 0xFF, 0x00, 0xFF, 0xFF])
        #expect(try header(bytes).storedSize.width == 20)
    }
}
