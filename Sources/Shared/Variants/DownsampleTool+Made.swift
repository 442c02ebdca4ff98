import CacheTools
import Records
import Store
import Support

/// Records, in the cache's index, the files that are written outside the cache.
extension DownsampleTool {
    /// A file that was made from a record's picture, and the parts of its name.
    public struct Made {
        let path: String
        let values: [String: String]
        let template: String?
        let field: JSON

        /// - Parameters:
        ///   - values: the values of the names in `NameTemplate.builtIn`.
        ///   - template: the template of the file's name, or nil if all records with the picture share the name.
        ///   - field: the file's field in `variants`.
        public init(path: String, values: [String: String], template: String?, field: JSON) {
            self.path = path
            self.values = values
            self.template = template
            self.field = field
        }
    }

    /// If the picture at `path` is in the cache, adds the given files, which were made from it, to the index. `folder`
    /// must be an absolute path. Throws `SystemFailure` if the status of a file cannot be read, and `Cancelled`.
    public func remember(_ files: [Made], in folder: String, of path: String, _ record: Record) throws {
        // Ignore a failure of reading the index, because the files are already written.
        guard let (cache, original, key) = try? entry(path, record) else { return }
        let copies = try files.compactMap { file -> FileCopy? in
            guard let status = try FileStatus(at: file.path, followingLinks: false) else { return nil }
            let note = CopyNote(record, file.values, made: (folder, file.template, file.field))
            return FileCopy(path: file.path, status: status, sha256: original.sha256, details: note.text)
        }
        try cache.copies.record(copies, of: key)
    }

    /// Whether the record has no picture because of `put --skip-made`.
    func isMade(_ record: Record) -> Bool {
        record.string("cache.status") == CacheStatus.kept.rawValue && !record.hasPath("path")
    }

    /// Returns the names of the requested variants that the record lacks.
    func lacking(_ record: Record) -> [String] {
        variants.map(\.name).filter { !record.hasPath(FieldPath(stringLiteral: "variants.\($0).path")) }
    }
}

extension FolderDestination {
    func made(_ fields: [(variant: Variant, file: MadeFile)]) -> [DownsampleTool.Made] {
        fields.map { variant, file in
            DownsampleTool.Made(
                path: file.path, values: values[variant.name] ?? [:], template: folder.template.text,
                field: file.field())
        }
    }
}

/// The failure for a record that has no picture because of `put --skip-made`, but lacks some of the requested variants.
struct NotMade: Failure, Equatable {
    let variants: [String]

    var code: String { "not-made" }
    var message: String {
        "the existing files lack \(variants.joined(separator: ", ")), and img-cache put --skip-made did not fetch"
            + " the picture; run img-cache put once with --refresh"
    }
    var exitCode: ExitCode { .data }
}
