import Libc
import Support

/// The contents of a folder that was chosen as root.
enum RootContents: Equatable {
    case empty
    /// A cache or its remains.
    case cache
    /// Files that do not belong to a cache. The folder must not become a root.
    case foreign

    /// The content of CACHEDIR.TAG, which makes backup programs skip the folder.
    static let tag = """
        Signature: 8a477f597d28d172789f06886806bc55
        # This folder is a cache of apod-tools. It can be removed at any time.
        # See https://bford.info/cachedir/

        """

    /// Reads the names in a folder and in its `scopes/`, and its CACHEDIR.TAG.
    init(of folder: Folder) throws {
        let tag = try folder.openIfPresent(CacheRoot.tag)?.contents(atMost: Self.tag.utf8.count + 1)
        self.init(names: try folder.names(), tag: tag, scopes: try folder.names(in: CacheRoot.scopes))
    }

    /// - Parameters:
    ///   - names: all names in the folder.
    ///   - tag: the beginning of its CACHEDIR.TAG; nil if there is no such file.
    ///   - scopes: all names in its `scopes/`.
    init(names: [String], tag: [UInt8]?, scopes: [String]) {
        // The top folder of an empty file system may contain `lost+found`.
        let names = names.filter { $0 != "lost+found" }
        if names.isEmpty {
            self = .empty
        } else if let tag, tag == Array(Self.tag.utf8) {
            self = .cache
        } else if let tag, !Self.tag.utf8.starts(with: tag) {
            self = .foreign
        } else {
            // A cache that was partly created, or that has lost its index and tag.
            let folders = [CacheRoot.scopes, CacheRoot.partials, CacheRoot.locks, CacheRoot.leases]
            let isLayout =
                names.contains(where: folders.contains) && scopes.allSatisfy(CacheRoot.isScopeFolder)
                && names.allSatisfy { name in
                    folders.contains(name)
                        || [CacheRoot.tag, CacheRoot.rebuildMark, CacheRoot.keySecret].contains(name)
                        || name.hasPrefix(CacheRoot.index) || OutputFile.isTemporary(name)
                }
            self = isLayout ? .cache : .foreign
        }
    }
}
