import CSystem
import Libc

/// A file that is written beside its place and renamed when it is complete, so that nothing changes on failure.
///
/// A file that is not committed is removed when the last reference goes.
///
/// * A symbolic link stays: the file that it leads to is replaced, or made if it is missing.
/// * A file that is replaced passes on its mode, and its owner and group if the process may set them; one that the
///   process may not write is not replaced. A new file has the mode that the umask gives.
/// * Another hard link to a file that is replaced keeps the old content.
/// * A pipe, a device, and a file that `/dev/stdout` or the like leads to are written to as they stand.
public final class OutputFile: ByteSink {
    public let path: String
    private let file: File
    /// Where it goes; nil if it is written in place.
    private let place: Place?
    private var isCommitted = false
    /// The temporary files of this process that are neither committed nor removed.
    private static let begun = Monitor(Set<String>())

    private struct Place {
        /// What the names are relative to; nil if they are paths.
        var folder: Folder?
        /// The name under which the file is written; nil if it has none before it is committed.
        var temporary: String?
        var final: String
        /// Whether the file may take the place of another one.
        var replaces = true

        var temporaryPath: String? { temporary.map { folder?.path(of: $0) ?? $0 } }
    }

    /// Removes all temporary files of this process, for when it ends without letting their owners do that.
    static func removeBegun() {
        for path in begun.withLock({ $0 }) { path.withPathPointer { _ = unlink($0) } }
    }

    /// Random, so that two runs at once do not meet.
    static func temporaryName() -> String {
        ".apod-tools-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
    }

    /// Whether a name is that of a file that is being written, or was when its process was killed.
    public static func isTemporary(_ name: String) -> Bool {
        name.hasPrefix(".apod-tools-") && name.hasSuffix(".part")
    }

    /// Begins a file at `path`. Throws `SystemFailure` (status 73) if the file or its folder cannot be written, or if a
    /// folder has that name.
    public init(path: String) throws {
        self.path = path
        do {
            let target = try OutputTarget(path)
            if target.isStream {
                // Appending, since a shell's `>>` may have put something there.
                file = try File.open(target.path, O_WRONLY | O_APPEND)
                place = nil
                return
            }
            // Exclusive, so that no existing file is overwritten.
            let temporary = target.folder + Self.temporaryName()
            file = try File.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: target.initialMode)
            Self.begun.withLock { _ = $0.insert(temporary) }
            place = Place(temporary: temporary, final: target.path)
            target.replaced?.passOn(to: file)
        } catch let error as SystemFailure {
            throw SystemFailure(
                errno: error.errno, "create \(path)", purpose: .makeOutput, isConfined: error.isConfined)
        }
    }

    /// Begins a file in an open folder, which nothing leads out of. Throws `SystemFailure` (status 73) as the other
    /// initialiser does, and also if there is anything but a file of that name, and `UnsafePlace.link` if there is a
    /// link.
    ///
    /// - Parameters:
    ///   - name: the file's own, without a slash.
    ///   - replaces: false to fail with `EEXIST` if there is a file of that name, now or when the new one is committed.
    ///     A run that is killed then leaves nothing behind where the file system has files without a name.
    public init(in folder: Folder, name: String, replaces: Bool) throws {
        path = folder.path(of: name)
        do {
            let old = try folder.status(of: name)
            switch old?.kind {
            case .link: throw UnsafePlace.link(path)
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
            old?.passOn(to: file)
        } catch let error as SystemFailure {
            throw SystemFailure(
                errno: error.errno, "create \(path)", purpose: .makeOutput, isConfined: error.isConfined)
        }
    }

    deinit {
        guard let path = place?.temporaryPath else { return }
        if !isCommitted { path.withPathPointer { _ = unlink($0) } }
        Self.begun.withLock { _ = $0.remove(path) }
    }

    /// Makes it a copy of a file on a disk, from its beginning on: one that shares the other's blocks where the file
    /// system can do that, so that it takes no time and no room until one of them changes. To be called before anything
    /// is written. Throws `SystemFailure`.
    public func copy(_ source: File) throws {
        if csystem_copy(source.descriptor, file.descriptor) { return }
        // Elsewhere in the kernel, or not at all: whatever has been copied is written again.
        guard ftruncate(file.descriptor, 0) == 0, lseek(file.descriptor, 0, SEEK_SET) == 0 else {
            throw SystemFailure(errno: errno, "write \(path)")
        }
        var piece = [UInt8](repeating: 0, count: 256 << 10)
        var offset = 0
        while case let count = try piece.withUnsafeMutableBytes({ try source.read(into: $0, at: offset) }), count > 0 {
            try piece.withUnsafeBytes { try write(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            offset += count
        }
    }

    /// Writes the next bytes. Throws `SystemFailure`.
    public func write(_ bytes: RawSpan) throws {
        do {
            try file.write(bytes)
        } catch {
            throw SystemFailure(errno: error.errno, "write \(path)")
        }
    }

    /// Moves the file to its place, replacing an older one if it may. With `synchronized`, returns only when the bytes
    /// and the new name are on the disk, so that a power cut leaves either the old file or the whole new one, and after
    /// the return the new one. Throws `SystemFailure`.
    public func commit(synchronized: Bool = false) throws {
        guard let place else { return }
        if synchronized { try file.synchronize() }
        if let folder = place.folder {
            do {
                try put(place, in: folder)
            } catch let error as SystemFailure {
                throw SystemFailure(errno: error.errno, "create \(path)", purpose: .makeOutput)
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
