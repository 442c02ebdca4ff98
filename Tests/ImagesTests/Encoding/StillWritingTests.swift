import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct GIFWritingTests {
    private func written(_ picture: PixelBuffer) throws -> PixelBuffer {
        try decode(MemorySource(encode(picture, EncodeOptions(format: .gif))))
    }

    @Test func grayIsLossless() throws {
        let picture = PixelBuffer.noise(50, 40, channels: 1)
        let back = try written(picture)
        #expect(back.channels == 3)
        for channel in 0..<3 { #expect((0..<2000).map { back.bytes[$0 * 3 + channel] } == picture.bytes) }
    }

    @Test func coloursThatFitAPaletteAreLossless() throws {
        var picture = PixelBuffer.noise(40, 40, channels: 4)
        for place in picture.bytes.indices {
            // Uses colours of 6 bits, some of them transparent.
            let alpha: UInt8 = place % 28 == 3 ? 0 : 255
            picture.bytes[place] = place % 4 == 3 ? alpha : picture.bytes[place] & 0xC0
        }
        for place in stride(from: 3, to: picture.bytes.count, by: 28) {
            for channel in 1...3 { picture.bytes[place - channel] = 0 }
        }
        #expect(try written(picture) == picture)
    }

    @Test func manyColoursAreDithered() throws {
        let picture = PixelBuffer.waves(120, 90, channels: 3)
        let back = try written(picture)
        #expect(psnr(back.bytes, picture.bytes) > 30)
        // Error diffusion preserves the mean.
        let sums = (0..<3).map { channel in
            stride(from: channel, to: back.bytes.count, by: 3).reduce(0) {
                $0 + Int(back.bytes[$1]) - Int(picture.bytes[$1])
            }
        }
        for sum in sums { #expect(abs(sum) < 120 * 90 / 4) }
    }

    /// Regression test: cancelling the run stopped neither the dithering nor the compression of a still picture.
    @Test func cancelledRunStopsDitheringAndCompression() throws {
        let options = EncodeOptions(format: .gif)
        let gray = PixelBuffer.noise(200, 100, channels: 1)
        for picture in [gray, .noise(200, 100, channels: 3)] {
            let drain = EncoderOutput(.gif, MemorySink())
            drain.checkpoint = { _ in throw Cancelled() }
            let writer = GIFWriter(size: picture.size, channels: picture.channels, options: options, into: drain)
            for y in 0..<100 {
                picture.bytes.withUnsafeBufferPointer { writer.write($0.baseAddress! + y * 200 * picture.channels) }
            }
            #expect(throws: Cancelled.self) { try writer.finish() }
        }
    }

    @Test func singlePixelIsWritten() throws {
        for channels in 1...4 {
            let picture = PixelBuffer(
                size: PixelSize(width: 1, height: 1), filledWith: [UInt8](repeating: 255, count: channels))
            #expect(try written(picture).bytes == [255, 255, 255])
            let hidden = PixelBuffer(
                size: PixelSize(width: 1, height: 1), filledWith: [UInt8](repeating: 0, count: channels))
            #expect(try written(hidden).bytes == (channels % 2 == 0 ? [0, 0, 0, 0] : [0, 0, 0]))
        }
    }
}

@Suite struct PaletteTests {
    @Test func nearestColourMatchesAnExhaustiveSearch() {
        var random = SeededRandom(seed: 5)
        func colour() -> PackedColour {
            PackedColour(bits: UInt32.random(in: 0..<1 << 24, using: &random) | 0xFF00_0000)
        }
        let colours = (0..<200).map { _ in colour() }
        let search = NearestColour(colours)
        for _ in 0..<500 {
            let wanted = colour()
            func distance(_ other: PackedColour) -> Int {
                let (r, g, b) = (other.red - wanted.red, other.green - wanted.green, other.blue - wanted.blue)
                return r * r + g * g + b * b
            }
            let found = search.nearest(wanted)
            #expect(found.distance == colours.map(distance).min())
            #expect(distance(colours[found.index]) == found.distance)
        }
    }

    @Test func paletteHasTheRequestedNumberOfColours() {
        let picture = PixelBuffer.noise(60, 60, channels: 3)
        let canvas = PackedCanvas(PixelSize(width: 60, height: 60))
        for y in 0..<60 {
            picture.bytes.withUnsafeBufferPointer {
                canvas.setRow(y, $0.baseAddress! + y * 180, channels: 3, background: .white)
            }
        }
        var histogram = ColourHistogram()
        histogram.add(UnsafeBufferPointer(start: canvas.pixels, count: 3600))
        for limit in [1, 2, 16, 255, 256] {
            let design = PaletteDesign(histogram, limit: limit)
            #expect(design.colours.count == limit)
        }
        #expect(PaletteDesign(histogram, limit: 256).meanError < PaletteDesign(histogram, limit: 16).meanError)
    }

    /// Of a picture of this size, only every second row is counted.
    @Test func paletteOfALargePictureHasTheColoursOfItsOnlyRow() {
        let canvas = PackedCanvas(PixelSize(width: 4096, height: 2048))
        for x in 0..<4096 { canvas.pixels[4096 + x] = PackedColour(red: x & 255, green: x >> 4, blue: 7) }
        let histogram = DrawnPixels(of: canvas, canvas.whole).histogram
        #expect(PaletteDesign(histogram, limit: 256).colours.count == 256)
    }
}

/// libavif is optional. If it is missing, the error must name it.
@Suite struct AVIFWritingTests {
    private func written(_ picture: PixelBuffer, _ options: EncodeOptions) throws -> [UInt8]? {
        do {
            return try encode(picture, options)
        } catch ImageError.codecMissing(.avif, let fault) {
            #expect(fault.contains("libavif"))
            return nil
        }
    }

    @Test(arguments: [1, 2, 3, 4]) func avifHasTheSizeAndAlphaOfThePicture(channels: Int) throws {
        let picture = PixelBuffer.waves(70, 50, channels: channels)
        guard let bytes = try written(picture, EncodeOptions(format: .avif)) else { return }
        #expect(Array(bytes[4..<12]) == Array("ftypavif".utf8))
        // The image spatial extents property (ISO 23008-12 6.5.3): version and flags, then width and height.
        #expect(contains(bytes, Array("ispe".utf8) + [0, 0, 0, 0, 0, 0, 0, 70, 0, 0, 0, 50]))
        #expect(contains(bytes, Array("auxC".utf8)) == (channels % 2 == 0))
        // The colour information (ISO 14496-12 12.1.5): primaries 1, transfer 13, matrix 6, full range.
        #expect(contains(bytes, Array("colrnclx".utf8) + [0, 1, 0, 13, 0, 6, 0x80]))
        #expect(try written(picture, EncodeOptions(format: .avif)) == bytes)
    }

    @Test func higherQualityTakesMoreBytes() throws {
        let picture = PixelBuffer.noise(64, 64, channels: 3)
        let sizes = try [10, 50, 90].compactMap {
            try written(picture, EncodeOptions(format: .avif, quality: $0))?.count
        }
        #expect(sizes == sizes.sorted() && Set(sizes).count == sizes.count)
        let quantizers = (1...100).map(AVIFWriter.quantizer)
        #expect(quantizers == quantizers.sorted(by: >))
        #expect(quantizers.first == 63 && quantizers.last == 0)
    }

    @Test func exifAndXMPAreWritten() throws {
        let exif = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0]
        let metadata = PictureMetadata(exif: exif, xmp: Array("<x:xmpmeta/>".utf8))
        let options = EncodeOptions(format: .avif, metadata: metadata)
        guard let bytes = try written(.waves(20, 20, channels: 3), options) else { return }
        #expect(contains(bytes, exif))
        #expect(contains(bytes, Array("<x:xmpmeta/>".utf8)))
    }

    private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
}
