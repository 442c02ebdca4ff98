import CAVIF
import CHEIF
import CJXL
import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Returns whether a library is installed. If not, prints a warning.
private func isInstalled(_ fault: UnsafePointer<CChar>?) -> Bool {
    guard let fault else { return true }
    Log.standardError("\n*** \(String(cString: fault)): what it reads is NOT TESTED.\n\n")
    return false
}

private let hasHEIF = isInstalled(cheif_load())
private let hasJPEGXL = isInstalled(cjxl_load())
private let hasAVIF = isInstalled(cavif_load())

/// AVIF, HEIC and JPEG XL.
@Suite struct ModernFormatTests {
    /// Returns the largest difference between the centre of a quarter and its expected colour.
    private func difference(_ picture: PixelBuffer) -> Int {
        var most = 0
        for (index, colour) in SmallPictures.colours.enumerated() {
            for channel in 0..<3 {
                let level = picture.sample(8 + index % 2 * 16, 4 + index / 2 * 8, channel)
                most = max(most, abs(Int(level) - Int(colour[channel])))
            }
        }
        return most
    }

    @Test(.enabled(if: hasHEIF)) func heicIsDecoded() throws {
        let source = MemorySource(SmallPictures.heic)
        let info = try ImageInspection.inspect(source)
        #expect(info.format == .heic && info.uprightSize == PixelSize(width: 32, height: 16) && info.hasAlpha == false)
        let picture = try decode(source)
        #expect(picture.channels == 3 && difference(picture) <= 6)
    }

    @Test(.enabled(if: hasHEIF && hasAVIF), arguments: [3, 4]) func avifIsDecoded(channels: Int) throws {
        let drawn = PixelBuffer.waves(90, 60, channels: channels)
        let source = MemorySource(try encode(drawn, EncodeOptions(format: .avif, quality: 95)))
        let info = try ImageInspection.inspect(source)
        #expect(info.format == .avif && info.storedSize == drawn.size && info.hasAlpha == (channels == 4))
        let picture = try decode(source)
        #expect(picture.channels == channels && psnr(picture.bytes, drawn.bytes) > 24)
    }

    private final class CountedSource: ByteSource, @unchecked Sendable {
        private let bytes: MemorySource
        private(set) var reads = 0
        var count: Int { bytes.count }

        init(_ bytes: [UInt8]) { self.bytes = MemorySource(bytes) }

        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws -> Int {
            reads += 1
            return bytes.read(into: buffer, at: offset)
        }
    }

    /// If DC groups precede their global tree, libjxl 0.7 decodes them only once it has all bytes of the file.
    @Test(.enabled(if: hasJPEGXL), arguments: [false, true])
    func jpegXLIsReadInPiecesUnlessItsSectionsAreReordered(isReordered: Bool) throws {
        let bytes = isReordered ? SmallPictures.reorderedJPEGXL : SmallPictures.jpegXL
        let size = try ImageInspection.inspect(MemorySource(bytes)).storedSize
        func read(_ pieceBytes: Int) throws -> (pixels: [UInt8], reads: Int) {
            let source = CountedSource(bytes)
            let reader = try JPEGXLReader(source, size: size, options: DecodeOptions(), pieceBytes: pieceBytes)
            var row = [UInt8](repeating: 0, count: size.width * 3)
            let pixels = (0..<size.height).flatMap { _ in
                reader.readRow(into: &row)
                return row
            }
            return (pixels, source.reads)
        }
        let whole = try read(1 << 16)
        for count in [1, 7] {
            let inPieces = try read(count)
            #expect(inPieces.pixels == whole.pixels)
            #expect((inPieces.reads == whole.reads) == isReordered)
        }
    }

    @Test(.enabled(if: hasJPEGXL)) func jpegXLIsDecoded() throws {
        let source = MemorySource(SmallPictures.jpegXL)
        let info = try ImageInspection.inspect(source)
        #expect(info.format == .jpegXL && info.storedSize == PixelSize(width: 32, height: 16))
        let picture = try decode(source)
        #expect(picture.channels == 3 && difference(picture) == 0)
        let clear = MemorySource(SmallPictures.jpegXLWithAlpha)
        #expect(try ImageInspection.inspect(clear).hasAlpha == true)
        let transparent = try decode(clear)
        #expect(transparent.channels == 4 && difference(transparent) == 0)
        #expect(transparent.sample(2, 2, 3) == 255 && transparent.sample(30, 2, 3) == 128)
    }

    /// libjxl 0.7 reads the second half of a 64-bit size as the beginning of the content.
    @Test(.enabled(if: hasJPEGXL)) func jpegXLInABoxWithA64BitSizeIsDecoded() throws {
        let stream = SmallPictures.jpegXL
        let size = (0..<8).reversed().map { UInt8(truncatingIfNeeded: (stream.count + 16) >> (8 * $0)) }
        let head: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]
        let type: [UInt8] = [0, 0, 0, 20] + Array("ftypjxl ".utf8) + [0, 0, 0, 0] + Array("jxl ".utf8)
        let boxed = head + type + [0, 0, 0, 1] + Array("jxlc".utf8) + size + stream
        #expect(try difference(decode(MemorySource(boxed))) == 0)
    }

    @Test(.enabled(if: hasJPEGXL)) func damagedJPEGXLIsCorrupt() throws {
        let library = try #require(ImageDecoder.jpegXL.library())
        let messages = SmallPictures.jpegXL.indices.compactMap { place in
            var damaged = SmallPictures.jpegXL
            damaged[place] ^= 0x10
            return message { _ = try decode(MemorySource(damaged)) }
        }
        #expect(messages.contains("65 the JPEG XL is corrupt: \(library) cannot decode the picture"), "\(messages)")
    }

    @Test func limitsAreCheckedBeforeDecoding() {
        for (bytes, isReadable) in [(SmallPictures.heic, hasHEIF), (SmallPictures.jpegXL, hasJPEGXL)] where isReadable {
            func code(_ limits: DecodeLimits) -> String? {
                failureCode { _ = try decode(MemorySource(bytes), limits: limits) }
            }
            #expect(code(DecodeLimits(maxPixels: 511)) == "too-many-pixels")
            #expect(code(DecodeLimits(maxMemoryBytes: 5000)) == "out-of-memory-limit")
            #expect(code(DecodeLimits(maxSeconds: 0.00001)) == "too-slow")
        }
    }

    @Test func truncatedAndChangedFilesAreDecodedOrRejected() {
        let limits = DecodeLimits(maxPixels: 1 << 16, maxMemoryBytes: 1 << 22, maxSeconds: 5)
        var random = SeededRandom(seed: 5)
        for (bytes, isReadable) in [
            (SmallPictures.heic, hasHEIF), (SmallPictures.jpegXL, hasJPEGXL),
            (SmallPictures.jpegXLWithAlpha, hasJPEGXL),
        ] where isReadable {
            for count in stride(from: 0, to: bytes.count - 8, by: 3) {
                let cut = MemorySource(Array(bytes[..<count]))
                #expect(failureCode { _ = try decode(cut, limits: limits) } != nil, "\(count) of \(bytes.count)")
            }
            for _ in 0..<100 {
                var changed = bytes
                for _ in 0..<2 {
                    changed[Int.random(in: 2..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
                }
                let source = MemorySource(changed)
                _ = failureCode { _ = try ImageInspection.inspect(source) }
                _ = failureCode { _ = try decode(source, limits: limits) }
            }
        }
    }
}
