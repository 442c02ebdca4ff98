import Support
import TestSupport
import Testing

@testable import Formats

/// The structure of TIFF, AVIF, HEIC and JPEG XL, without a decoder.
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

    @Test(arguments: [false, true], [false, true]) func sizeOrientationAndAlphaOfATIFFAreRead(
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

    @Test func everyTruncationOfATIFFIsDetected() {
        // The directory is at the end of the file.
        let bytes = drawn { $0.shorts = [274: [1]] }.tiff()
        for count in 1..<bytes.count { #expect(code(Array(bytes[..<count])) == "truncated-image", "\(count)") }
        #expect(code(bytes) == nil && code(bytes + [1, 2, 3]) == nil)
    }

    @Test func tiffFaultsAreReported() {
        let bytes = drawn().tiff()
        func changed(_ change: (inout [UInt8]) -> Void) -> String? {
            var bytes = bytes
            change(&bytes)
            return code(bytes)
        }
        let directory = Int(bytes[4])
        #expect(changed { $0[directory] = 0 } == "corrupt-image", "no entries")
        // The first entry is the width. Its value begins after 8 bytes of the entry.
        #expect(changed { $0[directory + 10] = 0 } == "corrupt-image", "no width")
        #expect(changed { $0.replaceSubrange(4..<6, with: [0xFF, 0xFF]) } == "truncated-image", "past the end")
        // The next page is the first page again.
        #expect(changed { $0[$0.count - 4] = UInt8(directory) } == "corrupt-image", "a cycle of pages")
    }

    @Test(arguments: [
        (258, 32 as UInt16, "32 bits per sample"), (339, 3, "samples other than unsigned integers"),
        (262, 32803, "photometric interpretation 32803"), (262, 6, "photometric interpretation 6"),
        (259, 34712, "compression 34712"),
    ])
    func unsupportedTIFFsAreReportedAsUnsupported(tag: Int, value: UInt16, kind: String) {
        let picture = drawn { $0.shorts = [tag: [value]] }.tiff()
        #expect(failure { _ = try header(picture) } == .notRead(.tiff, kind))
    }

    @Test func tiffWithAnArrayBeyondItsEndIsTruncated() {
        // Three values of ExtraSamples do not fit into the entry, so they are stored at the end of the file.
        let picture = drawn { $0.shorts = [338: [0, 0, 0]] }.tiff()
        #expect(code(picture) == nil)
        let directory = Int(picture[4])
        for entry in 0..<Int(picture[directory]) where picture[directory + 2 + entry * 12] == 0x52 {
            var changed = picture
            changed.replaceSubrange(directory + 10 + entry * 12..<directory + 12 + entry * 12, with: [0xF0, 0x7F])
            #expect(code(changed) == "truncated-image")
        }
    }

    @Test func tiffWithTooManyPagesIsOverTheLimit() {
        let pages = Array(repeating: drawn(), count: TIFFLayout.pageLimit)
        #expect(code(DrawnTIFF.tiff(pages)) == nil)
        #expect(code(DrawnTIFF.tiff(pages + [drawn()])) == "over-limit")
    }

    @Test func oldStyleJPEGInATIFFNeedsNoStrips() {
        func old(_ offset: UInt16) -> String? {
            var bytes = drawn { $0.shorts = [513: [offset]] }.tiff()
            // Replaces StripOffsets by an unknown tag.
            let directory = Int(bytes[4])
            for entry in 0..<Int(bytes[directory]) where bytes[directory + 2 + entry * 12] == 0x11 {
                bytes[directory + 2 + entry * 12 + 1] = 0xFF
            }
            return code(bytes)
        }
        #expect(old(8) == nil)
        #expect(old(60_000) == "truncated-image")
    }

    // MARK: AVIF and HEIC

    private func brand(_ major: String, _ others: [String] = []) -> [UInt8] {
        DrawnHEIF.box("ftyp", Array(major.utf8) + [0, 0, 0, 0] + others.flatMap { Array($0.utf8) })
    }

    /// A picture with additional properties, and with four bytes of data at the end of the file.
    private func heif(
        _ brand: String = "avif", kind: String = "av01", _ properties: [[UInt8]] = [], size: (Int, Int) = (30, 20),
        with others: [DrawnHEIF.Item] = [], excess: Int = 0
    ) -> [UInt8] {
        let item = DrawnHEIF.Item(
            kind, [1, 2, 3, 4], [DrawnHEIF.size(size.0, size.1), DrawnHEIF.configuration] + properties)
        var file = DrawnHEIF(brand, [item] + others)
        file.excess = excess
        return file.bytes
    }

    /// A grid, an overlay or another picture derived from `count` coded pictures.
    private func derived(
        _ kind: String, _ data: [UInt8], of count: Int, _ properties: [[UInt8]] = [], size: (Int, Int) = (30, 20)
    ) -> [UInt8] {
        let part = DrawnHEIF.Item("av01", [1], [DrawnHEIF.size(size.0, size.1), DrawnHEIF.configuration])
        let whole = DrawnHEIF.Item(kind, data, properties, parts: Array(2..<2 + count), isInner: true)
        return DrawnHEIF("avif", [whole] + Array(repeating: part, count: count)).bytes
    }

    @Test func brandsDistinguishAVIFAndHEIC() {
        func format(_ major: String, _ others: [String] = []) -> ImageFormat? {
            ImageFormat.detected(in: brand(major, others)[...])
        }
        #expect(format("avif") == .avif && format("heix") == .heic)
        #expect(format("mif1", ["miaf", "avif"]) == .avif && format("mif1", ["miaf", "heic"]) == .heic)
        #expect(format("isom") == nil)
    }

    @Test func sizeOfAHEIFIncludesRotationAndCrop() throws {
        let plain = try header(heif())
        #expect(plain.format == .avif && plain.storedSize == PixelSize(width: 30, height: 20))
        #expect(plain.hasAlpha == false && plain.orientation == .upright)
        let turned = try header(heif("heic", [DrawnHEIF.rotation(1)]))
        #expect(turned.format == .heic && turned.uprightSize == PixelSize(width: 20, height: 30))
        #expect(turned.orientation == .rotated90CounterClockwise)
        #expect(try header(heif("avif", [DrawnHEIF.crop(10, 4)])).storedSize == PixelSize(width: 10, height: 4))
        let cropped = try header(heif("avif", [DrawnHEIF.rotation(1), DrawnHEIF.crop(10, 4)]))
        #expect(cropped.uprightSize == PixelSize(width: 10, height: 4))
        #expect(try header(heif("avis")).format == .avif)
    }

    @Test func alphaOfOtherPicturesIsIgnored() throws {
        func alpha(of item: Int?) -> DrawnHEIF.Item {
            DrawnHEIF.Item(
                "av01", [5], [DrawnHEIF.size(30, 20), DrawnHEIF.configuration, DrawnHEIF.alpha], alphaOf: item)
        }
        #expect(try header(heif(with: [alpha(of: 1)])).hasAlpha == true)
        #expect(try header(heif(with: [alpha(of: 3)])).hasAlpha == false)
        #expect(try header(heif(with: [alpha(of: nil)])).hasAlpha == false)
    }

    @Test func sizeOfADerivedPictureIsReadFromItsData() throws {
        let grid = derived("grid", DrawnHEIF.grid(rows: 1, columns: 2, 50, 20), of: 2)
        #expect(try header(grid).storedSize == PixelSize(width: 50, height: 20))
        let overlay = derived("iovl", DrawnHEIF.overlay(40, 30, background: 0, [(-3, 8)]), of: 1)
        #expect(try header(overlay).storedSize == PixelSize(width: 40, height: 30))
        #expect(try header(overlay).hasAlpha == false)
        let clear = derived("iovl", DrawnHEIF.overlay(40, 30, background: 0, alpha: 0, [(0, 0)]), of: 1)
        #expect(try header(clear).hasAlpha == true)
        let turned = derived("iden", [], of: 1, [DrawnHEIF.rotation(1)])
        #expect(try header(turned).uprightSize == PixelSize(width: 20, height: 30))
    }

    @Test func heifFaultsAreReported() {
        #expect(code(heif(excess: 1)) == "truncated-image")
        #expect(code(heif(excess: 0xFFFF_0000)) == "truncated-image")
        #expect(code(heif(size: (0, 20))) == "corrupt-image")
        #expect(code(heif("avif", [DrawnHEIF.box("clap", .init(repeating: 0, count: 32))])) == "corrupt-image")
        #expect(code(heif("avif", [DrawnHEIF.crop(31, 4)])) == "corrupt-image")
        #expect(code(heif("avif", [DrawnHEIF.crop(10, 4, right: 22)])) == "corrupt-image", "beyond the right edge")
        #expect(code(derived("grid", DrawnHEIF.grid(rows: 1, columns: 2, 50, 20), of: 3)) == "corrupt-image")
        #expect(code(derived("grid", DrawnHEIF.grid(rows: 1, columns: 2, 61, 20), of: 2)) == "corrupt-image")
        #expect(code(derived("grid", DrawnHEIF.grid(rows: 1, columns: 2, 30, 20), of: 2)) == "corrupt-image")
        #expect(code(derived("grid", [0, 0, 0], of: 1)) == "corrupt-image", "a grid without a size")
        #expect(code(derived("iden", [], of: 2)) == "corrupt-image")
        #expect(code(DrawnHEIF("avif", [DrawnHEIF.Item("iden", parts: [1])]).bytes) == "corrupt-image", "a cycle")
        let whole = heif()
        for count in 12..<whole.count { #expect(code(Array(whole[..<count])) == "truncated-image", "\(count)") }
    }

    @Test func unsupportedHEIFsAreReportedAsUnsupported() {
        #expect(code(heif(kind: "j2k1")) == "unsupported-image")
        #expect(code(derived("tmap", [0], of: 2)) == "unsupported-image")
        let layer = DrawnHEIF.Item("iovl", DrawnHEIF.overlay(4, 4, background: 0, [(0, 0)]), parts: [2], isInner: true)
        #expect(code(DrawnHEIF("heic", [layer, layer]).bytes) == "unsupported-image")
        #expect(code(brand("avis") + DrawnHEIF.box("moov", [])) == "unsupported-image", "no still picture")
        // After its type, `iloc` contains version and flags, field widths, the number of items, and for each item its
        // ID, method and file. Changes the version, the method and the file.
        for (place, value) in [(4, 3), (15, 2), (17, 1)] {
            var bytes = heif()
            let iloc = bytes.indices.first { bytes[$0...].starts(with: "iloc".utf8) } ?? 0
            bytes[iloc + place] = UInt8(value)
            #expect(code(bytes) == "unsupported-image", "byte \(place) of iloc")
        }
    }

    // MARK: JPEG XL

    /// A codestream with these bits, the lowest bit of each byte first.
    private func codestream(_ bits: String) -> [UInt8] {
        let all = bits.filter { $0 != " " }.map { $0 == "1" }
        return [0xFF, 0x0A]
            + stride(from: 0, to: all.count, by: 8).map { start in
                (start..<min(start + 8, all.count)).reduce(0) { all[$1] ? $0 | 1 << UInt8($1 - start) : $0 }
            }
    }

    @Test func sizeOrientationAndAlphaOfAJPEGXLAreRead() throws {
        // Small: height 8 x (1 + 2), no ratio, width 8 x (1 + 4). All other fields have their defaults.
        let small = try ImageHeader.read(MemorySource(codestream("1 01000 000 00100 1")))
        #expect(small.format == .jpegXL && small.storedSize == PixelSize(width: 40, height: 24))
        // Height 1 + 99 in nine bits, width by the ratio 4:3.
        let wide = try ImageHeader.read(MemorySource(codestream("0 00 110001100 110 1")))
        #expect(wide.storedSize == PixelSize(width: 133, height: 100))
        // Orientation 6, no intrinsic size, no preview, no animation, 8 bits, an extra channel: alpha.
        let turned = try ImageHeader.read(MemorySource(codestream("1 01000 000 00100 0 1 101 0 0 0 0 00 1 10 1")))
        #expect(turned.orientation == .rotated90Clockwise && turned.hasAlpha == true && turned.isAnimated == false)
    }

    @Test func boxesOfAJPEGXLMustBeComplete() {
        let head: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]
        // An image and a frame with default fields, and an empty section.
        let stream = codestream("1 01000 000 00100 1 1") + [1, 0, 0]
        let whole = head + brand("jxl ") + DrawnHEIF.box("jxlc", stream)
        #expect(code(whole) == nil)
        #expect(code(head + brand("jxl ") + DrawnHEIF.box("jxlp", [0x80, 0, 0, 0] + stream)) == nil)
        #expect(code(head + brand("jxl ") + DrawnHEIF.box("jxlc", [1, 2, 3])) == "corrupt-image")
        for count in 1..<whole.count { #expect(code(Array(whole[..<count])) == "truncated-image", "\(count)") }
    }
}
