import Articles
import CacheTools
import HTTP
import Records
import Support

/// One picture of a gallery, or the place of one that failed: what anybody may see of a record.
public struct Place: Sendable, Equatable {
    /// Tells whether two records are about the same picture: 32 hexadecimal digits.
    let key: String
    /// Names the place in addresses; empty until a collection gives it one.
    var id = ""
    let day: CalendarDay?
    /// The public fields and the files, named from the gallery's folder on.
    let record: Record

    /// A file of a picture.
    struct File: Sendable, Equatable {
        /// From the gallery's folder on: `pictures/…`.
        let path: String
        let width: Int
        let height: Int
    }

    /// The names of files, the smallest first.
    static let thumbnail = "thumb"
    static let sharpThumbnail = "thumb@2x"
    static let pager = "pager"
    static let overlay = "overlay"
    /// What stands for an original of too many pixels for a phone.
    static let large = "large"
    static let original = "original"
    static let fileNames = [thumbnail, sharpThumbnail, pager, overlay, large, original]

    /// - Parameter record: with the files of the picture in `variants`.
    init(key: String, record: Record, day: CalendarDay?) {
        (self.key, self.record, self.day) = (key, record, day)
    }

    /// Reads a place as it was written; nil if the line is none, whoever wrote it.
    init?(written record: Record) {
        guard let key = record.string("gallery.key"), Self.isKey(key) else { return nil }
        let id = record.string("gallery.id") ?? ""
        let day = record.string("date").flatMap { CalendarDay($0) }
        guard id.isEmpty || Self.isID(id, of: day, key) else { return nil }
        self.init(key: key, record: record, day: day)
        self.id = id
    }

    func file(_ name: String) -> File? {
        let field = "variants.\(name)"
        guard let path = record.string(FieldPath(stringLiteral: field + ".path")), Self.isOwn(path),
            let width = record.integer(FieldPath(stringLiteral: field + ".width")),
            let height = record.integer(FieldPath(stringLiteral: field + ".height")), width > 0, height > 0
        else { return nil }
        return File(path: path, width: width, height: height)
    }

    /// The paths of all files.
    var paths: [String] {
        guard let variants = record.raw("variants"), let files = try? Record(parsing: variants) else { return [] }
        return files.names.compactMap { files.string(FieldPath(stringLiteral: $0 + ".path")) }.filter(Self.isOwn)
    }

    var hasPicture: Bool { file(Self.pager) != nil }

    /// The name of the smallest file: a small picture's thumbnail would be the same as its pager file.
    private var smallest: String { file(Self.thumbnail) != nil ? Self.thumbnail : Self.pager }

    /// What tiles show.
    var tile: File? { file(smallest) }

    /// What tiles show on sharp screens.
    var sharpTile: File? { file(Self.sharpThumbnail) ?? file(Self.pager) }

    /// A blurred preview, as a ThumbHash.
    var hash: String? { record.string(FieldPath(stringLiteral: "variants.\(smallest).thumbhash")) }

    var colour: String? { record.string(FieldPath(stringLiteral: "variants.\(smallest).dominant_colour")) }

    /// Whether one sees through parts of the picture: the 24th bit of the preview tells.
    var isTransparent: Bool {
        guard let bytes = hash.flatMap(Base64.decoded), bytes.count > 2 else { return false }
        return bytes[2] & 0x80 != 0
    }

    /// Whether a path is one that a gallery gives its pictures: it leads nowhere else.
    static func isOwn(_ path: String) -> Bool {
        let prefix = "pictures/"
        guard path.hasPrefix(prefix) else { return false }
        let name = path.utf8.dropFirst(prefix.utf8.count)
        let digits = name.prefix(20)
        guard digits.count == 20, digits.allSatisfy(\.isHexadecimalDigit), name.dropFirst(20).first == UInt8(ascii: "-")
        else { return false }
        return name.dropFirst(21).allSatisfy { $0.isASCIIAlphanumeric || "@.".utf8.contains($0) }
    }

    static func isKey(_ text: String) -> Bool { text.utf8.count == 32 && text.utf8.allSatisfy(\.isHexadecimalDigit) }

    /// The names that a place may have: that of its day, more of the key if there are several of a day.
    static func names(day: CalendarDay?, key: String) -> [String] {
        guard let day else { return ["p-\(key.prefix(12))", "p-\(key)"] }
        return ["\(day)", "\(day)-\(key.prefix(6))", "\(day)-\(key)"]
    }

    private static func isID(_ id: String, of day: CalendarDay?, _ key: String) -> Bool {
        names(day: day, key: key).contains(id)
    }
}

extension Place {
    /// The identity of a record's picture: the key that a gallery gave it, else its address, else its cache key (cache
    /// files have random names), else its file's name. A record without any of these, such as a failure, is identified
    /// by its day, its `id` or its whole line.
    static func key(of record: Record, day: CalendarDay?) -> String {
        func digest(_ kind: String, _ text: String) -> String { String(SHA256.hex(of: "\(kind) \(text)").prefix(32)) }
        let isOutside = record.string("path")?.hasPrefix("/") ?? false
        if !isOutside, let key = record.string("gallery.key"), isKey(key) { return key }
        if let url = PictureAddresses().addresses(in: record).first { return digest("address", url.normalized) }
        if let url = record.string("url").flatMap({ try? WebURL($0) }) { return digest("address", url.normalized) }
        if let key = record.string("cache.key") { return digest("cached", key) }
        if let path = (try? record.path("path")) ?? nil, let name = path.split(separator: "/").last {
            return digest("file", String(name))
        }
        if let day { return digest("day", day.description) }
        return digest("record", record.printable("id") ?? String(decoding: record.line, as: UTF8.self))
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool { (0x30...0x39).contains(self) || (0x61...0x66).contains(self) }
}
