import Libc
import Support

/// Limits the memory that all processes of this user use together for caches in memory, their indexes, and ephemeral
/// files in memory.
///
/// The total size of these files is stored in a file, the ledger. A process locks the ledger while it extends any of
/// the files, so that the total is correct. Writers only increase the total. The total is measured again, which takes a
/// few microseconds per file, when it reaches the limit or is a second old. Processes that remove files therefore need
/// not update the total, and a killed process leaves nothing to correct.
///
/// All methods are thread-safe.
package final class MemoryUse: Sendable {
    /// The memory limit in bytes.
    let limit: Int
    private let places: RuntimePlaces
    private let clock: Clock
    private let ledger = Monitor<File?>(nil)

    /// The time after which the total is measured again, in milliseconds. Indexes, whose growth is not counted, grow by
    /// a few tens of kilobytes a second.
    private static let interval = 1000
    /// The space reserved for the indexes, whose writes are not limited: enough for a few concurrent transactions, but
    /// at most an eighth of the limit.
    private static let indexRoom = 128 << 10
    /// Within this distance of the limit, the total is measured for every write, because indexes may have grown.
    private static let margin = 128 << 10
    /// The maximum number of pauses in which other processes can finish. 20 pauses last 0.2 s, which is short compared
    /// with the download that would otherwise fail. While other processes are writing, there are up to 500 pauses (5 s),
    /// because writing is slow on a busy machine.
    private static let (mostPauses, mostPausesForWriters) = (20, 500)
    private static let pauseMicroseconds: useconds_t = 10_000
    /// The memory used by a file is a multiple of this size (tmpfs(5)).
    private static let page = 4096

    /// Makes no system call.
    package init(limit: Int, places: RuntimePlaces, clock: Clock) {
        self.limit = limit
        self.places = places
        self.clock = clock
    }

    /// Runs `write`, which extends a file from `old` to `new` bytes. If necessary, first removes unneeded files. Throws
    /// `CacheFailure.memoryFull` if there is not enough space, `SystemFailure`, and the errors of `write`.
    func grow(from old: Int, to new: Int, _ write: () throws -> Void) throws {
        let more = Self.pages(new) - Self.pages(old)
        var pauses = 0
        while true {
            if try take(more, write) { return }
            // Retry, because another process may take the freed space first. The loop ends, because each retry follows
            // a removal.
            if makeRoom(for: more) { continue }
            // Files that other processes are writing can be removed once they are complete.
            guard more <= limitOfFiles, pauses < Self.mostPausesForWriters,
                try pauses < Self.mostPauses || MemoryPlace.all(in: places).contains(where: { try $0.isBeingWritten })
            else { break }
            pauses += 1
            usleep(Self.pauseMicroseconds)
        }
        throw CacheFailure.memoryFull(limit: limit)
    }

    private var limitOfFiles: Int { limit - min(Self.indexRoom, limit / 8) }

    private static func pages(_ count: Int) -> Int {
        let (sum, overflow) = count.addingReportingOverflow(page - 1)
        return overflow ? count : sum / page * page
    }

    private func take(_ more: Int, _ write: () throws -> Void) throws -> Bool {
        try ledger.withLock { ledger throws in
            let file = try lock(&ledger)
            defer { flock(file.descriptor, LOCK_UN) }
            var sum = Sum(in: file)
            let now = Int(clamping: SteadyTime.now().milliseconds)
            func fits(below reserve: Int) -> Bool {
                let (total, overflow) = (sum?.bytes ?? limit).addingReportingOverflow(more)
                return !overflow && total <= limitOfFiles - min(reserve, limitOfFiles / 4)
            }
            let isRecent = sum.map { now - $0.measuredAt < Self.interval && now >= $0.measuredAt } ?? false
            if !isRecent || !fits(below: Self.margin) { sum = Sum(bytes: measured(), measuredAt: now) }
            guard more <= 0 || fits(below: 0) else { return false }
            sum?.bytes += more
            try sum?.write(to: file)
            try write()
            return true
        }
    }

    /// Locks the ledger. Opens the file again if it was removed.
    private func lock(_ ledger: inout File?) throws -> File {
        if let ledger, try ledger.lock(LOCK_EX), try ledger.isStillNamed() { return ledger }
        let folder = try places.ledgerFolder()
        ledger = try File.openLocked("\(folder)/use", LOCK_EX)
        if let ledger { return ledger }
        throw CacheFailure.io(
            detail: "the file \"use\", which records the total size of the files in memory, was replaced repeatedly",
            root: folder)
    }

    /// The contents of the ledger: the total size of all files in memory, and the time of the last measurement.
    private struct Sum {
        var bytes: Int
        /// Milliseconds of the monotonic clock. A reboot resets this clock and also clears the memory.
        let measuredAt: Int

        init(bytes: Int, measuredAt: Int) { (self.bytes, self.measuredAt) = (bytes, measuredAt) }

        /// Returns nil if the ledger is empty or was not written by `write`. The caller then measures the total.
        init?(in file: File) {
            guard let words = try? file.bytes(0..<64), let text = String(validating: words, as: UTF8.self) else {
                return nil
            }
            let numbers = text.split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 2, text.utf8.count == Self.width, numbers[0] >= 0 else { return nil }
            self.init(bytes: numbers[0], measuredAt: numbers[1])
        }

        private static let width = 40

        /// Pads the text to a fixed length, to overwrite the old contents completely.
        func write(to file: File) throws {
            let text = "\(bytes) \(measuredAt)"
            let line = Array((text + String(repeating: " ", count: Self.width - text.utf8.count)).utf8)
            guard pwrite(file.descriptor, line, line.count, 0) == line.count else {
                throw SystemFailure(errno: errno, "write \(file.path)")
            }
        }
    }

    /// Measures the current size of all files in memory.
    func measured() -> Int {
        var folders = places.memory
        folders += places.ephemeral.filter { path in
            (try? PrivateFolder.open(path, making: false)).map(PrivateFolder.isInMemory) ?? false
        }
        return folders.reduce(0) { $0 &+ Self.size(ofFolder: $1) }
    }

    /// Returns the size of the files in a folder, recursively, without following links.
    private static func size(ofFolder path: String) -> Int {
        ((try? Folder(resolved: path).names()) ?? []).reduce(0) { sum, name in
            let inner = "\(path)/\(name)"
            guard let status = try? FileStatus(at: inner, followingLinks: false) else { return sum }
            switch status.kind {
            case .file: return sum &+ status.allocated
            case .folder: return sum &+ size(ofFolder: inner)
            default: return sum
            }
        }
    }

    /// Removes expired ephemeral files, and evicts unleased, unpinned entries from the caches in memory, the least
    /// recently used first, until about `bytes` are free. Returns whether there is enough space or an entry was
    /// removed.
    private func makeRoom(for bytes: Int) -> Bool {
        guard bytes <= limitOfFiles else { return false }
        for folder in places.ephemeral { RuntimePlaces.sweep(folder, now: clock.now()) }
        var hasGone = false
        // Unused places first, because they can be removed completely.
        let all = (try? MemoryPlace.all(in: places)) ?? []
        for place in all.filter({ !$0.isOpen }) + all.filter(\.isOpen) {
            let excess = measured() - (limitOfFiles - bytes)
            if excess <= 0 { return true }
            if (try? place.makeRoom(for: excess, clock: clock)) == true { hasGone = true }
        }
        return hasGone || measured() <= limitOfFiles - bytes
    }
}
