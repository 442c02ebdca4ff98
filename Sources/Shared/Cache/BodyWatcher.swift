#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
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
    /// The file that it is written to.
    public let path: String
    /// How many of its first bytes are there.
    public let count: Int
    /// How many it will have; nil where the server has not said.
    public let total: Int?
    private let use: MemoryUse?

    /// - Parameter use: bounds what its previews take, in memory.
    init(path: String, count: Int, total: Int?, use: MemoryUse? = nil) {
        self.use = use
        self.path = path
        self.count = count
        self.total = total
    }

    /// What the names of previews have, and those of no other file beside them.
    static let previewMark = ".preview"

    /// Where a preview of it goes. Belongs, as the body does, to whoever holds the key's lock.
    public func previewPath(_ number: Int, fileExtension: String) -> String {
        "\(path)\(Self.previewMark)-\(number).\(fileExtension)"
    }

    /// Where a preview is written, before it is moved to its place.
    public var unfinishedPreviewPath: String { "\(path)\(Self.previewMark)" }

    /// Begins the file at `unfinishedPreviewPath`. Throws `SystemFailure`.
    public func unfinishedPreview() throws -> BoundedFile {
        BoundedFile(
            try File.open(unfinishedPreviewPath, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, purpose: .makeOutput),
            use: use)
    }
}
