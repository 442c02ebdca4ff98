import Support
import TestSupport
import Testing

@testable import Formats

@Suite struct ExifBlockTests {
    private static let thumbnail: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 1, 2, 3, 0xFF, 0xD9]

    private func camera(bigEndian: Bool, tail: [UInt8] = []) -> DrawnExif {
        DrawnExif(
            isBigEndian: bigEndian,
            main: [
                (0x0112, .short(6)), (0x013B, .ascii("A. Photographer")), (0x8298, .ascii("(c) 2026 A. Photographer")),
                (0x8769, .directory([(0xA001, .short(0xFFFF)), (0xA002, .short(4000)), (0xA003, .long(3000))])),
                (0x8825, .directory([(0x0002, .raw(type: 5, [UInt8](repeating: 7, count: 24)))])),
            ], thumbnail: Self.thumbnail, tail: tail)
    }

    @Test(arguments: [true, false]) func rightsAndThumbnailAreRead(bigEndian: Bool) throws {
        let exif = try #require(ExifBlock(camera(bigEndian: bigEndian).bytes))
        #expect(exif.copyright == "(c) 2026 A. Photographer")
        #expect(exif.artist == "A. Photographer")
        #expect(exif.thumbnail == Self.thumbnail)
    }

    @Test(arguments: [true, false]) func uprightCopyHasTheNewSizeAndNoThumbnail(bigEndian: Bool) throws {
        for tail in [[], [1, 2, 3]] as [[UInt8]] {
            let exif = try #require(ExifBlock(camera(bigEndian: bigEndian, tail: tail).bytes))
            let copy = exif.upright(size: PixelSize(width: 70_000, height: 333))
            let expected = DrawnExif(
                isBigEndian: bigEndian,
                main: [
                    (0x0112, .short(1)), (0x013B, .ascii("A. Photographer")),
                    (0x8298, .ascii("(c) 2026 A. Photographer")),
                    (0x8769, .directory([(0xA001, .short(1)), (0xA002, .long(70_000)), (0xA003, .long(333))])),
                    (0x8825, .directory([(0x0002, .raw(type: 5, [UInt8](repeating: 7, count: 24)))])),
                ])
            #expect(copy.bytes.starts(with: expected.bytes))
            // Without conversion, the two bytes of the colour space are kept.
            let kept = exif.upright(size: PixelSize(width: 70_000, height: 333), isSRGB: false)
            #expect(zip(kept.bytes, copy.bytes).count { $0 != $1 } == 2)
            #expect(copy.thumbnail == nil)
            #expect(!copy.bytes.contains(Self.thumbnail))
            #expect(try orientation(copy.bytes) == .upright)
        }
    }

    @Test func uprightCopyOfAnUprightCopyIsUnchanged() throws {
        let exif = try #require(ExifBlock(camera(bigEndian: true).bytes))
        let size = PixelSize(width: 10, height: 20)
        #expect(exif.upright(size: size).upright(size: size) == exif.upright(size: size))
    }

    @Test func rightsBlockHasNoOtherFields() throws {
        let rights = try #require(ExifBlock.rights(copyright: "© Ümläut", artist: "Zoë"))
        #expect(rights.copyright == "© Ümläut" && rights.artist == "Zoë" && rights.thumbnail == nil)
        // The sizes of the header, the entry count, two entries, the link to the next directory, and two texts.
        #expect(rights.bytes.count == 8 + 2 + 24 + 4 + 12 + 6)
        let short = try #require(ExifBlock.rights(copyright: "abc", artist: nil))
        #expect(short.copyright == "abc" && short.artist == nil && short.bytes.count == 8 + 2 + 12 + 4)
        #expect(ExifBlock.rights(copyright: " \n", artist: nil) == nil)
        #expect(ExifBlock.rights(copyright: nil, artist: nil) == nil)
    }

    @Test func copyrightJoinsPhotographerAndEditor() {
        func copyright(_ bytes: [UInt8]) -> String? {
            ExifBlock(DrawnExif(main: [(0x8298, .raw(type: 2, bytes))]).bytes)?.copyright
        }
        #expect(copyright(Array("Photographer\0Editor\0".utf8)) == "Photographer; Editor")
        #expect(copyright(Array(" \0Editor\0".utf8)) == "Editor")
        #expect(copyright(Array("    \0\0\0\0".utf8)) == nil)
        // ISO 8859-1, without the final zero.
        #expect(copyright([0xA9, 0x20, 0x4A, 0xFC, 0x72, 0x67]) == "© Jürg")
    }

    @Test func thumbnailMustBeAJPEG() {
        for bytes in [[], [0xFF, 0xD8, 0xFF], [0, 0, 0, 0, 0, 0]] as [[UInt8]] {
            #expect(ExifBlock(DrawnExif(main: [(0x0112, .short(1))], thumbnail: bytes).bytes)?.thumbnail == nil)
        }
    }

    @Test func damagedExifNeverCrashes() {
        var random = SeededRandom(name: "exif")
        for round in 0..<3000 {
            var bytes = camera(bigEndian: round % 2 == 0, tail: [9]).bytes
            for _ in 0..<1 + random.below(6) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if round % 3 == 0 { bytes.removeLast(random.below(bytes.count)) }
            guard let exif = ExifBlock(bytes) else { continue }
            _ = (exif.copyright, exif.artist, exif.thumbnail)
            let copy = exif.upright(size: PixelSize(width: 5, height: 6))
            #expect(copy.bytes.count <= bytes.count)
            _ = (copy.copyright, copy.artist, copy.thumbnail)
        }
    }

    private func orientation(_ tiff: [UInt8]) throws -> Orientation {
        try ImageHeader.read(MemorySource(Tiny.jpeg(before: Tiny.exifSegment(tiff)))).orientation
    }
}

extension [UInt8] {
    /// Whether the array contains `other` as consecutive elements.
    func contains(_ other: [UInt8]) -> Bool {
        indices.contains { self[$0...].starts(with: other) }
    }
}
