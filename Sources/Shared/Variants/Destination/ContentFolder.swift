import Fetch
import Images
import Libc
import Store
import Support

/// A folder whose files bear the digest of what they are made of as their names: a name that is there is never made
/// again, and nobody's text is part of it.
public final class ContentFolder: Sendable {
    public let folder: Folder
    private let known: @Sendable (String) -> FileFacts?

    /// - Parameter known: what is known of the file of a name; nil has it made anew.
    public init(_ folder: Folder, known: @escaping @Sendable (String) -> FileFacts?) {
        self.folder = folder
        self.known = known
    }

    /// The file of a name, if it is there and known.
    func existing(_ name: String) throws -> MadeFile? {
        guard let facts = known(name), let status = try folder.status(of: name), status.kind == .file, status.bytes > 0
        else { return nil }
        return MadeFile(path: folder.path(of: name), bytes: status.bytes, facts, isNew: false)
    }

    /// The beginning of a name: twenty hexadecimal digits of the digest of what a file is made of.
    public static func prefix(_ content: String) -> Substring { SHA256.hex(of: content).prefix(20) }
}

/// The files of one record in a folder whose files are named by their content.
struct ContentDestination: Destination {
    let folder: ContentFolder
    /// The SHA-256 of the picture, if somebody who can be trusted knows it.
    let sha256: String?

    /// Throws what reading the picture does.
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
