import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct FormatTests {
    @Test(arguments: [1, 2, 3, 4]) func pngKeepsEverySample(channels: Int) throws {
        let picture = PixelBuffer.noise(37, 21, channels: channels)
        #expect(try decode(MemorySource(encode(picture, EncodeOptions(format: .png)))) == picture)
    }

    @Test func jpegIsCloseToItsInput() throws {
        for channels in [1, 3] {
            let picture = PixelBuffer.waves(70, 50, channels: channels)
            let back = try decode(MemorySource(encode(picture, EncodeOptions(format: .jpeg, quality: 95))))
            #expect(back.channels == channels)
            #expect(psnr(back.bytes, picture.bytes) > 38)
        }
    }

    @Test func webpIsCloseToItsInputAndKeepsAlpha() throws {
        for channels in [3, 4] {
            var picture = PixelBuffer.waves(70, 50, channels: channels)
            if channels == 4 { for i in stride(from: 3, to: picture.bytes.count, by: 4) { picture.bytes[i] |= 128 } }
            let back = try decode(MemorySource(encode(picture, EncodeOptions(format: .webp, quality: 95))))
            #expect(back.channels == channels)
            #expect(psnr(back.bytes, picture.bytes) > 33)
        }
    }

    @Test func grayIsWrittenToWebPAsRGB() throws {
        let picture = PixelBuffer.waves(30, 30, channels: 1)
        let back = try decode(MemorySource(encode(picture, EncodeOptions(format: .webp, quality: 100))))
        #expect(back.channels == 3)
        #expect(psnr((0..<900).map { back.bytes[$0 * 3 + 1] }, picture.bytes) > 35)
    }

    /// A GIF with a single frame of 2x2 pixels at (1, 1) on a screen of 4x4: indices 1, 2, 3 and the transparent index
    /// 0.
    private static let smallGIF: [UInt8] =
        Array("GIF89a".utf8) + [4, 0, 4, 0, 0x91, 0, 0] + [0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255]
        + [0x21, 0xF9, 4, 1, 0, 0, 0, 0] + [0x2C, 1, 0, 1, 0, 2, 0, 2, 0, 0]
        // Codes for clear, 1, 2, 3, 0, end: 3 bits each, but 4 bits for the last two, because the code table then has
        // 8 entries.
        + [2, 3, 0b1000_1100, 0b0000_0110, 0b0000_0101, 0] + [0x3B]

    @Test func gifFrameIsDrawnOnATransparentScreen() throws {
        let picture = try decode(MemorySource(Self.smallGIF))
        #expect(picture.size == PixelSize(width: 4, height: 4))
        #expect(picture.channels == 4)
        func pixel(_ x: Int, _ y: Int) -> [UInt8] { (0..<4).map { picture.sample(x, y, $0) } }
        #expect(pixel(0, 0) == [0, 0, 0, 0])
        #expect(pixel(1, 1) == [255, 0, 0, 255])
        #expect(pixel(2, 1) == [0, 255, 0, 255])
        #expect(pixel(1, 2) == [0, 0, 255, 255])
        #expect(pixel(2, 2) == [0, 0, 0, 0])
        #expect(pixel(3, 3) == [0, 0, 0, 0])
    }

    @Test func inspectReadsTheHeaderOfEveryOutputFormat() throws {
        for format in OutputFormat.readable {
            let info = try inspect(MemorySource(encode(.waves(31, 17, channels: 3), EncodeOptions(format: format))))
            #expect(info.format.id == format.rawValue)
            #expect(info.uprightSize == PixelSize(width: 31, height: 17))
            #expect(info.orientation == .upright)
        }
    }

    @Test func everyFormatHasExactlyOneDecoder() {
        for format in ImageFormat.all {
            #expect(ImageDecoder.all.count { $0.formats.contains(format) } == 1, "\(format.name)")
        }
    }

    @Test func everyOutputFormatIsFoundByItsExtension() {
        for format in OutputFormat.allCases {
            #expect(OutputFormat(fileExtension: format.fileExtension.uppercased()) == format)
        }
        #expect(OutputFormat(fileExtension: "jfif") == .jpeg && OutputFormat(fileExtension: "heic") == nil)
    }

    @Test func qualityIsClamped() {
        var options = EncodeOptions(quality: 300)
        #expect(options.quality == 100)
        options.quality = -4
        #expect(options.quality == 1)
    }

    @Test func onlyKnownExtensionsHaveAFormat() {
        #expect(OutputFormat(fileExtension: "JPEG") == .jpeg)
        #expect(OutputFormat(fileExtension: "webp") == .webp)
        #expect(OutputFormat(fileExtension: "gif") == .gif)
        #expect(OutputFormat(fileExtension: "bmp") == nil)
    }
}
