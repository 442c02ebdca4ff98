import Support
import TestSupport
import Testing

@testable import Formats

@Suite struct EmbeddedMetadataTests {
    private static let exif = DrawnExif(main: [(0x8298, .ascii("by EXIF"))]).bytes
    private static let bare = DrawnExif(main: [(0x0112, .short(6))]).bytes
    private static let xmp = Array("<d dc:rights=\"by XMP\" dc:creator=\"XMP's\"/>".utf8)

    private static func xmpSegment(_ packet: [UInt8]) -> [UInt8] {
        Tiny.segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + packet)
    }

    /// An application extension of a GIF: the packet, and the bytes that lead a reader of sub-blocks to the end of the
    /// extension.
    private static func xmpExtension(_ packet: [UInt8]) -> [UInt8] {
        [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + packet + [1] + (0...255).reversed() + [0]
    }

    private func read(_ bytes: [UInt8]) throws -> EmbeddedMetadata { try EmbeddedMetadata.read(MemorySource(bytes)) }

    /// A picture of each format that can have both EXIF and XMP.
    private static func carriers(exif: [UInt8], xmp: [UInt8]) -> [(name: String, bytes: [UInt8])] {
        let text = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)
        return [
            ("jpeg", Tiny.jpeg(before: Tiny.exifSegment(exif) + xmpSegment(xmp))),
            ("png", Tiny.png(before: Tiny.chunk("eXIf", exif), after: Tiny.chunk("iTXt", text + xmp))),
            (
                "webp",
                Tiny.webp(
                    Tiny.extended(0x0C), Tiny.lossy(), Tiny.riffChunk("EXIF", exif), Tiny.riffChunk("XMP ", xmp))
            ),
        ]
    }

    @Test func exifAndXMPAreReadFromEveryFormat() throws {
        for (name, bytes) in Self.carriers(exif: Self.exif, xmp: Self.xmp) {
            let metadata = try read(bytes)
            #expect(metadata.exif == Self.exif && metadata.xmp == Self.xmp, "\(name)")
            #expect(metadata.copyright == "by EXIF" && metadata.artist == "XMP's", "\(name)")
        }
        let gif = try read(Tiny.gif(Tiny.control(delay: 3), Tiny.gifFrame(), Self.xmpExtension(Self.xmp)))
        #expect(gif.xmp == Self.xmp && gif.exif == nil && gif.copyright == "by XMP")
        let padded = try read(Tiny.gif(Tiny.gifFrame(), [0, 0], Self.xmpExtension(Self.xmp)))
        #expect(padded.xmp == Self.xmp)
    }

    @Test func captionComesFromEXIFAndXMP() throws {
        func caption(day: String?, text: String?, xmp: String = "") -> EmbeddedCaption {
            var metadata = EmbeddedMetadata()
            let details = day.map { [(0x8769, DrawnExif.Value.directory([(0x9003, .ascii($0))]))] } ?? []
            metadata.exif = DrawnExif(main: (text.map { [(0x010E, .ascii($0))] } ?? []) + details).bytes
            metadata.xmp = Array(xmp.utf8)
            return EmbeddedCaption(metadata)
        }
        let exif = caption(day: "2024:02:03 10:00:00", text: "A lake")
        #expect(exif.day == "2024-02-03" && exif.text == "A lake" && exif.title == nil)
        let xmp = caption(
            day: "0000:00:00 00:00:00", text: "OLYMPUS DIGITAL CAMERA",
            xmp: "<d xmp:CreateDate=\"2023-05-06T07:08:09\" dc:title=\"T\"/>")
        #expect(xmp.day == "2023-05-06" && xmp.text == nil && xmp.title == "T")
        let both = caption(day: "2024:02", text: "EXIF", xmp: "<d dc:description=\"XMP\"/>")
        #expect(both.day == nil && both.text == "XMP")
    }

    @Test func descriptionsKeepTheirLineBreaks() {
        var metadata = EmbeddedMetadata()
        metadata.exif = DrawnExif(main: [(0x010E, .ascii("One\r\nTwo\tthree\n\nFour\n"))]).bytes
        #expect(EmbeddedCaption(metadata).text == "One\r\nTwo three\n\nFour\n")
        metadata.xmp = Array(
            "<dc:description><rdf:li>Five\nsix&#10;seven</rdf:li></dc:description><d dc:title=\"A\nB\"/>".utf8)
        #expect(EmbeddedCaption(metadata).text == "Five\nsix\nseven")
        #expect(EmbeddedCaption(metadata).title == "A B")
    }

    /// The fields of a camera as numerators and denominators, and the expected text.
    @Test(arguments: [
        (
            "NIKON CORPORATION", "NIKON D750", (50, 1), (28, 10), (10, 2000),
            "NIKON D750, 50 mm, f/2.8, 1/200 s, ISO 400"
        ),
        ("SONY", "ILCE-7M3", (355, 10), (8, 1), (13, 10), "SONY ILCE-7M3, 35.5 mm, f/8, 1.3 s, ISO 400"),
        ("Canon", "", (0, 1), (1, 0), (1, 4), "Canon, 1/4 s, ISO 400"),
        ("", "", (1, 4_294_967_295), (4_294_967_295, 1), (4_294_967_295, 4_294_967_295), "1 s, ISO 400"),
        ("", "Pinhole", (0, 0), (0, 0), (0, 0), "Pinhole, ISO 400"),
    ])
    func cameraNamesModelAndExposure(
        make: String, model: String, focal: (Int, Int), aperture: (Int, Int), time: (Int, Int), expected: String
    ) {
        for isBigEndian in [true, false] {
            var exif = DrawnExif(isBigEndian: isBigEndian)
            func fraction(_ value: (Int, Int)) -> DrawnExif.Value {
                .rational(exif.number(value.0, 4) + exif.number(value.1, 4))
            }
            let details: [(Int, DrawnExif.Value)] = [
                (0x829A, fraction(time)), (0x829D, fraction(aperture)), (0x8827, .short(400)),
                (0x920A, fraction(focal)),
            ]
            exif.main = [(0x010F, .ascii(make)), (0x0110, .ascii(model)), (0x8769, .directory(details))]
            #expect(ExifBlock(exif.bytes)?.camera == expected)
            // A file that ends at any byte causes no trap.
            for count in 0..<exif.bytes.count { _ = ExifBlock(Array(exif.bytes.prefix(count)))?.camera }
        }
        #expect(ExifBlock(DrawnExif(main: [(0x013B, .ascii("Ada"))]).bytes)?.camera == nil)
    }

    @Test func zerosAfterAnXMPPacketAreRemoved() throws {
        #expect(try read(Tiny.jpeg(before: Self.xmpSegment(Self.xmp + [0, 0]))).xmp == Self.xmp)
        #expect(try read(Tiny.jpeg(before: Self.xmpSegment([0, 0]))).xmp == nil)
    }

    @Test func picturesWithoutMetadataHaveEmptyMetadata() throws {
        let gif = Tiny.gif(Tiny.loop(0), Tiny.gifFrame())
        for bytes in [Tiny.jpeg(), Tiny.png(), gif, Tiny.webp(Tiny.lossy()), [], [1]] {
            #expect(try read(bytes) == EmbeddedMetadata())
        }
    }

    @Test func exifWithTheJPEGPrefixIsReadFromOtherFormats() throws {
        let prefixed = Array("Exif\0\0".utf8) + Self.exif
        #expect(try read(Tiny.png(before: Tiny.chunk("eXIf", prefixed))).exif == Self.exif)
        #expect(try read(Tiny.webp(Tiny.extended(8), Tiny.riffChunk("EXIF", prefixed))).exif == Self.exif)
    }

    @Test func copyrightAndAuthorAreReadFromPNGTexts() throws {
        func png(_ type: String, _ text: [UInt8]) -> [UInt8] { Tiny.png(before: Tiny.chunk(type, text)) }
        let latin = try read(png("tEXt", Array("Copyright\0".utf8) + [0xA9, 0x20, 0xC4]))
        #expect(latin.copyright == "© Ä")
        let international = try read(png("iTXt", Array("Author\0\0\0de\0Autor\0Zoë".utf8)))
        #expect(international.artist == "Zoë")
        // zlib.compress(b"(c) " + b"NASA " * 20): fixed codes and copies.
        let packed: [UInt8] = [
            0x78, 0x9C, 0xD3, 0x48, 0xD6, 0x54, 0xF0, 0x73, 0x0C, 0x76, 0xA4, 0x31, 0x01, 0x00, 0x3D, 0x33, 0x19, 0xF1,
        ]
        let expected = "(c)" + String(repeating: " NASA", count: 20)
        #expect(try read(png("zTXt", Array("Copyright\0\0".utf8) + packed)).copyright == expected)
        #expect(try read(png("iTXt", Array("Copyright\0\u{1}\0\0\0".utf8) + packed)).copyright == expected)
        for text in ["Copyright", "Copyright\0", "Copyright\0\u{1}", "Other\0x", "\0"] {
            for type in ["tEXt", "zTXt", "iTXt"] where !(type == "tEXt" && text.hasSuffix("\u{1}")) {
                #expect(try read(png(type, Array(text.utf8))) == EmbeddedMetadata(), "\(type) \(text)")
            }
        }
        let exifWins = Tiny.chunk("tEXt", Array("Copyright\0text".utf8)) + Tiny.chunk("eXIf", Self.exif)
        #expect(try read(Tiny.png(before: exifWins)).copyright == "by EXIF")
    }

    @Test func exifAndXMPOverTheLimitAreIgnored() throws {
        let huge = Self.exif + [UInt8](repeating: 0, count: EmbeddedMetadata.byteLimit)
        let metadata = try read(Tiny.png(before: Tiny.chunk("eXIf", huge) + Tiny.chunk("eXIf", Self.bare)))
        #expect(metadata.exif == Self.bare)
        #expect(try read(Tiny.webp(Tiny.extended(4), Tiny.riffChunk("XMP ", huge))).xmp == nil)
    }

    @Test func inflatedTextsEqualTheDeflatedTexts() {
        var random = SeededRandom(name: "inflate")
        let texts: [[UInt8]] = [
            [], [7], Array("abcabcabcabcabcabcabc".utf8), [UInt8](repeating: 1, count: 5000), random.bytes(3000),
            (0..<4000).map { _ in UInt8(random.below(5) * random.below(9)) },
        ]
        for text in texts {
            let packed = Deflate.zlib(text, text.count % 2 == 0 ? .fixed : .stored)
            #expect(Inflater.contents(of: packed[...], limit: 10_000) == text)
            if !text.isEmpty { #expect(Inflater.contents(of: packed[...], limit: text.count - 1) == nil) }
            for _ in 0..<200 {
                var damaged = packed
                damaged[random.below(damaged.count)] = UInt8(random.below(256))
                if let out = Inflater.contents(of: damaged.prefix(1 + random.below(damaged.count)), limit: 10_000) {
                    #expect(out.count <= 10_000)
                }
            }
        }
    }

    @Test func dynamicHuffmanCodesAreRead() {
        // The bytes of `text`, compressed by zlib at level 9.
        let hexadecimal = """
            78daedcf891104210800b05a41e41141c4fe67b690bb7410d0253d19f7bd31849fbaa1b98128e57b49aab8c2c963a12e\
            2ec4e265c34f709c4dcbe512b56e9f5129e726efb037e75b1972baacfa681e4711f49376a1bde1daa920338a5bab1102\
            c6f3db3997f379bd813071623c28d95b0a210753118fc4d196693df04ce5669d35e87995c3a4cb26f00ffd4ae8039f90\
            2179
            """
        let packed = stride(from: 0, to: hexadecimal.utf8.count, by: 2).map { place in
            UInt8(String(decoding: Array(hexadecimal.utf8)[place..<place + 2], as: UTF8.self), radix: 16)!
        }
        var text: [UInt8] = []
        for i in 0..<700 {
            let square: Int = i * i * 7
            text.append(UInt8(97 + (square + i / 11) % 19))
        }
        #expect(Inflater.contents(of: packed[...], limit: 700) == text)
    }

    @Test func damagedMetadataNeverCausesAnError() throws {
        var random = SeededRandom(name: "metadata")
        var pictures = Self.carriers(exif: Self.exif, xmp: Self.xmp).map(\.bytes)
        pictures.append(Tiny.gif(Tiny.gifFrame(), Self.xmpExtension(Self.xmp)))
        pictures.append(Tiny.png(before: Tiny.chunk("zTXt", Array("Author\0\0".utf8) + Deflate.zlib(Self.xmp))))
        for picture in pictures {
            for length in 0..<picture.count { _ = try read(Array(picture[..<length])) }
            for _ in 0..<800 {
                var bytes = picture
                for _ in 0..<1 + random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
                _ = try read(bytes)
            }
            _ = try EmbeddedMetadata.read(
                ShrunkenSource(bytes: MemorySource(Array(picture.prefix(picture.count / 2))), count: picture.count))
        }
    }

    @Test func exifAfterALargeProfileIsFoundWithFewBytesRead() throws {
        let profile = (0..<12).flatMap { _ in Tiny.segment(0xE2, [UInt8](repeating: 0xFF, count: 65_000)) }
        let source = CountingSource(Tiny.jpeg(before: profile + Tiny.exifSegment(Self.exif)))
        #expect(try EmbeddedMetadata.read(source).copyright == "by EXIF")
        #expect(source.bytesRead < 100_000)
    }

    @Test func metadataOfTheCorpusIsRead() throws {
        var (exifs, packets, thumbnails) = (0, 0, 0)
        for row in try CorpusTable.rows() {
            let metadata = try EmbeddedMetadata.read(row.open())
            if let exif = metadata.exif.flatMap(ExifBlock.init) {
                exifs += 1
                if exif.thumbnail != nil { thumbnails += 1 }
                _ = exif.upright(size: PixelSize(width: 3, height: 4))
            }
            if metadata.xmp != nil { packets += 1 }
            if row.isValid, row.folder == "exif", row.orientation != .upright {
                #expect(metadata.exif != nil, "\(row.path)")
            }
        }
        #expect(exifs > 20, "\(exifs)")
        if Corpus.isPresent {
            #expect(exifs > 60 && packets > 5 && thumbnails > 2, "\(exifs) \(packets) \(thumbnails)")
        }
    }
}
