import Articles
import CacheTools
import HTTP
import Records
import Support

/// A picture of a gallery, or the failure to obtain the picture. Contains only what sorts and compares items; `content`
/// reads their records.
public struct GalleryItem: Sendable {
    /// The identifier of the picture, which has 32 hexadecimal digits.
    var key: String
    /// The key that earlier versions of the tool computed for the picture.
    var formerKey: String?
    /// Whether an earlier version of the tool wrote the item and computed its key.
    var isFormer = false
    /// The number of the item in the search index. It is unique in a collection, and 0 before the item is added. The
    /// number of a removed item is not reused while the collection has an item with a higher number.
    var number = 0
    /// The id of the item in addresses, unique in a collection. Empty before the item is added.
    var id = ""
    let day: CalendarDay?
    /// The title on pages, which is the day if the record has no title.
    let title: String
    /// The groups of the picture, in the order of its record. Pages show them only if `GallerySettings.groupField` is set.
    var groups: [GroupName]
    let hasPicture: Bool
    let hasError: Bool
    /// Whether the failure is temporary.
    let isTransient: Bool
    /// The public fields of the record, and the files, whose paths are relative to the gallery.
    let stored: StoredRecord

    /// The names of an item's files, from the smallest to the largest.
    static let thumbnail = "thumb"
    static let sharpThumbnail = "thumb@2x"
    /// The first frame of an animation, in the size of the pager.
    static let still = "still"
    static let pager = "pager"
    static let overlay = "overlay"
    /// The variant that pages show instead of an original that is too large for phones and has no tiles.
    static let large = "large"
    /// The tiles of a picture that is too large for phones. Their path is a folder.
    static let tiles = "tiles"
    static let original = "original"
    static let fileNames = [thumbnail, sharpThumbnail, still, pager, overlay, large, tiles, original]

    /// The maximum number of an item. Larger numbers occur only in edited records.
    private static let maxNumber = 1 << 24

    /// - Parameters:
    ///   - record: a record with the files in `variants`.
    ///   - stored: the same record in a file.
    init(key: String, record: Record, day: CalendarDay?, stored: StoredRecord) {
        (self.key, self.day, self.stored) = (key, day, stored)
        let title = record.string("title").map(PlainText.folded) ?? ""
        self.title = title.isEmpty ? day.map(EnglishDate.words) ?? "Untitled" : title
        groups = GroupName.names(record.texts("groups"))
        hasPicture = record.raw("variants.pager").flatMap(ItemContent.File.init) != nil
        hasError = record.hasError
        isTransient = record.bool("error.transient") == true
    }

    /// Reads an item that an earlier run wrote. Returns nil if the record has no valid key, or an invalid id.
    ///
    /// - Parameter place: the position of the record in the file.
    init?(written record: Record, in file: File, at place: Range<Int>) {
        guard let key = record.string("gallery.key"), Self.isKey(key) else { return nil }
        let id = record.string("gallery.id") ?? ""
        let day = record.string("date").flatMap { CalendarDay($0) }
        guard id.isEmpty || Self.isID(id, of: day, key) else { return nil }
        self.init(key: key, record: record, day: day, stored: StoredRecord(record, in: file, at: place))
        self.id = id
        isFormer = record.integer("gallery.version") == nil
        number = record.integer("gallery.number").flatMap { (1...Self.maxNumber).contains($0) ? $0 : nil } ?? 0
    }

    /// Reads the item's record. Throws `SystemFailure`, `ChangedRecords`.
    func content() throws -> ItemContent { try ItemContent(item: self, record: stored.read()) }

    /// Returns the record of the item as the gallery stores it.
    func written() throws -> Record {
        var record = try stored.read()
        record.set([
            "groups": GroupName.value(groups),
            "gallery": .object([
                "key": .string(key), "version": isFormer ? nil : .integer(2), "number": .integer(number),
                "id": .string(id), "page": .string(Site.address(of: self)),
            ]),
        ])
        return record
    }

    /// Returns the paths of the files in a record, relative to the gallery.
    static func paths(in record: Record) -> [String] {
        guard let variants = record.raw("variants"), let files = try? Record(parsing: variants) else { return [] }
        return files.names.compactMap { files.string(FieldPath(stringLiteral: $0 + ".path")) }.filter(isOwn)
    }

    /// Returns whether a path has the form of a picture's path in a gallery. Such a path cannot lead outside the
    /// gallery.
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

    /// Returns the possible ids of an item, the shortest first. The id of an item with a date is its day, followed by a
    /// part of the key if the day has several items. The id of an item without a date is a part of the key.
    static func names(day: CalendarDay?, key: String) -> [String] {
        guard let day else { return ["p-\(key.prefix(12))", "p-\(key)"] }
        return ["\(day)", "\(day)-\(key.prefix(6))", "\(day)-\(key)"]
    }

    private static func isID(_ id: String, of day: CalendarDay?, _ key: String) -> Bool {
        names(day: day, key: key).contains(id)
    }
}

/// The identity of a record's picture.
struct PictureIdentity: Equatable {
    /// The key, which has 32 hexadecimal digits.
    let key: String
    /// The key that earlier versions of the tool computed for the picture, which is a digest of its address or file
    /// name.
    let formerKey: String

    /// Derives the key from the first of these values that the record has: the key that a gallery wrote; the field that
    /// `--identity` names; `date`, if apod-fetch wrote the record; `id`; the address; the cache key, because cache
    /// files have random names; the path relative to the working directory; the day; the whole record.
    ///
    /// - Parameter day: the day of the picture in the gallery.
    init(of record: Record, day: CalendarDay?, field: FieldPath? = nil) {
        let path = (try? record.path("path")) ?? nil
        if path?.hasPrefix("/") != true, let key = record.string("gallery.key"), GalleryItem.isKey(key) {
            (self.key, formerKey) = (key, key)
            return
        }
        formerKey = Self.formerKey(of: record, path: path, day: day)
        // `media_type` would not identify records of apod-fetch: other services, with several pictures a day, also have
        // this field.
        let isDaily = record.string("apod.service") != nil || record.string("error.tool") == "apod-fetch"
        if let field, let text = record.printable(field) {
            key = Self.digest("field", text)
        } else if isDaily, let date = record.string("date") {
            key = Self.digest("day", date)
        } else if let id = record.printable("id") {
            key = Self.digest("id", id)
        } else if let path, Self.source(of: record) == nil {
            key = Self.digest("path", Folder.relativeToCurrent(path))
        } else {
            key = formerKey
        }
    }

    private static func formerKey(of record: Record, path: String?, day: CalendarDay?) -> String {
        if let source = source(of: record) { return source }
        if let name = path?.split(separator: "/").last { return digest("file", String(name)) }
        if let day { return digest("day", day.description) }
        return digest("record", record.printable("id") ?? String(decoding: record.line, as: UTF8.self))
    }

    private static func source(of record: Record) -> String? {
        if let url = PictureAddresses().addresses(in: record).first { return digest("address", url.normalized) }
        if let url = record.string("url").flatMap({ try? WebURL($0) }) { return digest("address", url.normalized) }
        return record.string("cache.key").map { digest("cached", $0) }
    }

    private static func digest(_ kind: String, _ text: String) -> String {
        String(SHA256.hex(of: "\(kind) \(text)").prefix(32))
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool { (0x30...0x39).contains(self) || (0x61...0x66).contains(self) }
}
