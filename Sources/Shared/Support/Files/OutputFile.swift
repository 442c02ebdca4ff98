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
    /// The name under which the file is written, and its final one; nil if it is written in place.
    private let names: (temporary: String, final: String)?
    private var isCommitted = false
    /// The temporary files of this process that are neither committed nor removed.
    private static let begun = Monitor(Set<String>())

    /// Removes all temporary files of this process, for when it ends without letting their owners do that.
    static func removeBegun() {
        for path in begun.withLock({ $0 }) { path.withPathPointer { _ = unlink($0) } }
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
                names = nil
                return
            }
            // Random, so that two runs at once do not meet; exclusive, so that no existing file is overwritten.
            let name = ".apod-tools-\(String(UInt64.random(in: 0...UInt64.max), radix: 36)).part"
            let temporary = target.folder + name
            file = try File.open(temporary, O_WRONLY | O_CREAT | O_EXCL, mode: target.initialMode)
            Self.begun.withLock { _ = $0.insert(temporary) }
            names = (temporary, target.path)
            target.replaced?.passOn(to: file)
        } catch let error as SystemFailure {
            throw SystemFailure(
                errno: error.errno, "create \(path)", purpose: .makeOutput, isConfined: error.isConfined)
        }
    }

    deinit {
        guard let names else { return }
        if !isCommitted { names.temporary.withPathPointer { _ = unlink($0) } }
        Self.begun.withLock { _ = $0.remove(names.temporary) }
    }

    /// Writes the next bytes. Throws `SystemFailure`.
    public func write(_ bytes: RawSpan) throws {
        do {
            try file.write(bytes)
        } catch {
            throw SystemFailure(errno: error.errno, "write \(path)")
        }
    }

    /// Moves the file to its place, replacing an older one. With `synchronized`, returns only when the bytes and the
    /// new name are on the disk, so that a power cut leaves either the old file or the whole new one, and after the
    /// return the new one. Throws `SystemFailure`.
    public func commit(synchronized: Bool = false) throws {
        guard let names else { return }
        if synchronized { try file.synchronize() }
        let result = names.temporary.withPathPointer { old in names.final.withPathPointer { rename(old, $0) } }
        guard result == 0 else {
            throw SystemFailure(errno: errno, "create \(path)", purpose: .makeOutput)
        }
        isCommitted = true
        if synchronized { try File.synchronizeFolder(of: names.final) }
    }
}
