import Support

/// The place of the next MCU in a scan's data: over regions and restarts, up to where data is missing (ITU-T T.81 E.2.4,
/// F.2.1.3.1).
final class ScanCursor {
    private let queue: RegionQueue
    /// MCUs between restarts; 0 for none.
    let restartInterval: Int
    private let allowsTruncated: Bool
    /// The next MCU's first bit in the region.
    var position = 0
    /// MCUs that have come.
    private(set) var count = 0
    /// Whether data was missing.
    private(set) var isTruncated = false
    /// Whether what is left up to the next restart is missing.
    private(set) var isMissing = false
    private var current: ScanRegion?
    private var nextRegion = 0
    /// Whether the restart before the next MCU has been passed.
    private var hasPassedRestart = true
    /// Whether that restart is lost, and a later one was found at `position`: the data behind it is not the next MCU's.
    private(set) var isBeforeMarker = false
    /// Where a restart was passed last, and how many of the markers that stand there are behind it. Several can stand at
    /// one place: where an interval has lost all of its data, and where something that is no marker was skipped.
    private var passed = (position: -1, markers: 0)

    init(_ queue: RegionQueue, restartInterval: Int, allowsTruncated: Bool) {
        self.queue = queue
        self.restartInterval = restartInterval
        self.allowsTruncated = allowsTruncated
    }

    /// MCUs since the last restart.
    var sinceRestart: Int { restartInterval > 0 ? count % restartInterval : 0 }

    /// MCUs up to the next restart.
    var untilRestart: Int { restartInterval > 0 ? restartInterval - sinceRestart : .max }

    /// The region that the next MCU is in, and whether a restart has been passed on the way. Throws what the source
    /// throws, and for a restart that is not there.
    func settle() throws -> (region: ScanRegion, hasRestarted: Bool) {
        var hasRestarted = false
        while true {
            let region = try region()
            if position >= region.count * 8, !region.isLast {
                advance(region)
            } else if hasPassedRestart {
                return (region, hasRestarted)
            } else if try passRestart(region) {
                hasRestarted = true
            } else {
                advance(region)
            }
        }
    }

    /// Counts MCUs that have come.
    ///
    /// - Parameter isBehindRestart: whether `position` is already behind the restart that may follow.
    func count(_ mcus: Int, isBehindRestart: Bool = false) {
        count += mcus
        if sinceRestart == 0, restartInterval > 0 { hasPassedRestart = isBehindRestart }
    }

    /// Where the data of the next MCU ends at the latest, if that is in sight.
    func dataEnd(_ region: ScanRegion) -> ScanRegion.End? {
        let ends = region.ends.drop { $0.offset * 8 < position }
        // Where a restart has just been passed, its marker is among the first ones.
        let isBehindMarker = count > 0 && restartInterval > 0 && sinceRestart == 0 && !isBeforeMarker
        return isBehindMarker ? ends.dropFirst(position == passed.position ? passed.markers : 1).first : ends.first
    }

    /// Notes that the data ends within the next MCU, and gives its bytes with zeros behind them: libjpeg decodes it as
    /// if they followed. Throws unless a picture that ends too early is allowed.
    func endData(_ region: ScanRegion, _ end: ScanRegion.End) throws -> (bytes: AlignedBuffer, position: Int) {
        if !allowsTruncated {
            guard end.marker != 0 else { throw JPEGError.truncated }
            throw JPEGError.corrupt("Corrupt JPEG data: premature end of data segment")
        }
        isTruncated = true
        isMissing = true
        let first = position / 8
        let rest = AlignedBuffer(count: end.offset - first + 2 * MCUDecoder.longestMCU)
        rest.bytes.update(from: region.bytes + first, count: end.offset - first)
        defer { position = end.offset * 8 }
        return (rest, position % 8)
    }

    /// Where the marker behind the data lies; nil if the file ends there. Throws if another picture begins there.
    func markerOffset() throws -> Int? {
        while true {
            let region = try region()
            if region.isLast {
                if region.ends.last?.marker == 0xD8 { throw JPEGError.corrupt("two SOI markers") }
                return queue.markerOffset
            }
            advance(region)
        }
    }

    private func region() throws -> ScanRegion {
        if let current { return current }
        let region = try queue.region(nextRegion)
        current = region
        nextRegion += 1
        return region
    }

    private func advance(_ region: ScanRegion) {
        position = max(position - region.count * 8, 0)
        passed.position -= region.count * 8
        queue.free(region)
        current = nil
    }

    /// Goes to what follows the next restart marker, which has to be the right one. False if it is not in this region.
    private func passRestart(_ region: ScanRegion) throws -> Bool {
        let expected = UInt8(0xD0 + (count / restartInterval - 1) % 8)
        let ends = region.ends.drop { $0.offset * 8 < position }.dropFirst(
            position == passed.position ? passed.markers : 0)
        for (index, end) in zip(ends.indices, ends) where region.isLast || end.offset < region.count {
            if !end.isRestart || end.marker != expected { try noteWrongRestart(end, expected) }
            // How many restarts it is ahead, if it is one; what follows is libjpeg's way to find into step again.
            let ahead = end.isRestart ? (end.marker &- expected) & 7 : 1
            if ahead >= 6 || 1..<0xC0 ~= end.marker { continue }
            // The one that is expected, or too far away from it; else one of the next, before which data is missing.
            isBeforeMarker = ahead == 1 || ahead == 2
            position = end.offset * 8
            if !isBeforeMarker {
                isMissing = false
                passed = (position, region.ends[...index].count { $0.offset == end.offset })
            }
            hasPassedRestart = true
            return true
        }
        return false
    }

    /// Throws unless it is known already that data is missing, or that is allowed.
    private func noteWrongRestart(_ end: ScanRegion.End, _ expected: UInt8) throws {
        if isTruncated { return }
        if end.marker == 0, !allowsTruncated { throw JPEGError.truncated }
        guard end.marker == 0 else {
            let hex = String(end.marker, radix: 16)
            throw JPEGError.corrupt("Corrupt JPEG data: found marker 0x\(hex) instead of RST\(expected - 0xD0)")
        }
        isTruncated = true
    }
}
