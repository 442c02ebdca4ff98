import HTTP
import Libc
import Store
import Support

/// A folder that machines share, usually on a network file system. Files are written under a temporary name and
/// renamed.
struct FolderStorage: RemoteStorage {
    let path: String

    func read(
        _ object: RemoteObject, _ operation: RemoteOperation, receive: (UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        guard let file = try open(object) else { return false }
        try file.forEachPiece { piece in
            try receive(piece)
            return true
        }
        return true
    }

    func size(of object: RemoteObject, _ operation: RemoteOperation) throws -> Int? { try open(object)?.count }

    /// Returns nil if the object does not exist. Throws if the whole folder is missing, because its file system may not
    /// be mounted.
    private func open(_ object: RemoteObject) throws -> File? {
        do {
            let file = try Folder(path).open(object.path, O_RDONLY | O_NONBLOCK)
            return file.isRegular ? file : nil
        } catch let failure as SystemFailure where failure.isMissing && (try? File.exists(path)) == true {
            return nil
        }
    }

    func write(
        _ body: any ByteSource, to object: RemoteObject, lifetime: Duration?, under claim: (any RemoteClaim)?,
        _ operation: RemoteOperation
    ) throws {
        let folder = try Folder(path)
        let parts = object.path.split(separator: "/")
        // Other users share the remote, so only the umask limits the mode of its subfolders.
        try folder.makeFolder(String(parts[0]), mode: 0o777)
        let file = try OutputFile(in: folder.folder(String(parts[0])), name: String(parts[1]), replaces: true)
        var rest = body.count
        try body.forEachPiece(upTo: rest) { piece in
            try file.write(piece)
            rest -= piece.count
            return true
        }
        guard rest == 0 else { throw RemoteFailure.shortened }
        try file.commit()
    }
}
