import CSystem
import Libc
import Support

/// A folder that nobody but this user can look into or change, although it may lie where everybody can write, such as
/// in `/dev/shm`.
package enum PrivateFolder {
    /// Opens the folder, where it is safe to use: it is a folder and no link to one, it is this user's, nobody else has
    /// any right to it, and nobody else can put another one in its place. Throws `UnsafePlace`, `SystemFailure`.
    ///
    /// - Parameter making: whether it is made where it is missing; the one above it must be there.
    static func open(_ path: String, making: Bool) throws -> Folder {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let name = String(path[slash...].dropFirst())
        let above = try Folder(slash == path.startIndex ? "/" : String(path[..<slash]), isListed: false)
        let statusAbove = try above.status()
        if let fault = UnsafePlace.fault(above: path, statusAbove) { throw fault }
        if making, try above.status(of: name) == nil { try above.makeFolder(name) }
        let folder = try above.folder(name)
        if let fault = UnsafePlace.fault(ofPrivateFolder: path, try folder.status()) { throw fault }
        return folder
    }

    /// Whether what is in the folder lies in memory.
    package static func isInMemory(_ folder: Folder) -> Bool { csystem_is_in_memory(folder.descriptor) }
}
