/// The EXIF block of a picture: a TIFF structure of directories (TIFF 6.0 §2, CIPA DC-008 4.5 and 4.6). Ignores offsets
/// beyond the end, and all but the first 512 entries of a directory.
public struct ExifBlock: Sendable, Hashable {
    public private(set) var bytes: [UInt8]
    private let order: ByteOrder

    private enum Tag {
        static let imageWidth = 0x0100
        static let imageLength = 0x0101
        static let imageDescription = 0x010E
        static let make = 0x010F
        static let model = 0x0110
        static let orientation = 0x0112
        static let artist = 0x013B
        static let thumbnailOffset = 0x0201
        static let thumbnailLength = 0x0202
        static let copyright = 0x8298
        static let exposureTime = 0x829A
        static let fNumber = 0x829D
        static let exifDirectory = 0x8769
        static let sensitivity = 0x8827
        static let dateTimeOriginal = 0x9003
        static let dateTimeDigitized = 0x9004
        static let focalLength = 0x920A
        static let colourSpace = 0xA001
        static let pixelXDimension = 0xA002
        static let pixelYDimension = 0xA003
        static let lensModel = 0xA434
    }

    private enum FieldType {
        static let ascii = 2
        static let short = 3
        static let long = 4
        static let rational = 5
        /// UTF-8 text, since EXIF 3.0.
        static let utf8 = 129
    }

    /// An entry of a directory: the twelve bytes at `place`.
    private struct Entry {
        let place: Int
        let tag: Int
        let type: Int
        let count: Int
    }

    /// Returns nil if the bytes do not begin with a TIFF header. The caller must remove JPEG's `Exif` prefix.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8, let order = ByteOrder(tiff: bytes[..<4]) else { return nil }
        self.order = order
        self.bytes = bytes
    }

    /// The copyright notices of the photographer and the editor.
    public var copyright: String? { text(Tag.copyright) }
    public var artist: String? { text(Tag.artist) }
    /// The caption, with its line breaks. Some cameras write their own name here.
    public var imageDescription: String? {
        text(Tag.imageDescription, in: entries(of: firstDirectory), keepsLines: true)
    }

    /// The time when the picture was taken, or else digitized, such as `2024:02:03 10:00:00`. The time zone is unknown.
    public var dateTaken: String? {
        text(Tag.dateTimeOriginal, in: details) ?? text(Tag.dateTimeDigitized, in: details)
    }

    /// The camera, its lens and the exposure, such as `NIKON D750, 50 mm f/1.8, 50 mm, f/2.8, 1/200 s, ISO 400`
    /// (CIPA DC-008 4.6.4 and 4.6.6). Does not contain names of people, serial numbers or positions.
    public var camera: String? {
        let (make, model) = (text(Tag.make), text(Tag.model))
        // Many models begin with the name of their maker, which may be longer, such as NIKON CORPORATION.
        let maker = make?.split(separator: " ").first.map(String.init)
        let hasMaker = maker.flatMap { model?.uppercased().hasPrefix($0.uppercased()) } ?? false
        let name = [hasMaker ? nil : make, model].compactMap(\.self).joined(separator: " ")
        let details = details
        func tenths(_ tag: Int) -> String? {
            guard let (top, bottom) = fraction(tag, in: details) else { return nil }
            let tenths = (top * 10 + bottom / 2) / bottom
            guard (1..<100_000).contains(tenths) else { return nil }
            return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
        }
        var exposure = tenths(Tag.exposureTime).map { "\($0) s" }
        // Cameras name times below a third of a second as fractions.
        if let (top, bottom) = fraction(Tag.exposureTime, in: details), top > 0, top * 3 < bottom {
            exposure = "1/\((bottom + top / 2) / top) s"
        }
        let sensitivity = number(details.first { $0.tag == Tag.sensitivity }).flatMap { $0 > 0 ? $0 : nil }
        let parts = [
            name.isEmpty ? nil : name, text(Tag.lensModel, in: details), tenths(Tag.focalLength).map { "\($0) mm" },
            tenths(Tag.fNumber).map { "f/\($0)" }, exposure, sensitivity.map { "ISO \($0)" },
        ]
        .compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The JPEG in the second directory, or nil. It may show an older state of the picture.
    public var thumbnail: [UInt8]? { thumbnailRange.map { Array(bytes[$0]) } }

    /// The orientation in the second directory, or nil if the picture's orientation applies.
    public var thumbnailOrientation: Orientation? {
        number(thumbnailEntries.first { $0.tag == Tag.orientation }).flatMap { UInt8(exactly: $0) }
            .flatMap(Orientation.init)
    }

    /// Returns the block for an upright copy of the picture in another size, without the thumbnail. Changes the fields
    /// of orientation and size, and the colour space if the copy has been converted to sRGB. All other fields keep
    /// their offsets, including GPS locations and maker notes.
    public func upright(size: PixelSize, isSRGB: Bool = true) -> ExifBlock {
        var copy = self
        let main = entries(of: firstDirectory)
        for entry in main {
            switch entry.tag {
            case Tag.orientation: copy.set(entry, FieldType.short, 1)
            case Tag.imageWidth: copy.set(entry, FieldType.long, size.width)
            case Tag.imageLength: copy.set(entry, FieldType.long, size.height)
            case Tag.exifDirectory:
                for detail in entries(of: number(entry)) {
                    if detail.tag == Tag.colourSpace, isSRGB { copy.set(detail, FieldType.short, 1) }
                    if detail.tag == Tag.pixelXDimension { copy.set(detail, FieldType.long, size.width) }
                    if detail.tag == Tag.pixelYDimension { copy.set(detail, FieldType.long, size.height) }
                }
            default: break
            }
        }
        copy.dropThumbnail()
        return copy
    }

    /// Returns a block with only Copyright and Artist, in UTF-8, or nil if both are nil.
    public static func rights(copyright: String?, artist: String?) -> ExifBlock? {
        // Entries are sorted by tag (TIFF 6.0 §2).
        let fields = [(Tag.artist, artist), (Tag.copyright, copyright)].compactMap { tag, text in
            text.flatMap { MetadataText.cleaned($0) }.map { (tag, Array($0.utf8) + [0]) }
        }
        guard !fields.isEmpty else { return nil }
        func number(_ value: Int, _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
        var directory = number(fields.count, 2)
        var values: [UInt8] = []
        let valuesStart = 8 + 2 + 12 * fields.count + 4
        for (tag, text) in fields {
            directory += number(tag, 2) + number(FieldType.ascii, 2) + number(text.count, 4)
            if text.count <= 4 {
                directory += text + [UInt8](repeating: 0, count: 4 - text.count)
            } else {
                directory += number(valuesStart + values.count, 4)
                // Values begin at even offsets.
                values += text + (text.count % 2 == 1 ? [0] : [])
            }
        }
        return ExifBlock(Array("MM\0*".utf8) + number(8, 4) + directory + number(0, 4) + values)
    }

    private var firstDirectory: Int? { number(at: 4, 4) }

    /// Returns the offset of the field that links to the next directory.
    private func linkPlace(of directory: Int?) -> Int? {
        guard let directory, let count = number(at: directory, 2) else { return nil }
        return directory + 2 + count * 12
    }

    private func entries(of directory: Int?) -> [Entry] {
        guard let directory, let count = number(at: directory, 2) else { return [] }
        var entries: [Entry] = []
        for index in 0..<min(count, 512) {
            let place = directory + 2 + index * 12
            guard place + 12 <= bytes.count, let tag = number(at: place, 2), let type = number(at: place + 2, 2),
                let count = number(at: place + 4, 4)
            else { break }
            entries.append(Entry(place: place, tag: tag, type: type, count: count))
        }
        return entries
    }

    /// Returns the value of an entry with a single integer, or nil.
    private func number(_ entry: Entry?) -> Int? {
        guard let entry, entry.count == 1 else { return nil }
        switch entry.type {
        case FieldType.short: return number(at: entry.place + 8, 2)
        // Type 13 is the offset of a directory (TIFF technical note 1).
        case FieldType.long, 13: return number(at: entry.place + 8, 4)
        default: return nil
        }
    }

    private func text(_ tag: Int) -> String? { text(tag, in: entries(of: firstDirectory)) }

    /// The entries about the exposure.
    private var details: [Entry] {
        entries(of: number(entries(of: firstDirectory).first { $0.tag == Tag.exifDirectory }))
    }

    /// Returns the numerator and the denominator of a single unsigned fraction, or nil if the denominator is 0.
    private func fraction(_ tag: Int, in entries: [Entry]) -> (Int, Int)? {
        guard let entry = entries.first(where: { $0.tag == tag }), entry.type == FieldType.rational, entry.count == 1,
            let place = number(at: entry.place + 8, 4), let top = number(at: place, 4),
            let bottom = number(at: place + 4, 4), bottom > 0
        else { return nil }
        return (top, bottom)
    }

    private func text(_ tag: Int, in entries: [Entry], keepsLines: Bool = false) -> String? {
        guard let entry = entries.first(where: { $0.tag == tag }), entry.count > 0,
            entry.type == FieldType.ascii || entry.type == FieldType.utf8
        else { return nil }
        let start = entry.count <= 4 ? entry.place + 8 : number(at: entry.place + 8, 4) ?? bytes.count
        guard start <= bytes.count, entry.count <= bytes.count - start else { return nil }
        // Parts end with zeros; Copyright has a part for the photographer and a part for the editor.
        let parts = bytes[start..<start + entry.count].split(separator: 0).prefix(2).compactMap {
            MetadataText.cleaned($0, keepsLines: keepsLines)
        }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }

    private var thumbnailEntries: [Entry] {
        linkPlace(of: firstDirectory).map { entries(of: number(at: $0, 4)) } ?? []
    }

    private var thumbnailRange: Range<Int>? {
        let second = thumbnailEntries
        guard let start = number(second.first { $0.tag == Tag.thumbnailOffset }),
            let length = number(second.first { $0.tag == Tag.thumbnailLength }),
            start <= bytes.count, length > 4, length <= bytes.count - start,
            bytes[start..<start + 3] == [0xFF, 0xD8, 0xFF]
        else { return nil }
        return start..<start + length
    }

    /// Unlinks the second directory, and erases the thumbnail, which may show parts that were cropped away.
    private mutating func dropThumbnail() {
        guard let link = linkPlace(of: firstDirectory), link <= bytes.count - 4 else { return }
        let thumbnail = thumbnailRange
        bytes.replaceSubrange(link..<link + 4, with: [0, 0, 0, 0])
        guard let thumbnail, !thumbnail.contains(link), thumbnail.lowerBound >= 8 else { return }
        if thumbnail.upperBound == bytes.count {
            bytes.removeSubrange(thumbnail)
        } else {
            bytes.replaceSubrange(thumbnail, with: repeatElement(0, count: thumbnail.count))
        }
    }

    /// Returns an unsigned number of 2 or 4 bytes, or nil beyond the end. Offsets have 32 bits and Int has 64, so sums
    /// do not overflow.
    private func number(at place: Int, _ width: Int) -> Int? {
        guard place >= 0, place <= bytes.count - width else { return nil }
        return order.number(bytes[place..<place + width])
    }

    private mutating func set(_ entry: Entry, _ type: Int, _ value: Int) {
        put(type, at: entry.place + 2, 2)
        put(1, at: entry.place + 4, 4)
        put(0, at: entry.place + 8, 4)
        put(value, at: entry.place + 8, type == FieldType.short ? 2 : 4)
    }

    /// `place` must be an offset that `number` can read.
    private mutating func put(_ value: Int, at place: Int, _ width: Int) {
        for i in 0..<width {
            bytes[place + i] = UInt8(truncatingIfNeeded: value >> ((order == .bigEndian ? width - 1 - i : i) * 8))
        }
    }
}
