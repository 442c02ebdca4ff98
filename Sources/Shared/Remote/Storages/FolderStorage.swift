import HTTP
import Libc
import Store
import Support

/// A folder that machines share, most often of a network's file system. Its files appear whole, by renaming.
///
/// The system decides how long it waits for a mount whose server is away.
struct FolderStorage: RemoteStorage {
    let path: String

    func read(
        _ object: RemoteObject, byteLimit: Int, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        guard let file = try open(object) else { return false }
        guard file.count <= byteLimit else {
            throw RemoteFailure.damaged("\(file.path) has \(file.count) bytes, of which \(byteLimit) were expected")
        }
        try BlobStore.copy(file, to: receive)
        return true
    }

    func size(of object: RemoteObject) throws -> Int? { try open(object)?.count }

    /// Nil if there is none. A folder that is not there at all is a failure, since its mount may be missing.
    private func open(_ object: RemoteObject) throws -> File? {
        do {
            let file = try Folder(path).open(object.path, O_RDONLY | O_NONBLOCK)
            return file.isRegular ? file : nil
        } catch let failure as SystemFailure where failure.isMissing && (try? File.exists(path)) == true {
            return nil
        }
    }

    func write(
        _ body: RequestBody, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        check: @escaping @Sendable () throws -> Void
    ) throws {
        let folder = try Folder(path)
        let parts = object.path.split(separator: "/")
        // As open as the umask allows: others share it.
        try folder.makeFolder(String(parts[0]), mode: 0o777)
        let file = try OutputFile(in: folder.folder(String(parts[0])), name: String(parts[1]), replaces: true)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < body.count {
            try check()
            let count = try body.read(buffer, offset)
            guard count > 0 else { throw RemoteFailure.failed("the file that is handed over became shorter") }
            try file.write(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bytes)
            offset += count
        }
        try file.commit()
    }
}
