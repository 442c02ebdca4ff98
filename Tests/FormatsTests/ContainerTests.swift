import Support
import TestSupport
import Testing

@testable import Formats

/// The structure of TIFF and JPEG XL, without a decoder.
@Suite struct ContainerTests {
    private func code(_ bytes: [UInt8]) -> String? {
        failure { _ = try ImageInspection.inspect(MemorySource(bytes)) }?.code
    }

    private func fault(_ bytes: [UInt8]) -> String? {
        failure { _ = try ImageInspection.inspect(MemorySource(bytes)) }?.fault
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
            return fault(bytes) ?? code(bytes)
        }
        let directory = Int(bytes[4])
        // Replaces a tag, or a byte of its entry: 2 to 3 for the type, 4 to 7 for the count.
        func entry(_ tag: UInt8, _ place: Int = 0, _ value: [UInt8]) -> String? {
            changed { bytes in
                for index in 0..<Int(bytes[directory]) where bytes[directory + 2 + index * 12] == tag {
                    let start = directory + 2 + index * 12 + place
                    bytes.replaceSubrange(start..<start + value.count, with: value)
                }
            }
        }
        #expect(changed { $0[directory] = 0 } == "a page with 0 entries")
        // The first entry is the width. Its value begins after 8 bytes of the entry.
        #expect(changed { $0[directory + 10] = 0 } == "a width or height of 0")
        #expect(
            changed { $0.replaceSubrange(directory + 10..<directory + 14, with: [0xFF, 0xFF, 0xFF, 0xFF]) }
                == "a width or height over 2^31 - 1")
        #expect(changed { $0.replaceSubrange(4..<6, with: [0xFF, 0xFF]) } == "truncated-image", "past the end")
        // The next page is the first page again.
        #expect(changed { $0[$0.count - 4] = UInt8(directory) } == "a cycle of pages")
        // StripOffsets, tag 273.
        #expect(entry(0x11, 1, [0xFF]) == "a page without pixel data")
        #expect(entry(0x11, 4, [0, 0, 0, 0]) == "pixel data of unknown length")
        #expect(entry(0x11, 2, [2]) == "values of an unknown type")
    }

    @Test(arguments: [
        (258, 32 as UInt16, "32 bits per sample"), (339, 3, "samples other than unsigned integers"),
        (332, 2, "inks other than cyan, magenta, yellow and black"),
        (262, 32803, "photometric interpretation 32803"), (262, 6, "photometric interpretation 6"),
        (259, 34712, "compression 34712"),
    ])
    func unsupportedTIFFsAreReportedAsUnsupported(tag: Int, value: UInt16, kind: String) {
        let picture = drawn { $0.shorts = tag == 332 ? [262: [5], tag: [value]] : [tag: [value]] }.tiff()
        #expect(failure { _ = try header(picture) } == .notRead(.tiff, kind))
    }

    @Test func numberOfValuesMustNotOverflow() {
        var bytes = drawn { $0.isBig = true }.tiff()
        // The directory begins with the number of entries; the first entry, with tag, type and number of values.
        let directory = bytes[8..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
        bytes[directory + 8 + 4 + 7] = 0x20
        #expect(fault(bytes) == "an entry with too many values")
    }

    @Test func coloursOfAJPEGInATIFFMustBeInterleaved() {
        let picture = drawn { $0.shorts = [259: [7], 262: [6], 284: [2]] }.tiff()
        #expect(fault(picture) == "YCbCr samples in separate planes")
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
        let whole = head + DrawnHEIF.brand("jxl ") + DrawnHEIF.box("jxlc", stream)
        #expect(code(whole) == nil)
        #expect(code(head + DrawnHEIF.brand("jxl ") + DrawnHEIF.box("jxlp", [0x80, 0, 0, 0] + stream)) == nil)
        let other = head + DrawnHEIF.brand("jxl ") + DrawnHEIF.box("jxlc", [1, 2, 3])
        #expect(fault(other) == "a codestream without its signature")
        for count in 1..<whole.count { #expect(code(Array(whole[..<count])) == "truncated-image", "\(count)") }
    }
}
