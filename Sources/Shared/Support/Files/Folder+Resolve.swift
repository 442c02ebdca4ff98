import Libc

extension Folder {
    /// Returns the absolute path of a file or folder with all links resolved. If the file or the target of a link is
    /// missing, resolves the existing part of the path. Costs a few system calls and opens nothing.
    public static func resolve(_ path: String) -> String { resolve(path, links: 40) }

    /// - Parameter links: how many links to missing files to follow; 40 as in the kernel (ELOOP).
    private static func resolve(_ path: String, links: Int) -> String {
        var rest = ""
        var there = path.hasPrefix("/") ? path : currentFolder() + "/" + path
        while there.utf8.count > 1, there.utf8.last == UInt8(ascii: "/") { there.removeLast() }
        while there.utf8.count > 1 {
            if let resolved = resolvedPath(there) {
                return rest.isEmpty ? resolved : (resolved == "/" ? "" : resolved) + rest
            }
            guard let slash = there.utf8.lastIndex(of: UInt8(ascii: "/")) else { break }
            if links > 0, let target = linkTarget(there) {
                return resolve((target.hasPrefix("/") ? target : there.folderPrefix + target) + rest, links: links - 1)
            }
            rest = String(there[slash...]) + rest
            there = slash == there.startIndex ? "/" : String(there[..<slash])
        }
        return rest.isEmpty ? there : rest
    }

    /// Returns a file's path relative to the current folder, or its absolute path if it is outside. Resolves links to
    /// folders, but not the last component: two links to one file have different paths.
    public static func relativeToCurrent(_ path: String) -> String {
        let folder = path.folderPrefix
        let file = resolve(folder.isEmpty ? "." : folder) + "/" + (path.removing(bytePrefix: folder) ?? path)
        return file.removing(bytePrefix: resolve(".") + "/") ?? file
    }

    private static func currentFolder() -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { buffer in
            getcwd(buffer.baseAddress!, buffer.count) == nil ? "" : String(pathPointer: buffer.baseAddress!)
        }
    }
}
