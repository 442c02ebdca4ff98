import Libc
import Support

/// The leases of a root, recorded without a lock, so that a reader never waits for a process that writes the index.
///
/// `leases/` has a file per end time. A lease sets a byte in that file, chosen by a hash of the entry's path. Any
/// number of processes may set bytes concurrently. No byte is ever cleared; the file is deleted after its end time. If
/// two paths share a byte, a lease of either path protects both.
///
/// A reader first records the lease and then checks the entry's row again. A process that removes an entry first
/// deletes its row, and then checks for leases before it deletes the file. Therefore at least one of the two processes
/// notices the other.
final class LeaseTable: Sendable {
    private let open = Monitor<(period: LeasePeriod, file: File)?>(nil)

    /// The size of a file in bytes. The file is sparse. If a period has 10,000 leases, 1 in 100 unleased entries shares
    /// a byte with a leased entry and is kept longer than necessary.
    private static let slots: Int64 = 1 << 20

    fileprivate static func slot(of place: String) -> off_t { off_t(LockTable.offset(of: place) % slots) }

    /// Records leases that end at the end of the period.
    func record(_ places: [String], until period: LeasePeriod, now: Timestamp, in root: CacheRoot) throws {
        let file = try open.withLock { open throws in
            if let open, open.period == period, try root.has(open.file, as: period.file) { return open.file }
            let file = try root.openToWrite(period.file, O_WRONLY)
            if file.count == 0 { removeEnded(now: now, in: root) }
            open = (period, file)
            return file
        }
        var mark: UInt8 = 1
        for place in places {
            while pwrite(file.descriptor, &mark, 1, Self.slot(of: place)) != 1 {
                if errno != EINTR { throw SystemFailure(errno: errno, "write \(file.path)") }
            }
        }
    }

    /// Returns the leases that have not ended. Throws `SystemFailure` if they cannot be read, because any entry may
    /// then be leased.
    func live(at now: Timestamp, in root: CacheRoot) throws -> LiveLeases {
        let periods = try periods(in: root).filter { $0.isLive(at: now) }
        let files = try periods.compactMap { period -> (LeasePeriod, File)? in
            do {
                return (period, try root.open(period.file, O_RDONLY))
            } catch let failure as SystemFailure where failure.isMissing {
                // Another process has deleted the file of an ended period.
                return nil
            }
        }
        return LiveLeases(files: files)
    }

    func removeEnded(now: Timestamp, in root: CacheRoot) {
        for period in (try? periods(in: root)) ?? [] where !period.isLive(at: now) { root.remove(period.file) }
    }

    private func periods(in root: CacheRoot) throws -> [LeasePeriod] {
        do {
            return try root.folder()?.folder(CacheRoot.leases).names().compactMap(LeasePeriod.init(fileName:)) ?? []
        } catch let failure as SystemFailure where failure.isMissing {
            return []
        }
    }
}

struct LiveLeases {
    fileprivate let files: [(period: LeasePeriod, file: File)]

    /// Returns the latest end of the path's leases, or nil if the path has no lease.
    func end(of place: String) throws -> Timestamp? {
        let slot = LeaseTable.slot(of: place)
        var end: Timestamp?
        for (period, file) in files {
            var byte: UInt8 = 0
            let count = try withUnsafeMutableBytes(of: &byte) { try file.read(into: $0, at: Int(slot)) }
            if count == 1, byte != 0 { end = max(end ?? period.end, period.end) }
        }
        return end
    }
}

/// The end time of a group of leases, and the value of `Lease.term` when they were recorded.
struct LeasePeriod: Equatable {
    let end: Timestamp
    let term: Duration

    /// The name of the file below the root.
    var file: String { "\(CacheRoot.leases)/\(end.milliseconds)-\(term.milliseconds)" }

    /// The period for leases recorded now.
    init(of lease: Lease, from now: Timestamp) { (end, term) = (lease.end(from: now), lease.term) }

    /// Parses the name of a file in `leases/`.
    init?(fileName: String) {
        let numbers = fileName.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
        guard numbers.count == 2, let end = numbers[0], let term = numbers[1], term >= 0 else { return nil }
        (self.end, self.term) = (Timestamp(milliseconds: end), .milliseconds(term))
    }

    /// Whether the leases are in force. Ignores leases that end later than a new lease would: they were recorded before
    /// the clock was set back, and could last for years.
    func isLive(at now: Timestamp) -> Bool {
        now < end && end <= now + term + Lease(term: term).step + Clock.tolerance
    }
}
