import Records
import Store
import Support

/// Finds the facts (format, size) about the files in the folder `pictures`, in the records of items with these files. A
/// file with facts, from this run or an earlier one, is not encoded again.
struct KnownFiles: Sendable {
    private var records: [StoredRecord] = []
    /// The indices in `records` by the first 16 hexadecimal digits of the names, of which a million may exist.
    private var indices: [UInt64: Int32] = [:]

    /// Adds the files of an item.
    ///
    /// - Parameter record: the record of the item.
    mutating func add(_ item: GalleryItem, _ record: Record) {
        let paths = GalleryItem.paths(in: record)
        if paths.isEmpty { return }
        for path in paths { indices[Self.digits(GalleryFolder.name(ofPicture: path))] = Int32(records.count) }
        records.append(item.stored)
    }

    /// Returns the record that contains the file with the given name, or nil if it is unknown.
    func record(of name: String) -> StoredRecord? { indices[Self.digits(name)].map { records[Int($0)] } }

    private static func digits(_ name: String) -> UInt64 { UInt64(name.prefix(16), radix: 16) ?? 0 }
}

extension StoredRecord {
    /// Reads the facts about the file with the given name in the folder `pictures`. Returns nil if the record has none.
    func facts(_ name: String) throws -> FileFacts? {
        guard let variants = try read().raw("variants"), let files = try? Record(parsing: variants) else { return nil }
        for field in files.names {
            guard let file = files.raw(FieldPath(stringLiteral: field)).flatMap({ try? Record(parsing: $0) }),
                let path = file.string("path"), GalleryItem.isOwn(path), GalleryFolder.name(ofPicture: path) == name
            else { continue }
            return FileFacts(written: file)
        }
        return nil
    }
}

extension FileFacts {
    /// Reads the facts from the field of a variant in a record.
    init?(written file: Record) {
        guard let path = file.string("path"), let format = file.string("format") else { return nil }
        // The path of tiles is a folder without an extension.
        let ending = path.lastIndex(of: ".").map { String(path[path.index(after: $0)...]) }
        var details = Record()
        for name in ["frames", "source_frames", "truncated", "damaged", "dominant_colour", "thumbhash"] {
            if let raw = file.raw(FieldPath(stringLiteral: name)) { details.set(name, .raw(Array(raw))) }
        }
        self.init(
            contentType: "image/\(format)", fileExtension: ending ?? "",
            width: file.integer("width"), height: file.integer("height"),
            details: details.isEmpty ? nil : String(decoding: details.line, as: UTF8.self))
    }
}
