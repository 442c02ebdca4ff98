#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import Support

extension ImageCache {
    /// Removes the previews of any scope whose lease is over, and gives how many. A preview has no row in the index: its
    /// lease begins when it was written. Costs a walk through the folder of partial downloads. What cannot be removed
    /// now is left to the next run.
    @discardableResult
    public func removeOldPreviews() -> Int {
        let folder = "\(root)/partial"
        guard let listing = opendir(folder) else { return 0 }
        defer { closedir(listing) }
        let now = clock.now()
        var count = 0
        while let found = readdir(listing) {
            let name = withUnsafePointer(to: &found.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name.contains(ArrivingBody.previewMark), let written = Self.timeOfChange("\(folder)/\(name)"),
                lease.end(from: written) <= now
            else { continue }
            if unlink("\(folder)/\(name)") == 0 { count += 1 }
        }
        return count
    }

    private static func timeOfChange(_ path: String) -> Timestamp? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
    }
}
