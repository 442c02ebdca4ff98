import Records
import Store
import Support

/// A folder of files that `img-downsample` made. If the files are unchanged, their picture need not be fetched again.
public struct MadeFiles: Sendable {
    private let folder: String

    /// - Parameter folder: the path of the folder, which need not exist.
    public init(in folder: String) { self.folder = Folder.resolve(folder) }

    /// Returns the record with the field `variants` if all its files in the folder are unchanged. Returns nil
    /// otherwise, or if `CacheSettings.refreshes` is set. Throws `CacheFailure` and `SystemFailure`.
    public func kept(_ record: Record, _ key: CacheKey, in cache: CacheStore) throws -> Record? {
        if cache.settings.refreshes { return nil }
        var kept: Record?
        var made: [(name: String, field: Record)] = []
        for copy in try cache.copies.recorded(of: key) {
            guard let note = CopyNote(copy), note.folder?.hasSameBytes(as: folder) == true,
                let name = note.values["variant"], !made.contains(where: { $0.name == name }), var field = note.variant
            else { continue }
            let described = note.kept(record)
            guard note.template.map({ isNamed(copy, by: $0, described, note.values) }) ?? true else { continue }
            guard copy.isUnchanged(try FileStatus(at: copy.path, followingLinks: false)) else { return nil }
            field.set("status", .string(CacheStatus.kept.rawValue))
            made.append((name, field))
            kept = kept ?? described
        }
        guard var kept else { return nil }
        var variants = record.raw("variants").flatMap { try? Record(parsing: $0) } ?? Record()
        for (name, field) in made.reversed() { variants.set(name, .raw(field.line)) }
        kept.set("variants", .raw(variants.line))
        cache.copies.countKept()
        return kept
    }

    /// Returns whether the template yields the file's name for this record. Two records with the same picture may have
    /// different files.
    private func isNamed(_ copy: FileCopy, by template: String, _ record: Record, _ values: [String: String]) -> Bool {
        guard let name = try? NameTemplate(template).path(for: record, values) else { return false }
        return "\(folder == "/" ? "" : folder)/\(name)".hasSameBytes(as: copy.path)
    }
}
