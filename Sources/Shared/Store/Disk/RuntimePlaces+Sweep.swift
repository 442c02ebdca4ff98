import Libc
import Support

extension RuntimePlaces {
    /// How many names a run looks at that has no files past the cache itself: some 0.3 ms. One that has looks at all.
    private static let nameLimit = 2048

    /// Removes files past the cache whose lease has ended, and what killed runs have left of such. Called by every run
    /// of every tool; where there is no such folder, it costs a system call for each place. The process that has one of
    /// the files open keeps it. What cannot be removed is left to the next run.
    public func sweep(now: Timestamp = .now()) {
        for folder in bypass { Self.sweep(folder, now: now, nameLimit: Self.nameLimit) }
    }

    package static func sweep(_ path: String, now: Timestamp, nameLimit: Int = .max) {
        let descriptor = path.withPathPointer { open($0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), let stream = fdopendir(descriptor) else {
            close(descriptor)
            return
        }
        defer { closedir(stream) }
        var seen = 0
        while seen < nameLimit, let entry = readdir(stream) {
            seen += 1
            let name = String(nameIn: entry)
            guard let parts = BypassName(name),
                parts.end <= now || isDatedAhead(name, in: descriptor),
                parts.fileExtension != BypassName.partial || isAbandoned(name, in: descriptor)
            else { continue }
            name.withPathPointer { _ = unlinkat(descriptor, $0, 0) }
        }
    }

    /// Whether a file was written before the clock was set back, so that its lease could hold for years.
    private static func isDatedAhead(_ name: String, in folder: Int32) -> Bool {
        var status = stat()
        guard name.withPathPointer({ fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0 else { return false }
        return FileStatus(status).modified > .now() + Clock.tolerance
    }

    /// Whether nobody writes to a file any more.
    private static func isAbandoned(_ name: String, in folder: Int32) -> Bool {
        let descriptor = name.withPathPointer { openat(folder, $0, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) }
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
