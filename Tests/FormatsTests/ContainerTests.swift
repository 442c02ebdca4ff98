import Support
import TestSupport
import Testing

@testable import Formats

/// Structure of TIFF, AVIF, HEIC and JPEG XL, without a decoder.
@Suite struct ContainerTests {
    private func code(_ bytes: [UInt8]) -> String? {
        failure { _ = try ImageInspection.inspect(MemorySource(bytes)) }?.code
    }

    private func header(_ bytes: [UInt8]) throws -> ImageHeader { try ImageInspection.inspect(MemorySource(bytes)) }

    // MARK: TIFF

    private func drawn(_ change: (inout DrawnTIFF) -> Void = { _ in }) -> DrawnTIFF {
        var picture = DrawnTIFF(width: 5, height: 7, samplesPerPixel: 1, samples: .init(repeating: 9, count: 35))
        change(&picture)
        return picture
    }

    @Test(arguments: [false, true], [false, true]) func aTIFFHasSizeOrientationAndAlpha(
        isBig: Bool, isBigEndian: Bool
    ) throws {
        let plain = try header(drawn { ($0.isBig, $0.isBigEndian) = (isBig, isBigEndian) }.tiff())
        #expect(plain.format == .tiff && plain.storedSize == PixelSize(width: 5, height: 7))
        #expect(plain.orientation == .upright && plain.hasAlpha == false && plain.isAnimated == false)
        let other = try header(
            drawn {
                ($0.isBig, $0.isBigEndian) = (isBig, isBigEndian)
                $0.shorts = [274: [6], 338: [2]]
                $0.tile = (16, 16)
            }.tiff())
        #expect(other.uprightSize == PixelSize(width: 7, height: 5) && other.hasAlpha == true)
    }

    @Test func eachPageHasItsOwnHeader() throws {
        let source = MemorySource(DrawnTIFF.tiff([drawn(), drawn { $0.shorts = [274: [8]] }]))
        #expect(try ImageHeader.read(source, page: 1).orientation == .rotated90CounterClockwise)
        let failed = failure { _ = try ImageHeader.read(source, page: 2) }
        #expect(failed == .noSuchPage(2, count: 2) && failed?.code == "no-such-frame")
    }

    @Test func everyCutOfATIFFIsRefused() {
        // The directory comes last.
        let bytes = drawn { $0.shorts = [274: [1]] }.tiff()
        for count in 1..<bytes.count { #expect(code(Array(bytes[..<count])) == "truncated-image", "\(count)") }
        #expect(code(bytes) == nil && code(bytes + [1, 2, 3]) == nil)
    }

    @Test func faultsOfATIFFAreTold() {
        let bytes = drawn().tiff()
        func changed(_ change: (inout [UInt8]) -> Void) -> String? {
            var bytes = bytes
            change(&bytes)
            return code(bytes)
        }
        let directory = Int(bytes[4])
        #expect(changed { $0[directory] = 0 } == "corrupt-image", "no entries")
        // The first entry is the width, the second the height; values lie 8 bytes behind.
        #expect(changed { $0[directory + 10] = 0 } == "corrupt-image", "no width")
        #expect(changed { $0.replaceSubrange(4..<6, with: [0xFF, 0xFF]) } == "truncated-image", "a directory outside")
        // The next page is the first one again.
        #expect(changed { $0[$0.count - 4] = UInt8(directory) } == "corrupt-image", "a circle")
    }

    // MARK: AVIF and HEIC

    private func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
        Tiny.bigEndian(body.count + 8, 4) + Array(type.utf8) + body
    }

    private func full(_ type: String, version: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
        box(type, [version, 0, 0, 0] + body)
    }

    private func brand(_ major: String, _ others: [String] = []) -> [UInt8] {
        box("ftyp", Array(major.utf8) + [0, 0, 0, 0] + others.flatMap { Array($0.utf8) })
    }

    /// A picture of 30x20 pixels with these further properties, whose data is four bytes at the end.
    private func heif(
        _ major: String = "avif", kind: String = "av01", _ properties: [[UInt8]] = [], width: Int = 30, length: Int = 4
    ) -> [UInt8] {
        func meta(_ offset: Int) -> [UInt8] {
            let size = full("ispe", Tiny.bigEndian(width, 4) + Tiny.bigEndian(20, 4))
            let numbers = (0...properties.count).map { UInt8($0 + 1) }
            let all =
                box("ipco", size + properties.flatMap { $0 })
                + full("ipma", Tiny.bigEndian(1, 4) + [0, 1, UInt8(numbers.count)] + numbers)
            let place = [0x44, 0x00, 0, 1, 0, 1, 0, 0, 0, 1] + Tiny.bigEndian(offset, 4) + Tiny.bigEndian(length, 4)
            return full(
                "meta",
                full("pitm", [0, 1]) + full("iloc", place)
                    + full("iinf", [0, 1] + full("infe", version: 2, [0, 1, 0, 0] + Array(kind.utf8) + [0]))
                    + box("iprp", all))
        }
        let head = brand(major) + meta(0)
        return brand(major) + meta(head.count + 8) + box("mdat", [1, 2, 3, 4])
    }

    @Test func brandsTellAVIFAndHEIC() {
        #expect(ImageFormat(magic: brand("avif")) == .avif && ImageFormat(magic: brand("heix")) == .heic)
        #expect(ImageFormat(magic: brand("mif1", ["miaf", "avif"])) == .avif)
        #expect(ImageFormat(magic: brand("mif1", ["miaf", "heic"])) == .heic)
        #expect(ImageFormat(magic: brand("isom")) == nil)
    }

    @Test func aHEIFIsAsLargeAsItIsShown() throws {
        let plain = try header(heif())
        #expect(plain.format == .avif && plain.storedSize == PixelSize(width: 30, height: 20))
        #expect(plain.hasAlpha == false && plain.orientation == .upright)
        let turned = try header(heif("heic", kind: "hvc1", [box("irot", [1])]))
        #expect(turned.format == .heic && turned.storedSize == PixelSize(width: 20, height: 30))
        let crop = box("clap", [10, 1, 8, 2, 0, 1, 0, 1].flatMap { Tiny.bigEndian($0, 4) })
        #expect(try header(heif("avif", [crop])).storedSize == PixelSize(width: 10, height: 4))
        let alpha = full("auxC", Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8))
        #expect(try header(heif("avif", [alpha])).hasAlpha == true)
    }

    @Test func faultsOfAHEIFAreTold() {
        #expect(code(heif(length: 5)) == "truncated-image")
        #expect(code(heif(length: 0xFFFF_FFFF)) == "truncated-image")
        #expect(code(heif(width: 0)) == "corrupt-image")
        #expect(code(heif(kind: "j2k1")) == "corrupt-image")
        #expect(code(heif(kind: "grid")) == "corrupt-image", "no tiles")
        #expect(code(heif("avif", [box("clap", .init(repeating: 0, count: 32))])) == "corrupt-image")
        let whole = heif()
        for count in 12..<whole.count { #expect(code(Array(whole[..<count])) == "truncated-image", "\(count)") }
    }

    // MARK: JPEG XL

    /// Bits, the first in the lowest place.
    private func codestream(_ bits: String) -> [UInt8] {
        let all = bits.filter { $0 != " " }.map { $0 == "1" }
        return [0xFF, 0x0A]
            + stride(from: 0, to: all.count, by: 8).map { start in
                (start..<min(start + 8, all.count)).reduce(0) { all[$1] ? $0 | 1 << UInt8($1 - start) : $0 }
            }
    }

    @Test func aJPEGXLHasSizeOrientationAndAlpha() throws {
        // Small: height 8 times 1 and 2, width by no ratio 8 times 1 and 4; all else as usual.
        let small = try ImageHeader.read(MemorySource(codestream("1 01000 000 00100 1")))
        #expect(small.format == .jpegXL && small.storedSize == PixelSize(width: 40, height: 24))
        // Height 1 and 99 in nine bits, width by the ratio 4:3.
        let wide = try ImageHeader.read(MemorySource(codestream("0 00 110001100 110 1")))
        #expect(wide.storedSize == PixelSize(width: 133, height: 100))
        // Orientation 6, no other size, no preview, no animation; 8 bits, one more channel, which is alpha.
        let turned = try ImageHeader.read(MemorySource(codestream("1 01000 000 00100 0 1 101 0 0 0 0 00 1 10 1")))
        #expect(turned.orientation == .rotated90Clockwise && turned.hasAlpha == true && turned.isAnimated == false)
    }

    @Test func boxesOfAJPEGXLMustBeWhole() {
        let head: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]
        // Default colours, and a default frame with an empty section.
        let stream = codestream("1 01000 000 00100 1 1") + [1, 0, 0]
        let whole = head + brand("jxl ") + box("jxlc", stream)
        #expect(code(whole) == nil)
        #expect(code(head + brand("jxl ") + box("jxlp", [0x80, 0, 0, 0] + stream)) == nil)
        #expect(code(head + brand("jxl ") + box("jxlc", [1, 2, 3])) == "corrupt-image")
        for count in 1..<whole.count { #expect(code(Array(whole[..<count])) == "truncated-image", "\(count)") }
    }
}
