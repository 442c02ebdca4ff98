import Images
import Libc
import Store
import Support

/// The tiles of a picture in a folder, as files `LEVEL-COLUMN-ROW.jpg`. The folder has a temporary name until all tiles
/// are complete. If this object is released before that, the folder is removed.
public final class TileFolder: Sink, TileSink {
    /// The end of the folder's name.
    static let suffix = "-tiles"

    public let leastSide = max(Variant.overlay.geometry.width ?? 0, Variant.overlay.geometry.height ?? 0)
    private let parent: Folder
    private let name: String
    private let temporary = OutputFile.temporaryName()
    private let tiles: Folder
    private var count = 0
    private var isCommitted = false

    /// Throws `SystemFailure` (73).
    init(in parent: Folder, name: String) throws {
        self.parent = parent
        self.name = name
        try parent.makeFolder(temporary, mode: 0o777)
        tiles = try parent.folder(temporary)
    }

    deinit { if !isCommitted { parent.removeFolderWithFiles(temporary) } }

    /// Returns whether a path or a file name is the name of such a folder.
    public static func isName(_ path: String) -> Bool { path.hasSuffix(suffix) }

    /// Returns the kind of the variant with this path or file name: a folder of tiles or a file.
    public static func kind(of path: String) -> FileStatus.Kind { isName(path) ? .folder : .file }

    static func bytes(in name: String, _ parent: Folder) throws -> Int {
        let tiles = try parent.folder(name)
        return try tiles.names().reduce(0) { try $0 + (tiles.status(of: $1)?.bytes ?? 0) }
    }

    /// Removes a complete folder. Renames it first, so if the process is killed, only a folder with a temporary name
    /// remains.
    public static func remove(_ name: String, from parent: Folder) {
        let temporary = OutputFile.temporaryName()
        guard (try? parent.rename(name, to: temporary)) != nil else { return }
        parent.removeFolderWithFiles(temporary)
    }

    /// Does nothing, because there is no single file.
    public func write(_ bytes: RawSpan) {}

    public func write(_ file: [UInt8], level: Int, column: Int, row: Int) throws {
        let name = "\(level)-\(column)-\(row).jpg"
        let tile = try tiles.open(name, O_WRONLY | O_CREAT | O_EXCL, mode: 0o666, purpose: .makeOutput)
        try tile.write(file.span.bytes)
        count += file.count
    }

    public func commit(_ picture: FileFacts) throws -> MadeFile {
        do {
            try parent.rename(temporary, to: name)
            isCommitted = true
        } catch let failure as SystemFailure where [EEXIST, ENOTEMPTY].contains(failure.errno) {
            // Another run, or an earlier run that was killed before it wrote its records, has made the same tiles.
        }
        return MadeFile(path: parent.path(of: name), bytes: count, picture)
    }
}
