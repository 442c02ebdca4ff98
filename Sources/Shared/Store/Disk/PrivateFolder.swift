import CSystem
import Libc
import Support

/// A folder that only this user can read or change, even below a world-writable folder such as `/dev/shm`.
package enum PrivateFolder {
    /// Opens the folder. Throws `UnsafePath` if it is a link, belongs to another user, gives rights to others or can
    /// be replaced by others, and `SystemFailure` if a system call fails.
    ///
    /// - Parameter making: whether to create a missing folder. Its parent must exist.
    static func open(_ path: String, making: Bool) throws -> Folder {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let name = String(path[slash...].dropFirst())
        let above = try Folder(slash == path.startIndex ? "/" : String(path[..<slash]), isListed: false)
        let statusAbove = try above.status()
        if let fault = UnsafePath.fault(above: path, statusAbove) { throw fault }
        if making, try above.status(of: name) == nil { try above.makeFolder(name) }
        let folder = try above.folder(name)
        if let fault = UnsafePath.fault(ofPrivateFolder: path, try folder.status()) { throw fault }
        return folder
    }

    /// Whether the folder is on a file system in memory.
    package static func isInMemory(_ folder: Folder) -> Bool { csystem_is_in_memory(folder.descriptor) }
}
