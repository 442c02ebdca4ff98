import Records
import Store

/// The note about an output file that the index stores. It suffices to name the file for a record and to describe the
/// file's picture, even after the picture's entry has been evicted.
public struct CopyNote {
    private let note: Record

    /// Returns nil if a later version wrote the note in another format.
    public init?(_ copy: FileCopy) {
        guard let note = try? Record(parsing: Array(copy.details.utf8)), note.has("values") else { return nil }
        self.note = note
    }

    /// Creates the note of a file whose name consists of `values` and fields of a record.
    ///
    /// - Parameters:
    ///   - record: the record, including the field `cache`.
    ///   - values: the values of the names in `NameTemplate.builtIn`.
    ///   - made: for a variant, its folder, the template of its name (nil if the name is the same for all records), and
    ///     its field in `variants`. Nil for a copy.
    public init(
        _ record: Record, _ values: [String: String], made: (folder: String, template: String?, field: JSON)? = nil
    ) {
        var note = Record()
        note.set([
            "values": .object(values.sorted { $0.key < $1.key }.map { JSON.Member($0.key, .string($0.value)) }),
            "cache": record.raw("cache").map { .raw(Array($0)) }, "gif": record.raw("gif").map { .raw(Array($0)) },
            "template": made?.template.map(JSON.string), "variant": made?.field,
        ])
        if let made { note.setPath("folder", made.folder) }
        self.note = note
    }

    /// The text of the note for `FileCopy.details`.
    public var text: String { String(decoding: note.line, as: UTF8.self) }

    var folder: String? { (try? note.path("folder")) ?? nil }
    var template: String? { note.string("template") }
    var isOfVariant: Bool { note.has("variant") }
    var variant: Record? { note.raw("variant").flatMap { try? Record(parsing: $0) } }

    /// The values of the names in `NameTemplate.builtIn`.
    var values: [String: String] {
        var values: [String: String] = [:]
        for name in NameTemplate.builtIn { values[name] = note.string(FieldPath(stringLiteral: "values.\(name)")) }
        return values
    }

    /// Returns the record with those fields of the picture that remain valid after its entry has been evicted.
    func kept(_ record: Record) -> Record {
        var kept = record
        var cache = note.raw("cache").flatMap { try? Record(parsing: $0) } ?? Record()
        cache.set(["status": .string(CacheStatus.kept.rawValue), "expires_at": nil, "degraded": nil, "remote": nil])
        kept.removePlace()
        kept.set(["cache": .raw(cache.line), "gif": note.raw("gif").map { .raw(Array($0)) }])
        return kept
    }
}
