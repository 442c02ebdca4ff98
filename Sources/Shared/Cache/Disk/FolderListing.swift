#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Support

/// What lies in a folder and on it, for whoever looks after the files.
enum FolderListing {
    /// The names in a folder, in no order; none where it is missing or cannot be read. All at once: a folder of the
    /// cache has a 256th of a scope's files.
    static func names(of path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// What a file's metadata says.
    struct Facts: Equatable {
        let bytes: Int
        let modified: Timestamp
        /// When the file was last changed, renamed, or had its mode changed.
        let changed: Timestamp
    }

    /// The facts about a regular file, links not followed; nil for anything else.
    static func facts(_ path: String) -> Facts? {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        return Facts(bytes: Int(status.st_size), modified: Timestamp(modified), changed: Timestamp(changed))
    }

    /// Removes a folder if it is empty; false where it is not, or cannot be removed.
    static func removeIfEmpty(_ path: String) -> Bool { rmdir(path) == 0 }
}

extension Timestamp {
    fileprivate init(_ time: timespec) {
        self.init(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
