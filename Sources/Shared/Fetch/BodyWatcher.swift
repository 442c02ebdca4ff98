import Libc
import Store
import Support

/// Looks at a body while it is being written, on the thread that writes it and as fast as that can wait for.
public protocol BodyWatcher: AnyObject {
    /// A body begins, or goes on behind the bytes that are there already. Comes again when it is begun anew.
    func begin(_ body: ArrivingBody) throws
    /// The next bytes, which have been written; valid only during the call.
    func take(_ bytes: UnsafeRawBufferPointer) throws
}

/// A body of which a part is there.
public struct ArrivingBody: Sendable {
    /// The folder that it is written below.
    public let folder: Folder
    /// Its file's name below that.
    public let name: String
    /// How many of its first bytes are there.
    public let count: Int
    /// How many it will have; nil if the server has not said.
    public let total: Int?
    private let use: MemoryUse?

    /// - Parameter use: bounds what its previews take, in memory.
    init(in folder: Folder, name: String, count: Int, total: Int?, use: MemoryUse? = nil) {
        self.use = use
        self.folder = folder
        self.name = name
        self.count = count
        self.total = total
    }

    /// The name of a preview of it. Only the holder of the key's lock writes it, as for the body.
    public func previewName(_ number: Int, fileExtension: String) -> String {
        "\(name)\(CacheRoot.previewMark)-\(number).\(fileExtension)"
    }

    /// The name under which a preview is written, before it is moved to its place.
    public var unfinishedPreviewName: String { "\(name)\(CacheRoot.previewMark)" }

    /// Begins the file of that name. Throws `SystemFailure`, `UnsafePlace`.
    public func unfinishedPreview() throws -> BoundedFile {
        BoundedFile(
            try folder.open(unfinishedPreviewName, O_RDWR | O_CREAT | O_TRUNC, purpose: .makeOutput), use: use)
    }
}
