import Support
import TestSupport
import Testing

@testable import Formats

extension DrawnHEIF {
    static func brand(_ major: String, _ others: [String] = []) -> [UInt8] {
        box("ftyp", Array(major.utf8) + [0, 0, 0, 0] + others.flatMap { Array($0.utf8) })
    }
}

/// The structure of AVIF and HEIC, without a decoder.
@Suite struct HEIFTests {
    private func code(_ bytes: [UInt8]) -> String? {
        failure { _ = try ImageInspection.inspect(MemorySource(bytes)) }?.code
    }

    private func fault(_ bytes: [UInt8]) -> String? {
        failure { _ = try ImageInspection.inspect(MemorySource(bytes)) }?.fault
    }

    private func header(_ bytes: [UInt8]) throws -> ImageHeader { try ImageInspection.inspect(MemorySource(bytes)) }

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
            ImageFormat.detected(in: DrawnHEIF.brand(major, others)[...])
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
        func grid(_ width: Int, _ height: Int, of tiles: Int) -> [UInt8] {
            derived("grid", DrawnHEIF.grid(rows: 1, columns: 2, width, height), of: tiles)
        }
        func item(_ kind: String, _ data: [UInt8] = [], _ properties: [[UInt8]] = [], parts: [Int] = []) -> [UInt8] {
            DrawnHEIF("avif", [DrawnHEIF.Item(kind, data, properties, parts: parts, isInner: true)]).bytes
        }
        let (size, configuration) = (DrawnHEIF.size(30, 20), DrawnHEIF.configuration)
        let tiles = [(30, 20), (31, 20)].map { DrawnHEIF.Item("av01", [1], [DrawnHEIF.size($0, $1), configuration]) }
        let uneven = DrawnHEIF.Item("grid", DrawnHEIF.grid(rows: 1, columns: 2, 50, 20), parts: [2, 3], isInner: true)
        let layer = DrawnHEIF.box("lsel", [0, 0])
        var outside = DrawnHEIF("avif", [DrawnHEIF.Item("av01", [1], [size, configuration], isInner: true)])
        outside.excess = 1
        var widths = heif()
        if let iloc = widths.indices.first(where: { widths[$0...].starts(with: "iloc".utf8) }) {
            widths[iloc + 8] = 0x54
        }
        let rows: [([UInt8], String)] = [
            (heif(size: (0, 20)), "a width or height of 0"),
            (
                heif("avif", [DrawnHEIF.box("clap", .init(repeating: 0, count: 32))]),
                "a crop with a denominator of 0"
            ),
            (heif("avif", [DrawnHEIF.crop(0, 4)]), "an empty crop"),
            (heif("avif", [DrawnHEIF.crop(31, 4)]), "a crop that is larger than the picture"),
            (heif("avif", [DrawnHEIF.crop(10, 4, right: 22)]), "a crop that is larger than the picture"),
            (heif("avif", [DrawnHEIF.box("irot", [])]), "a box that is too short"),
            (grid(50, 20, of: 3), "a grid of 1 x 2 with 3 tiles"),
            (grid(61, 20, of: 2), "tiles that do not cover the picture"),
            (grid(30, 20, of: 2), "tiles that do not cover the picture"),
            (grid(0, 20, of: 2), "a width or height of 0"),
            (DrawnHEIF("avif", [uneven] + tiles).bytes, "tiles of different sizes"),
            (item("grid", DrawnHEIF.grid(rows: 1, columns: 1, 30, 20), parts: [9]), "a missing tile"),
            (derived("grid", [0, 0, 0], of: 1), "a truncated derived picture"),
            (derived("iden", [], of: 2), "a derived picture with 2 sources instead of one"),
            (item("iden"), "a derived picture with 0 sources instead of one"),
            (item("iden", parts: [9]), "a derived picture whose source is missing"),
            (item("iden", parts: [1]), "a cycle or a chain of more than 8 derived pictures"),
            (item("iovl", DrawnHEIF.overlay(4, 4, background: 0, [])), "an overlay without layers"),
            (derived("iovl", DrawnHEIF.overlay(0, 4, background: 0, [(0, 0)]), of: 1), "a width or height of 0"),
            (item("av01", [1], [configuration]), "a picture without a size"),
            (item("av01", [1], [size]), "a picture without a decoder configuration"),
            (item("av01", [], [size, configuration]), "a picture without data"),
            (
                item("hvc1", [1], [size, DrawnHEIF.box("hvcC", .init(repeating: 0, count: 18)), layer]),
                "a selected layer of HEVC"
            ),
            (outside.bytes, "data outside its box"),
            (widths, "item locations with an invalid field width"),
            (DrawnHEIF("avif", []).bytes, "no primary picture"),
            (DrawnHEIF.brand("avif") + DrawnHEIF.box("meta", []), "an empty meta box"),
        ]
        for (bytes, expected) in rows { #expect(fault(bytes) == expected) }
        let whole = heif()
        for count in 12..<whole.count { #expect(code(Array(whole[..<count])) == "truncated-image", "\(count)") }
    }

    @Test func unsupportedHEIFsAreReportedAsUnsupported() {
        let codec = "a picture in a codec other than AV1 and HEVC"
        for bytes in [heif(kind: "j2k1"), derived("tmap", [0], of: 2)] {
            #expect(code(bytes) == "unsupported-image" && fault(bytes) == codec)
        }
        let layer = DrawnHEIF.Item("iovl", DrawnHEIF.overlay(4, 4, background: 0, [(0, 0)]), parts: [2], isInner: true)
        #expect(fault(DrawnHEIF("heic", [layer, layer]).bytes) == "nested layers")
        #expect(fault(DrawnHEIF.brand("avis") + DrawnHEIF.box("moov", [])) == "a sequence without a still picture")
        // After its type, `iloc` contains version and flags, field widths, the number of items, and for each item its
        // ID, method and file. Changes the version, the method and the file.
        let elsewhere = "a picture whose data is in another item or file"
        for (place, value, expected) in [(4, 3, "item locations of version 3"), (15, 2, elsewhere), (17, 1, elsewhere)]
        {
            var bytes = heif()
            let iloc = bytes.indices.first { bytes[$0...].starts(with: "iloc".utf8) } ?? 0
            bytes[iloc + place] = UInt8(value)
            #expect(code(bytes) == "unsupported-image" && fault(bytes) == expected, "byte \(place) of iloc")
        }
    }
}
