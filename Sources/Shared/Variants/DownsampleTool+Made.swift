import CacheTools
import Records
import Store
import Support

/// Records files outside the cache in the index (`MadeFiles`).
extension DownsampleTool {
    /// A file made from a record's picture, and the parts of its name.
    public struct Made {
        let path: String
        let values: [String: String]
        let template: String?
        let field: JSON

        /// - Parameters:
        ///   - values: by the names in `NameTemplate.builtIn`.
        ///   - template: of the file's name; nil if all records with the picture share the name.
        ///   - field: the file's field in `variants`.
        public init(path: String, values: [String: String], template: String?, field: JSON) {
            self.path = path
            self.values = values
            self.template = template
            self.field = field
        }
    }

    /// Records files in the index if their picture, at `path`, is in the cache. `folder` is absolute. Throws
    /// `SystemFailure` if the status of a file cannot be read, and `Cancelled`.
    public func remember(_ files: [Made], in folder: String, of path: String, _ record: Record) throws {
        // Ignore a failure to read the index: the files are already written.
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

    /// Returns the names of the requested variants that are not in the record.
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

/// The record has no picture because of `put --skip-made`, and an earlier run did not make all requested variants.
struct NotMade: Failure, Equatable {
    let variants: [String]

    var code: String { "not-made" }
    var message: String {
        "the existing files lack \(variants.joined(separator: ", ")), and img-cache put --skip-made did not fetch"
            + " the picture; run it once with --refresh"
    }
    var exitCode: ExitCode { .data }
}
