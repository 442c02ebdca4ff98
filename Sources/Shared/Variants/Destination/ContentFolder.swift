import Fetch
import Images
import Libc
import Store
import Support

/// A folder whose files are named by a digest of the picture and the encode settings. An existing file is never written
/// again, and names contain no text of records.
public final class ContentFolder: Sendable {
    public let folder: Folder
    private let known: @Sendable (String) -> FileFacts?

    /// - Parameter known: returns the facts of the file with a name; nil if the file must be written again.
    public init(_ folder: Folder, known: @escaping @Sendable (String) -> FileFacts?) {
        self.folder = folder
        self.known = known
    }

    func existing(_ name: String) throws -> MadeFile? {
        guard let facts = known(name), let status = try folder.status(of: name), status.kind == .file, status.bytes > 0
        else { return nil }
        return MadeFile(path: folder.path(of: name), bytes: status.bytes, facts, isNew: false)
    }

    /// Returns the start of a file's name: 20 hexadecimal digits of the SHA-256 of `content`.
    public static func prefix(_ content: String) -> Substring { SHA256.hex(of: content).prefix(20) }
}

struct ContentDestination: Destination {
    let folder: ContentFolder
    /// The SHA-256 of the picture from a trusted source, if known.
    let sha256: String?

    /// Throws if the picture cannot be read.
    func name(of variant: Variant, from source: some VariantSource) throws -> String {
        let content = try sha256 ?? source.content()
        let digest = ContentFolder.prefix("\(content)\n\(source.key(variant))")
        return try "\(digest)-\(variant.name).\(source.format(of: variant).fileExtension)"
    }

    /// Throws `SystemFailure` (73).
    func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        try names.enumerated().map { index, name in
            if let file = try folder.existing(name) {
                try there(index, file)
                return nil
            }
            let file = try OutputFile(in: folder.folder, name: name, replaces: true)
            return FileSink(file) {
                try file.commit()
                return file.path
            }
        }
    }
}
