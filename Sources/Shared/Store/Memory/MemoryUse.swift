import Libc
import Support

/// What everything in memory takes together, of all processes of this user, and the most that it may: the caches there
/// with their indexes, and files past the cache if they lie in memory too.
///
/// A file holds the sum, and a lock on it is held while bytes are written, so that what is counted is what is there. The
/// sum only grows; it is measured anew, which takes some microseconds a file, as soon as it reaches the limit or is a
/// second old. So nobody who removes a file must tell, and a process that is killed leaves nothing to put right but
/// what it has written.
///
/// All calls may come from any number of threads.
package final class MemoryUse: Sendable {
    /// Bytes.
    let limit: Int
    private let places: RuntimePlaces
    private let clock: Clock
    private let ledger = Monitor<File?>(nil)

    /// How long a measured sum is good for. Indexes grow without being counted, by some tens of kilobytes a second.
    private static let interval = 1000
    /// Kept free of files for the indexes, which write without asking: some transactions of several processes at once,
    /// or an eighth of a small limit.
    private static let indexRoom = 128 << 10
    /// How much below that every sum is measured anew: what indexes may have grown since.
    private static let margin = 128 << 10
    /// How often, and how long each time, others are given a moment to finish: 0.2 s in all, little beside a download
    /// that would fail for nothing; but 5 s while it is seen that somebody writes, as on a busy machine.
    private static let (mostPauses, mostPausesForWriters) = (20, 500)
    private static let pauseMicroseconds: useconds_t = 10_000
    /// What a file in memory takes is a multiple of this (tmpfs(5)).
    private static let page = 4096

    /// Looks at nothing yet.
    package init(limit: Int, places: RuntimePlaces, clock: Clock) {
        self.limit = limit
        self.places = places
        self.clock = clock
    }

    /// Runs `write`, which makes a file grow from `old` to `new` bytes. If there is no room for that, removes first what
    /// nobody needs any more. Throws `CacheFailure.memoryFull` if that is not enough, what `write` throws, and
    /// `SystemFailure`.
    func grow(from old: Int, to new: Int, _ write: () throws -> Void) throws {
        let more = Self.pages(new) - Self.pages(old)
        var pauses = 0
        while true {
            if try take(more, write) { return }
            // Others may take the room that was made: each time, something must have gone for it.
            if makeRoom(for: more) { continue }
            // What others are writing can go once it is whole, which takes them a moment.
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

    /// Runs `write` if `more` bytes fit; false if they do not.
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

    /// The file with the sum, locked; opened anew if it was removed under a running tool.
    private func lock(_ ledger: inout File?) throws -> File {
        for _ in 0..<LockTable.attempts {
            let file: File
            if let ledger, try ledger.isStillNamed() {
                file = ledger
            } else {
                file = try File.open(
                    places.ledgerFolder() + "/use", O_RDWR | O_CREAT | O_NOFOLLOW, purpose: .makeOutput)
                ledger = file
            }
            while flock(file.descriptor, LOCK_EX) != 0 {
                if errno != EINTR { throw SystemFailure(errno: errno, "lock \(file.path)") }
            }
            if try file.isStillNamed() { return file }
            ledger = nil
        }
        throw CacheFailure.io(
            detail: "the file of its use is replaced again and again", root: try places.ledgerFolder())
    }

    /// What the ledger says. Anything but what `write` has written there counts as nothing, and is measured.
    private struct Sum {
        var bytes: Int
        /// Milliseconds of the machine's steady clock, which begins anew when memory does.
        let measuredAt: Int

        init(bytes: Int, measuredAt: Int) { (self.bytes, self.measuredAt) = (bytes, measuredAt) }

        init?(in file: File) {
            guard let words = try? file.bytes(0..<64), let text = String(validating: words, as: UTF8.self) else {
                return nil
            }
            let numbers = text.split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 2, text.utf8.count == Self.width, numbers[0] >= 0 else { return nil }
            self.init(bytes: numbers[0], measuredAt: numbers[1])
        }

        private static let width = 40

        /// Always as long, so that it replaces what is there.
        func write(to file: File) throws {
            let text = "\(bytes) \(measuredAt)"
            let line = Array((text + String(repeating: " ", count: Self.width - text.utf8.count)).utf8)
            guard pwrite(file.descriptor, line, line.count, 0) == line.count else {
                throw SystemFailure(errno: errno, "write \(file.path)")
            }
        }
    }

    /// What all files in memory take at this moment.
    func measured() -> Int {
        var folders = places.memory
        folders += places.bypass.filter { path in
            (try? PrivateFolder.open(path, making: false)).map(PrivateFolder.isInMemory) ?? false
        }
        return folders.reduce(0) { $0 &+ Self.size(ofFolder: $1, in: AT_FDCWD) }
    }

    /// What the files in a folder take, at any depth, links not followed.
    private static func size(ofFolder name: String, in above: Int32) -> Int {
        let descriptor = name.withPathPointer { openat(above, $0, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) }
        guard descriptor >= 0 else { return 0 }
        guard let stream = fdopendir(descriptor) else {
            close(descriptor)
            return 0
        }
        defer { closedir(stream) }
        var sum = 0
        while let entry = readdir(stream) {
            let name = String(nameIn: entry)
            var status = stat()
            guard name != ".", name != "..",
                name.withPathPointer({ fstatat(descriptor, $0, &status, AT_SYMLINK_NOFOLLOW) }) == 0
            else { continue }
            switch status.st_mode & S_IFMT {
            // In units of 512 bytes (stat(2)).
            case S_IFREG: sum &+= Int(status.st_blocks) &* 512
            case S_IFDIR: sum &+= size(ofFolder: name, in: descriptor)
            default: break
            }
        }
        return sum
    }

    /// Removes files past the cache whose lease is over, and of the caches in memory the entries least recently used
    /// that are neither leased nor pinned, until about so many bytes are free. What cannot be removed now stays.
    ///
    /// - Returns: whether it makes sense to try again: there is room, or something has gone.
    private func makeRoom(for bytes: Int) -> Bool {
        guard bytes <= limitOfFiles else { return false }
        for folder in places.bypass { RuntimePlaces.sweep(folder, now: clock.now()) }
        var hasGone = false
        // Those that nobody has open first: they may go altogether.
        let all = (try? MemoryPlace.all(in: places)) ?? []
        for place in all.filter({ !$0.isOpen }) + all.filter(\.isOpen) {
            let excess = measured() - (limitOfFiles - bytes)
            if excess <= 0 { return true }
            if (try? place.makeRoom(for: excess, clock: clock)) == true { hasGone = true }
        }
        return hasGone || measured() <= limitOfFiles - bytes
    }
}
