import Formats
import Images
import Libc
import Records
import Support
import TestSupport

// Functions for the tests of img-downsample: pixels of its output, and generated pictures.

extension PixelBuffer {
    /// The pixels of a drawn picture.
    init(_ drawn: DrawnPicture) {
        self.init(
            size: PixelSize(width: drawn.width, height: drawn.height), channels: drawn.channels, bytes: drawn.bytes)
    }

    /// The samples of a pixel.
    func at(_ x: Int, _ y: Int) -> [Int] {
        let start = (y * size.width + x) * channels
        return bytes[start..<start + channels].map(Int.init)
    }

    /// Red, green, blue and alpha of a pixel, for any number of channels.
    func colour(_ x: Int, _ y: Int) -> [Int] {
        let samples = at(x, y)
        let alpha = hasAlpha ? samples[channels - 1] : 255
        return (channels < 3 ? [samples[0], samples[0], samples[0]] : Array(samples[..<3])) + [alpha]
    }

    var words: String { "\(size.width)x\(size.height)" }

    /// The peak signal to noise ratio of red, green, blue and alpha, in dB; nil if the sizes differ.
    func likeness(to other: PixelBuffer) -> Double? {
        guard size == other.size else { return nil }
        if bytes == other.bytes { return .infinity }
        // In a large picture, only every third pixel is compared.
        let step = size.width * size.height > 50_000 ? 3 : 1
        var (sum, count) = (0, 0)
        for y in stride(from: 0, to: size.height, by: step) {
            for x in stride(from: 0, to: size.width, by: step) {
                for (a, b) in zip(colour(x, y), other.colour(x, y)) { sum += (a - b) * (a - b) }
                count += 4
            }
        }
        if sum == 0 { return .infinity }
        return 10 * log10(255 * 255 * Double(count) / Double(sum))
    }

    /// The mean of a channel, over the whole picture or a part.
    func mean(_ channel: Int, x: Range<Int>? = nil, y: Range<Int>? = nil) -> Double {
        let (columns, rows) = (x ?? 0..<size.width, y ?? 0..<size.height)
        var sum = 0
        for y in rows { for x in columns { sum += colour(x, y)[channel] } }
        return Double(sum) / Double(columns.count * rows.count)
    }
}

extension ToolHome {
    /// Shrinks a picture to `target` and returns its pixels.
    func shrunk(_ arguments: [String], to target: String = "made.png") throws -> PixelBuffer {
        _ = try run("img-downsample", arguments + ["-o", target]).expect(0)
        return try pixels(target)
    }

    /// The pixels of a file in the working folder or at an absolute path.
    func pixels(_ name: String) throws -> PixelBuffer {
        try decode(File.openInput(name.hasPrefix("/") ? name : path(name)))
    }

    /// The bytes of a file in the working folder.
    func bytes(_ name: String) throws -> [UInt8] { try TestFile.bytes(path(name)) }

    /// Writes a configuration file and returns its path.
    func configure(_ json: String) throws -> String { try write("config.json", json) }
}

extension Record {
    /// The fields of a variant.
    func variant(_ name: String) -> Record? {
        FieldPath("variants.\(name)").flatMap(raw).flatMap { try? Record(parsing: $0) }
    }

    /// The size of a variant as text; nil if the variant is missing.
    func variantSize(_ name: String) -> String? {
        variant(name).flatMap { variant in
            variant.integer("width").flatMap { width in variant.integer("height").map { "\(width)x\($0)" } }
        }
    }
}

extension Picture {
    /// A photograph-like sky as a JPEG of 1200x900.
    static let sky: [UInt8] = jpegSky(1200, 900)
    /// A photograph-like sky as a JPEG of 900x1200.
    static let tallSky: [UInt8] = jpegSky(900, 1200)

    static func jpegSky(_ width: Int, _ height: Int) -> [UInt8] {
        (try? encoded(.sky(width, height, seed: 11), .jpeg)) ?? []
    }

    /// The picture encoded for each decoder, by file name.
    static func everyWay(_ picture: DrawnPicture) throws -> [(name: String, bytes: [UInt8])] {
        func bytes(_ format: OutputFormat, progressive: Bool) throws -> [UInt8] {
            try encode(PixelBuffer(picture), EncodeOptions(format: format, quality: 92, isProgressive: progressive))
        }
        return [
            ("baseline.jpg", try bytes(.jpeg, progressive: false)),
            ("progressive.jpg", try bytes(.jpeg, progressive: true)),
            ("plain.png", try bytes(.png, progressive: false)),
            ("interlaced.png", try bytes(.png, progressive: true)),
            ("lossy.webp", try bytes(.webp, progressive: false)),
            ("still.gif", picture.gif()),
        ]
    }

    /// A PNG with any colour type and depth; `rows` are packed as stored, without filter bytes.
    static func png(
        _ width: Int, _ height: Int, depth: UInt8, colourType: UInt8, rows: [[UInt8]], chunks: [PNGChunk] = []
    ) -> [UInt8] {
        let header = number(width, 4) + number(height, 4) + [depth, colourType, 0, 0, 0]
        let data = rows.flatMap { row -> [UInt8] in [0] + row }
        let all: [PNGChunk] =
            [PNGChunk("IHDR", header)] + chunks + [PNGChunk("IDAT", Deflate.zlib(data)), PNGChunk("IEND", [])]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + all.flatMap(\.bytes)
    }

    /// The value in big-endian order.
    static func number(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }

    /// Inserts EXIF as the first segment of a JPEG (CIPA DC-008, 4.5.4).
    static func tagged(_ jpeg: [UInt8], exif: [UInt8]) -> [UInt8] {
        let body = Array("Exif".utf8) + [0, 0] + exif
        return Array(jpeg[..<2]) + [0xFF, 0xE1] + number(body.count + 2, 2) + body + Array(jpeg[2...])
    }

    /// Inserts an ICC profile as the first segment of a JPEG (ICC.1, B.4).
    static func profiled(_ jpeg: [UInt8], _ profile: [UInt8]) -> [UInt8] {
        let body = Array("ICC_PROFILE".utf8) + [0, 1, 1] + profile
        return Array(jpeg[..<2]) + [0xFF, 0xE2] + number(body.count + 2, 2) + body + Array(jpeg[2...])
    }
}

/// EXIF with a place and an owner, as a TIFF structure (CIPA DC-008, 4.6).
enum DrawnEXIF {
    static let place = "ACCEPTANCE-PLACE"
    static let artist = "Ada Lovelace"
    static let copyright = "(c) 2026 Example Observatory"

    /// - Parameters:
    ///   - thumbnail: a small JPEG for the second directory.
    ///   - own: the orientation of the thumbnail in the second directory.
    static func tiff(orientation: Int = 1, thumbnail: [UInt8] = [], own: Int? = nil) -> [UInt8] {
        typealias Entry = (tag: Int, type: Int, count: Int, value: [UInt8])
        func text(_ tag: Int, _ text: String) -> Entry { (tag, 2, text.utf8.count + 1, Array(text.utf8) + [0]) }
        func directory(_ entries: [Entry], at start: Int, next: Int) -> [UInt8] {
            var place = start + 2 + entries.count * 12 + 4
            var (fields, data): ([UInt8], [UInt8]) = (Picture.number(entries.count, 2), [])
            for entry in entries {
                fields += Picture.number(entry.tag, 2) + Picture.number(entry.type, 2) + Picture.number(entry.count, 4)
                if entry.value.count <= 4 {
                    fields += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
                } else {
                    fields += Picture.number(place, 4)
                    data += entry.value
                    place += entry.value.count
                }
            }
            return fields + Picture.number(next, 4) + data
        }
        func main(gps: Int, next: Int) -> [UInt8] {
            directory(
                [
                    (0x0112, 3, 1, Picture.number(orientation, 2)), text(0x013B, artist), text(0x8298, copyright),
                    (0x8825, 4, 1, Picture.number(gps, 4)),
                ], at: 8, next: next)
        }
        let gpsPlace = 8 + main(gps: 0, next: 0).count
        // The GPS directory contains only GPSMapDatum.
        let gps = directory([text(0x0012, place)], at: gpsPlace, next: 0)
        let second = gpsPlace + gps.count
        let start = Array("MM".utf8) + [0, 42, 0, 0, 0, 8]
        guard !thumbnail.isEmpty else { return start + main(gps: gpsPlace, next: 0) + gps }
        func small(_ offset: Int) -> [UInt8] {
            directory(
                [(0x0103, 3, 1, [0, 6])] + (own.map { [(0x0112, 3, 1, Picture.number($0, 2))] } ?? []) + [
                    (0x0201, 4, 1, Picture.number(offset, 4)),
                    (0x0202, 4, 1, Picture.number(thumbnail.count, 4)),
                ], at: second, next: 0)
        }
        let offset = second + small(0).count
        return start + main(gps: gpsPlace, next: second) + gps + small(offset) + thumbnail
    }
}

/// ICC profiles with a matrix and a curve (ICC.1:2022), and the conversion of their colours to sRGB.
struct DrawnProfile {
    /// XYZ of red, green and blue relative to D50; empty for gray.
    let colorants: [[Double]]
    let gamma: Double

    static let adobeRGB = DrawnProfile(
        colorants: [[0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457]],
        gamma: 563.0 / 256)
    static let displayP3 = DrawnProfile(
        colorants: [[0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407]],
        gamma: 2.2)
    /// Gray with linear samples.
    static let linearGray = DrawnProfile(colorants: [], gamma: 1)

    var bytes: [UInt8] {
        func fixed(_ value: Double) -> [UInt8] { Picture.number(Int((value * 65536).rounded()), 4) }
        func xyz(_ values: [Double]) -> [UInt8] { Array("XYZ ".utf8) + [0, 0, 0, 0] + values.flatMap(fixed) }
        let white = [0.9642, 1, 0.8249]
        // A parametric curve of type 0: a plain power function.
        let curve = Array("para".utf8) + [0, 0, 0, 0, 0, 0, 0, 0] + fixed(gamma)
        var tags: [(name: String, data: [UInt8])] = [("wtpt", xyz(white))]
        if colorants.isEmpty {
            tags.append(("kTRC", curve))
        } else {
            for (name, values) in zip(["r", "g", "b"], colorants) {
                tags += [(name + "XYZ", xyz(values)), (name + "TRC", curve)]
            }
        }
        var (table, data): ([UInt8], [UInt8]) = (Picture.number(tags.count, 4), [])
        let start = 128 + 4 + tags.count * 12
        for tag in tags {
            table += Array(tag.name.utf8) + Picture.number(start + data.count, 4) + Picture.number(tag.data.count, 4)
            data += tag.data
        }
        var header = Picture.number(start + data.count, 4) + [0, 0, 0, 0] + [4, 0x20, 0, 0]
        header += Array("mntr".utf8) + Array((colorants.isEmpty ? "GRAY" : "RGB ").utf8) + Array("XYZ ".utf8)
        header += Picture.number(2026, 2) + [0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
        header += [UInt8](repeating: 0, count: 68 - header.count) + white.flatMap(fixed)
        header += [UInt8](repeating: 0, count: 128 - header.count)
        return header + table + data
    }

    /// The chunk that contains the profile in a PNG.
    var chunk: PNGChunk { PNGChunk("iCCP", Array("drawn".utf8) + [0, 0] + Deflate.zlib(bytes)) }

    /// The sRGB value of a colour in this profile, with each sample rounded.
    func inSRGB(_ colour: [UInt8]) -> [Int] {
        func encoded(_ light: Double) -> Int {
            let light = min(max(light, 0), 1)
            let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
            return Int((value * 255).rounded())
        }
        let light = colour.map { pow(Double($0) / 255, gamma) }
        if colorants.isEmpty { return [Int](repeating: encoded(light[0]), count: 3) }
        let xyz = (0..<3).map { row in (0..<3).reduce(0.0) { $0 + colorants[$1][row] * light[$1] } }
        // Converts XYZ relative to D50 to linear sRGB (Bradford; Lindbloom).
        let matrix = [
            [3.1338561, -1.6168667, -0.4906146], [-0.9787684, 1.9161415, 0.0334540],
            [0.0719453, -0.2289914, 1.4052427],
        ]
        return matrix.map { row in encoded(zip(row, xyz).reduce(0) { $0 + $1.0 * $1.1 }) }
    }
}
