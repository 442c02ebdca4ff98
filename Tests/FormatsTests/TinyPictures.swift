import CZlib
import Formats

/// The smallest pictures that pass inspection, built byte by byte. Their pixel data cannot be decoded.
enum Tiny {
    static func bigEndian(_ value: Int, _ width: Int) -> [UInt8] {
        (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    static func littleEndian(_ value: Int, _ width: Int) -> [UInt8] { bigEndian(value, width).reversed() }

    // MARK: JPEG

    static func segment(_ code: UInt8, _ body: [UInt8]) -> [UInt8] {
        [0xFF, code] + bigEndian(body.count + 2, 2) + body
    }

    static func frameHeader(width: Int, height: Int, code: UInt8 = 0xC0) -> [UInt8] {
        segment(code, [8] + bigEndian(height, 2) + bigEndian(width, 2) + [1, 1, 0x11, 0])
    }

    /// A scan whose data contains a stuffed zero, a restart marker and fill bytes.
    static let scan: [UInt8] =
        segment(0xDA, [1, 1, 0, 0, 63, 0]) + [0x12, 0xFF, 0x00, 0x34, 0xFF, 0xD0, 0x56, 0xFF, 0xFF, 0xFF, 0x00, 0x78]

    /// A quantisation table.
    static let steps = segment(0xDB, [0] + Array(repeating: 1, count: 64))

    static func jpeg(
        width: Int = 20, height: Int = 10, before: [UInt8] = [], between: [UInt8] = [], after: [UInt8] = []
    ) -> [UInt8] {
        [0xFF, 0xD8] + steps + before + frameHeader(width: width, height: height) + between + scan + [0xFF, 0xD9]
            + after
    }

    /// An APP1 segment with an Exif block.
    static func exifSegment(_ tiff: [UInt8]) -> [UInt8] { segment(0xE1, Array("Exif\0\0".utf8) + tiff) }

    // MARK: Exif

    static func tiff(
        orientation: Int, bigEndian isBig: Bool = true, tag: Int = 0x0112, type: Int = 3, count: Int = 1,
        directory: Int = 8
    ) -> [UInt8] {
        func number(_ value: Int, _ width: Int) -> [UInt8] {
            isBig ? bigEndian(value, width) : littleEndian(value, width)
        }
        let other = number(0x0100, 2) + number(4, 2) + number(1, 4) + number(6, 4)
        let entry = number(tag, 2) + number(type, 2) + number(count, 4) + number(orientation, 2) + [0, 0]
        return (isBig ? Array("MM\0*".utf8) : Array("II*\0".utf8)) + number(directory, 4) + number(2, 2) + other + entry
            + number(0, 4)
    }

    // MARK: PNG

    static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    static func chunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        let summed = Array(type.utf8) + body
        return bigEndian(body.count, 4) + summed + bigEndian(Int(crc32_z(0, summed, summed.count)), 4)
    }

    static func png(
        width: Int = 20, height: Int = 10, colour: UInt8 = 2, before: [UInt8] = [], after: [UInt8] = [],
        data: Int = 1
    ) -> [UInt8] {
        pngSignature + chunk("IHDR", bigEndian(width, 4) + bigEndian(height, 4) + [8, colour, 0, 0, 0]) + before
            + (0..<data).flatMap { _ in chunk("IDAT", [1, 2, 3]) } + after + chunk("IEND", [])
    }

    // MARK: GIF

    /// - Parameter dataBytes: the length of the data; by default enough for all pixels.
    static func gifFrame(
        left: Int = 0, top: Int = 0, width: Int = 4, height: Int = 3, flags: UInt8 = 0, palette: [UInt8] = [],
        dataBytes: Int? = nil
    ) -> [UInt8] {
        // The maximum number of pixels: a code takes at least 3 bits, and has at most one pixel more than the previous
        // code.
        func pixels(_ bytes: Int) -> Int { (8 * bytes / 3) * (8 * bytes / 3 + 1) / 2 }
        let count = dataBytes ?? (2...255).first { pixels($0) >= width * height } ?? 255
        let data = (0..<count).map { place -> UInt8 in place % 2 == 0 ? 0x4C : 0x01 }
        var bytes: [UInt8] = [0x2C]
        for number in [left, top, width, height] { bytes += littleEndian(number, 2) }
        return bytes + [flags] + palette + [2, UInt8(count)] + data + [0]
    }

    static func control(delay: Int, disposal: UInt8 = 0, transparent: UInt8? = nil) -> [UInt8] {
        [0x21, 0xF9, 4, disposal << 2 | (transparent == nil ? 0 : 1)] + littleEndian(delay, 2) + [transparent ?? 0, 0]
    }

    static func loop(_ count: Int, name: String = "NETSCAPE2.0") -> [UInt8] {
        [0x21, 0xFF, 11] + Array(name.utf8) + [3, 1] + littleEndian(count, 2) + [0]
    }

    static func gif(width: Int = 4, height: Int = 3, _ blocks: [UInt8]..., end: [UInt8] = [0x3B]) -> [UInt8] {
        Array("GIF89a".utf8) + littleEndian(width, 2) + littleEndian(height, 2) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
            + blocks.flatMap { $0 } + end
    }

    // MARK: WebP

    static func riffChunk(_ type: String, _ body: [UInt8]) -> [UInt8] {
        Array(type.utf8) + littleEndian(body.count, 4) + body + (body.count % 2 == 1 ? [0] : [])
    }

    static func webp(_ chunks: [UInt8]...) -> [UInt8] {
        let body = Array("WEBP".utf8) + chunks.flatMap { $0 }
        return Array("RIFF".utf8) + littleEndian(body.count, 4) + body
    }

    static func lossy(width: Int = 20, height: Int = 10) -> [UInt8] {
        riffChunk(
            "VP8 ",
            [0x10, 0, 0, 0x9D, 0x01, 0x2A] + littleEndian(width, 2) + littleEndian(height | 0x4000, 2) + [1, 2, 3])
    }

    static func lossless(width: Int = 20, height: Int = 10, alpha: Bool = false) -> [UInt8] {
        riffChunk("VP8L", [0x2F] + littleEndian(width - 1 | (height - 1) << 14 | (alpha ? 1 << 28 : 0), 4) + [7, 7])
    }

    static func extended(_ features: UInt8, width: Int = 20, height: Int = 10) -> [UInt8] {
        riffChunk("VP8X", [features, 0, 0, 0] + littleEndian(width - 1, 3) + littleEndian(height - 1, 3))
    }

    /// A complete picture of each format.
    static let all: [(name: String, bytes: [UInt8])] = [
        ("jpeg", jpeg(before: exifSegment(tiff(orientation: 6)))),
        ("png", png(before: chunk("eXIf", tiff(orientation: 6)))),
        ("gif", gif(loop(0), control(delay: 5, transparent: 1), gifFrame(), control(delay: 7), gifFrame())),
        ("lossy webp", webp(lossy())),
        ("lossless webp", webp(lossless())),
        ("extended webp", webp(extended(0x08), lossy(), riffChunk("EXIF", tiff(orientation: 6)))),
    ]
}

/// Returns the `FormatFailure` that `body` throws, or nil.
func failure(_ body: () throws -> Void) -> FormatFailure? {
    do {
        try body()
        return nil
    } catch {
        return error as? FormatFailure
    }
}

extension FormatFailure {
    /// The fault of a corrupt or unsupported picture, or the excess of a picture over a limit; nil for other failures.
    var fault: String? {
        switch self {
        case .corrupt(_, let fault), .notRead(_, let fault), .overLimit(_, let fault): fault
        default: nil
        }
    }
}
