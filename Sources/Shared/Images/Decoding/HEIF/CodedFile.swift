import Formats
import Support

/// Builds a HEIF file in memory that contains a single coded picture and nothing else.
///
/// libheif decodes only such files, never the original. Its support for hidden items, derived pictures, sequences,
/// rotations and crops, which differs between versions, is therefore not used. The only untrusted boxes that it parses
/// are the decoder configuration and the colour information.
enum CodedFile {
    /// Real configurations have a few hundred bytes.
    private static let configurationByteLimit = 1 << 16

    /// Builds the file. Throws `ImageError` and errors of the source.
    static func bytes(
        _ coded: HEIFPicture.Coded, of source: any ByteSource, _ format: ImageFormat, _ options: DecodeOptions
    ) throws -> AlignedBuffer {
        guard coded.configuration.count <= configurationByteLimit else {
            let count = coded.configuration.count
            throw ImageError.corrupt(
                format, "a decoder configuration of \(count) bytes, more than \(configurationByteLimit)")
        }
        let configuration = try source.bytes(coded.configuration)
        let signal = try coded.signal.map { try source.bytes($0.prefix(64)) } ?? []
        // Offsets are stored in a fixed number of bytes, so their values do not change the length of the head.
        let length = head(coded, configuration, signal, dataOffset: 0, dataBytes: 0).count
        guard length + coded.dataBytes <= UInt32.max else {
            throw ImageError.unsupported(format, "a picture of \(coded.dataBytes) bytes")
        }
        let file = AlignedBuffer(count: length + coded.dataBytes)
        var done = length
        for range in coded.data {
            var place = range.lowerBound
            while place < range.upperBound {
                try options.check()
                let room = UnsafeMutableRawBufferPointer(
                    start: file.bytes + done, count: min(1 << 20, range.upperBound - place))
                let got = try source.read(into: room, at: place)
                guard got > 0 else { throw ImageError.truncated(format) }
                (place, done) = (place + got, done + got)
            }
        }
        var dataBytes = coded.dataBytes
        if coded.layer != nil || coded.operatingPoint != 0 {
            let data = UnsafeMutableBufferPointer(start: file.bytes + length, count: dataBytes)
            let layers = AV1Layers(layer: coded.layer, operatingPoint: coded.operatingPoint)
            dataBytes = try layers.select(in: data, format)
        }
        let head = head(coded, configuration, signal, dataOffset: length, dataBytes: dataBytes)
        file.bytes.update(from: head, count: length)
        return file
    }

    /// Returns all boxes before the data (ISO/IEC 14496-12 §8.11, 23008-12 §6.5). The picture is stored in `dataBytes`
    /// bytes from `dataOffset` on.
    private static func head(
        _ coded: HEIFPicture.Coded, _ configuration: [UInt8], _ signal: [UInt8], dataOffset: Int, dataBytes: Int
    ) -> [UInt8] {
        let (brand, kind) = coded.codec == .av1 ? ("avif", "av01") : ("heic", "hvc1")
        let size = fullBox("ispe", number(coded.size.width, 4) + number(coded.size.height, 4))
        // The number of properties, then the index of each property. The highest bit of an index marks the property as
        // essential, here the decoder configuration.
        let numbers: [UInt8] = signal.isEmpty ? [2, 1, 0x82] : [3, 1, 0x82, 3]
        let associations = fullBox("ipma", number(1, 4) + number(1, 2) + numbers)
        let entry = fullBox("infe", version: 2, number(1, 2) + number(0, 2) + Array(kind.utf8) + [0])
        let place = [0x44, 0] + number(1, 2) + number(1, 2) + number(0, 2) + number(1, 2)
        let boxes = [
            fullBox("hdlr", number(0, 4) + Array("pict".utf8) + number(0, 12) + [0]),
            fullBox("pitm", number(1, 2)),
            fullBox("iloc", place + number(dataOffset, 4) + number(dataBytes, 4)),
            fullBox("iinf", number(1, 2) + entry),
            box("iprp", box("ipco", size + configuration + signal) + associations),
        ]
        let type = box("ftyp", Array((brand + "\0\0\0\0mif1" + brand).utf8))
        return type + fullBox("meta", boxes.flatMap { $0 }) + number(8 + coded.dataBytes, 4) + Array("mdat".utf8)
    }

    private static func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
        number(8 + body.count, 4) + Array(type.utf8) + body
    }

    private static func fullBox(_ type: String, version: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
        box(type, [version, 0, 0, 0] + body)
    }

    private static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
        (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: $0 < 8 ? value >> ($0 * 8) : 0) }
    }
}
