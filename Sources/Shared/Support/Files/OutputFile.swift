import CSystem
import Libc

/// A file that is written under a temporary name and renamed when complete, so that a failure leaves an existing file
/// unchanged. Releasing the last reference removes a file that was not committed. Methods throw `SystemFailure`.
///
/// * `init(path:)` follows a symbolic link: its target is replaced, or created if missing.
/// * A replacement gets the mode of the old file, and its owner and group if the process may set them. A file that the
///   process may not write is not replaced. A new file gets its mode from the umask.
/// * Other hard links to a replaced file keep the old content.
/// * With `init(path:)`, a pipe, a device, and the target of `/dev/stdout` and the like are written in place.
public final class OutputFile: ByteSink {
    public let path: String
    private let file: File
    /// The names before and after the commit; nil if the file is written in place.
    private let place: Place?
    private var isCommitted = false
    /// The paths of this process's uncommitted temporary files.
    private static let begun = Monitor(Set<String>())

    private struct Place {
        /// The folder that contains both names; nil if the names are paths.
        var folder: Folder?
        /// The name before the commit; nil for a file without a name.
        var temporary: String?
        var final: String
        /// Whether the file may replace another.
        var replaces = true

        var temporaryPath: String? { temporary.map { folder?.path(of: $0) ?? $0 } }
    }

    /// Removes the temporary files of this process before a signal ends it, since deinitialisers do not run then.
    static func removeBegun() {
        for path in begun.withLock({ $0 }) { path.withPathPointer { _ = unlink($0) } }
    }

    public static func temporaryName() -> String {
        ".apod-tools-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
    }

    /// Whether a name belongs to a temporary file, perhaps of a killed process.
    public static func isTemporary(_ name: String) -> Bool { name.hasPrefix(".apod-tools-") && name.hasSuffix(".part") }

    /// Throws `SystemFailure` (status 73) if the file or its folder is not writable, or if `path` is a folder.
    public init(path: String) throws {
        self.path = path
        do {
            let target = try OutputTarget(path)
            if target.isStream {
                // Appends, since `/dev/stdout` may be a file that a shell opened with `>>`.
                file = try File.open(target.path, O_WRONLY | O_APPEND)
                place = nil
                return
            }
            // O_EXCL: never overwrite an existing file.
            let temporary = target.folder + Self.temporaryName()
            file = try File.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: target.initialMode)
            Self.begun.withLock { _ = $0.insert(temporary) }
            place = Place(temporary: temporary, final: target.path)
            target.replaced?.copyOwnership(to: file)
        } catch let error as SystemFailure {
            throw Self.failure(error, path)
        }
    }

    private static func failure(_ error: SystemFailure, _ path: String) -> SystemFailure {
        SystemFailure(errno: error.errno, "create \(path)", purpose: .makeOutput, isConfined: error.isConfined)
    }

    /// Begins a file in an open folder. Throws `SystemFailure` (status 73) like the other initialiser, and also if
    /// `name` is not a regular file; `UnsafePath.link` if it is a link.
    ///
    /// - Parameters:
    ///   - name: without a slash.
    ///   - replaces: false to fail with `EEXIST` if the file exists now or at the commit. If the file system supports
    ///     it, the file then has no name until the commit, so that a killed run leaves nothing behind.
    public init(in folder: Folder, name: String, replaces: Bool) throws {
        path = folder.path(of: name)
        do {
            let old = try folder.status(of: name)
            switch old?.kind {
            case .link: throw UnsafePath.link(path)
            case .folder: throw SystemFailure(errno: EISDIR, "")
            case .file where replaces && !folder.mayWrite(name): throw SystemFailure(errno: errno, "")
            case .file where replaces, nil: break
            default: throw SystemFailure(errno: EEXIST, "")
            }
            if !replaces, let unnamed = folder.unnamedFile(mode: 0o666) {
                file = unnamed
                place = Place(folder: folder, temporary: nil, final: name, replaces: false)
                return
            }
            let temporary = Self.temporaryName()
            file = try folder.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: old == nil ? 0o666 : 0o600)
            Self.begun.withLock { _ = $0.insert(folder.path(of: temporary)) }
            place = Place(folder: folder, temporary: temporary, final: name, replaces: replaces)
            old?.copyOwnership(to: file)
        } catch let error as SystemFailure {
            throw Self.failure(error, path)
        }
    }

    deinit {
        guard let path = place?.temporaryPath else { return }
        if !isCommitted { path.withPathPointer { _ = unlink($0) } }
        Self.begun.withLock { _ = $0.remove(path) }
    }

    /// Copies a whole file. If the file system supports it, both files share their blocks, and the copy takes no time
    /// and no space until one of the files changes. Call it before writing anything.
    public func copy(_ source: File) throws {
        if csystem_copy(source.descriptor, file.descriptor) { return }
        // `csystem_copy` may have copied a part before it failed, so start over.
        try file.truncate(to: 0)
        try source.copy(to: self)
    }

    public func write(_ bytes: RawSpan) throws {
        do {
            try file.write(bytes)
        } catch {
            throw SystemFailure(errno: error.errno, "write \(path)")
        }
    }

    /// Renames the file to its final name, replacing an older file if that is allowed.
    ///
    /// - Parameter synchronized: whether to wait until the content and the name are on the disk. A power failure during
    ///   the call then leaves the old or the complete new file; after the call, the new file.
    public func commit(synchronized: Bool = false) throws {
        guard let place else { return }
        if synchronized { try file.synchronize() }
        if let folder = place.folder {
            do {
                try put(place, in: folder)
            } catch let error as SystemFailure {
                throw Self.failure(error, path)
            }
        } else {
            let result = (place.temporary ?? "").withPathPointer { old in
                place.final.withPathPointer { rename(old, $0) }
            }
            guard result == 0 else { throw SystemFailure(errno: errno, "create \(path)", purpose: .makeOutput) }
        }
        isCommitted = true
        guard synchronized else { return }
        if let folder = place.folder { try folder.synchronize() } else { try File.synchronizeFolder(of: place.final) }
    }

    private func put(_ place: Place, in folder: Folder) throws {
        guard let temporary = place.temporary else { return try folder.link(file, to: place.final) }
        if place.replaces { return try folder.rename(temporary, to: place.final) }
        try folder.link(temporary, to: place.final)
        folder.remove(temporary)
    }
}
