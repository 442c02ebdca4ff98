import Fetch
import Images
import Libc
import Store
import Support

/// A folder whose files are named by a digest of the picture and the encode settings. Existing files are never written
/// again, and no name contains text from a record.
public final class ContentFolder: Sendable {
    public let folder: Folder
    private let known: @Sendable (String) -> FileFacts?

    /// - Parameter known: returns the facts about the file with the given name, or nil if the file must be written
    ///   again.
    public init(_ folder: Folder, known: @escaping @Sendable (String) -> FileFacts?) {
        self.folder = folder
        self.known = known
    }

    func existing(_ name: String) throws -> MadeFile? {
        guard let facts = known(name), let status = try folder.status(of: name),
            status.kind == TileFolder.kind(of: name)
        else { return nil }
        let bytes = try status.kind == .folder ? TileFolder.bytes(in: name, folder) : status.bytes
        return bytes > 0 ? MadeFile(path: folder.path(of: name), bytes: bytes, facts, isNew: false) : nil
    }

    /// Returns the beginning of a file name: the first 20 hexadecimal digits of the SHA-256 of `content`.
    public static func prefix(_ content: String) -> Substring { SHA256.hex(of: content).prefix(20) }
}

struct ContentDestination: Destination {
    let folder: ContentFolder
    /// The SHA-256 of the picture if a trusted source provides it, otherwise nil.
    let sha256: String?

    /// Throws if the picture cannot be read.
    func name(of variant: Variant, from source: some VariantSource) throws -> String {
        let content = try sha256 ?? source.content()
        let digest = ContentFolder.prefix("\(content)\n\(source.key(variant))")
        if variant.isTiled { return "\(digest)\(TileFolder.suffix)" }
        return try "\(digest)-\(variant.name).\(source.format(of: variant).fileExtension)"
    }

    /// Throws `SystemFailure` (73).
    func open(_ names: [String], there: (Int, MadeFile) throws -> Void) throws -> [(any Sink)?] {
        try names.enumerated().map { index, name in
            if let file = try folder.existing(name) {
                try there(index, file)
                return nil
            }
            if TileFolder.isName(name) { return try TileFolder(in: folder.folder, name: name) }
            let file = try OutputFile(in: folder.folder, name: name, replaces: true)
            return FileSink(file) {
                try file.commit()
                return file.path
            }
        }
    }
}
