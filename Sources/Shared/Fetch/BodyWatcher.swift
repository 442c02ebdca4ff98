import Libc
import Store
import Support

/// Observes a body during its download. Called on the downloading thread, so methods must return quickly.
public protocol BodyWatcher: AnyObject {
    /// Called when a body begins, or resumes after existing bytes, and again if it restarts.
    func begin(_ body: ArrivingBody) throws
    /// Called with the next bytes, which have just been written. They are valid only during the call.
    func take(_ bytes: UnsafeRawBufferPointer) throws
}

/// A body that is being received.
public struct ArrivingBody: Sendable {
    /// The root of the cache, on disk or in memory.
    public let folder: Folder
    /// The path of the partial file, relative to the root.
    public let name: String
    /// The number of bytes in the file so far.
    public let count: Int
    /// The length of the complete body, if the server reported it.
    public let total: Int?
    /// The memory limit for previews, if the folder is in memory.
    let use: MemoryUse?

    /// The name of a finished preview. Only the holder of the key's lock writes previews.
    public func previewName(_ number: Int, fileExtension: String) -> String {
        "\(name)\(CacheRoot.previewMark)-\(number).\(fileExtension)"
    }

    /// The name of a preview that is being written.
    public var unfinishedPreviewName: String { "\(name)\(CacheRoot.previewMark)" }

    /// Creates the file for the next preview. Throws `SystemFailure`, `UnsafePath`.
    public func unfinishedPreview() throws -> BoundedFile {
        BoundedFile(try folder.open(unfinishedPreviewName, O_RDWR | O_CREAT | O_TRUNC, purpose: .makeOutput), use: use)
    }
}
