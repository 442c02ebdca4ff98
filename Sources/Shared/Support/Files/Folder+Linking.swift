import CSystem
import Libc

/// Creates files that get their names only when they are complete, and never replace another file.
extension Folder {
    /// Returns whether the process may write to a file; sets `errno` if not.
    func mayWrite(_ name: String) -> Bool { withParent(of: name) { faccessat($0, $1, W_OK, AT_EACCESS) } == 0 }

    /// Creates a file without a name in this folder (O_TMPFILE). It is deleted on close unless `link` names it. Returns
    /// nil if the system or the file system does not support this, or without `/proc`, which `link` needs.
    func unnamedFile(mode: mode_t) -> File? {
        guard (try? File.exists("/proc/self/fd")) == true else { return nil }
        let opened = csystem_open_unnamed(descriptor, UInt32(mode))
        return opened < 0 ? nil : try? File(descriptor: opened, path: path)
    }

    /// Names a file that `unnamedFile` created. Throws `SystemFailure`, with `EEXIST` if the name is taken.
    func link(_ file: File, to name: String) throws {
        let result = withParent(of: name) { csystem_name_file(file.descriptor, $0, $1) }
        if result != 0 { throw failure(toPlace: name) }
    }

    /// Creates a hard link, or renames the file if the file system has no hard links. Throws `SystemFailure`, with
    /// `EEXIST` if the name is taken.
    func link(_ name: String, to other: String) throws {
        if try hardLink(name, to: other) { return }
        guard try status(of: other) == nil else { throw failure(toPlace: other, EEXIST) }
        try rename(name, to: other)
    }

    /// Creates a hard link. Returns false if the file system has no hard links. Throws `SystemFailure`, with `EEXIST`
    /// if the name is taken.
    package func hardLink(_ name: String, to other: String) throws -> Bool {
        let result = withParent(of: name) { from, last in
            withParent(of: other) { to, otherLast in linkat(from, last, to, otherLast, 0) }
        }
        if result == 0 { return true }
        let failure = failure(toPlace: other)
        if [EPERM, ENOTSUP, EMLINK, ENOSYS].contains(failure.errno) { return false }
        throw failure
    }

    /// Atomically creates a file with mode 0600 and waits until it is on the disk. Keeps an existing file.
    package func makeOnce(_ name: String, _ bytes: [UInt8]) throws {
        let temporary = OutputFile.temporaryName()
        let file = try open(temporary, O_WRONLY | O_CREAT | O_EXCL, purpose: .makeOutput)
        defer { remove(temporary) }
        try file.write(bytes)
        try file.synchronize()
        do {
            try link(temporary, to: name)
        } catch let failure as SystemFailure where failure.errno == EEXIST {
            return
        }
        try synchronize()
    }

    private func failure(toPlace name: String, _ code: Int32 = errno) -> SystemFailure {
        SystemFailure(errno: code, "create \(path(of: name))", purpose: .makeOutput)
    }
}
