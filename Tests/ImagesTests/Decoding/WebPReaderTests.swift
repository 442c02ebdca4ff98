import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Damaged WebPs, still and animated.
@Suite struct WebPReaderTests {
    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        Array(type.utf8) + number(data.count, 4) + data + (data.count % 2 == 1 ? [0] : [])
    }

    private static func number(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A container with an extended header (WebP container specification).
    private static func container(_ canvas: PixelSize, _ chunks: [UInt8]) -> [UInt8] {
        let size = number(canvas.width - 1, 3) + number(canvas.height - 1, 3)
        let body = Array("WEBP".utf8) + chunk("VP8X", [0, 0, 0, 0] + size) + chunks
        return Array("RIFF".utf8) + number(body.count, 4) + body
    }

    /// The chunks of a still picture of 40 x 30 pixels, without the header of the container.
    private static func still() throws -> [UInt8] {
        Array(try encode(.waves(40, 30, channels: 3), EncodeOptions(format: .webp)).dropFirst(12))
    }

    private func fault(_ bytes: [UInt8], allowsTruncated: Bool = false) -> String? {
        message {
            let source = MemorySource(bytes)
            let options = DecodeOptions(allowsTruncated: allowsTruncated)
            _ = try decode(source, inspect(source), options: options)
        }
    }

    @Test func pictureThatDoesNotFillItsCanvasIsAnInvalidContainer() throws {
        let still = try Self.still()
        #expect(fault(Self.container(PixelSize(width: 40, height: 30), still)) == nil)
        for size in [PixelSize(width: 50, height: 30), PixelSize(width: 40, height: 20)] {
            #expect(fault(Self.container(size, still)) == "65 the WebP is corrupt: an invalid container", "\(size)")
        }
    }

    @Test func fileThatEndsWithinTheHeaderOfThePictureIsTruncated() throws {
        let bytes = Self.container(PixelSize(width: 40, height: 30), try Self.still())
        // The container has headers of 30 bytes, and the picture a chunk header of 8 bytes and a header of 10 bytes.
        for count in 30..<48 {
            for allowsTruncated in [false, true] {
                let fault = fault(Array(bytes[..<count]), allowsTruncated: allowsTruncated)
                #expect(fault == "65 the WebP is truncated; fetch it again", "\(count)")
            }
        }
    }

    /// libwebpdemux returns a frame of size 0, since the size is stored after the alpha.
    @Test func fileThatEndsWithinTheAlphaOfThePictureIsTruncated() throws {
        let bytes = try encode(.noise(40, 30, channels: 4), EncodeOptions(format: .webp))
        let alpha = try #require(bytes.firstRange(of: Array("ALPH".utf8))).lowerBound + 8
        for count in [alpha + 1, alpha + 20, alpha + 200] {
            for allowsTruncated in [false, true] {
                let fault = fault(Array(bytes[..<count]), allowsTruncated: allowsTruncated)
                #expect(fault == "65 the WebP is truncated; fetch it again", "\(count)")
            }
        }
    }

    @Test func damagedFrameIsNamed() throws {
        let frames = [[250, 0, 0, 255], [0, 0, 250, 255]].map { colour in
            (delay: 40, picture: PixelBuffer(size: PixelSize(width: 16, height: 16), filledWith: colour))
        }
        let whole = try animation(frames, EncodeOptions(format: .webp))
        #expect(try allFrames(whole).frames.count == 2)
        let frame = try #require(whole.indices.last { whole[$0...].starts(with: "ANMF".utf8) })
        // A frame has a chunk header of 8 bytes, 16 bytes of properties, and the chunk header and data of the picture.
        let data = frame + 8 + 16 + 8
        var damaged = whole
        try #require(damaged[data - 8..<data - 4].elementsEqual("VP8L".utf8) && damaged[data] == 0x2F)
        for place in data + 5..<damaged.count { damaged[place] = 0 }
        #expect(
            message { _ = try allFrames(damaged) } == "65 the WebP is corrupt: invalid pixel data in frame 2")
        // The offset of the frame, in units of two pixels.
        var outside = whole
        outside[frame + 8] = 200
        #expect(message { _ = try allFrames(outside) } == "65 the WebP is corrupt: an invalid container")
    }
}
