import Support

/// The position of the next MCU in a scan's data. Moves across regions, restart markers and missing data (ITU-T T.81
/// E.2.4, F.2.1.3.1).
final class ScanCursor {
    private let queue: RegionQueue
    /// In MCUs; 0 for no restarts.
    let restartInterval: Int
    private let allowsTruncated: Bool
    /// The first bit of the next MCU, counted from the start of the region.
    var position = 0
    /// The number of MCUs so far, including missing MCUs.
    private(set) var count = 0
    private(set) var isTruncated = false
    /// Whether the data up to the next restart is missing.
    private(set) var isMissing = false
    private var current: ScanRegion?
    private var nextRegion = 0
    /// Whether the restart marker before the next MCU has been passed.
    private var hasPassedRestart = true
    /// Whether the restart marker before the next MCU is missing, and a later restart marker is at `position`. The data
    /// after that marker belongs to a later MCU.
    private(set) var isBeforeMarker = false
    /// The position of the last restart marker that was passed, and the number of markers at that position. Several
    /// markers share a position if an interval has lost all its data, or if invalid markers were skipped.
    private var passed = (position: -1, markers: 0)

    init(_ queue: RegionQueue, restartInterval: Int, allowsTruncated: Bool) {
        self.queue = queue
        self.restartInterval = restartInterval
        self.allowsTruncated = allowsTruncated
    }

    var sinceRestart: Int { restartInterval > 0 ? count % restartInterval : 0 }

    var untilRestart: Int { restartInterval > 0 ? restartInterval - sinceRestart : .max }

    /// Moves to the region of the next MCU, and past a restart marker before it. Throws the errors of the source, and
    /// `JPEGError` if a restart marker is missing.
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

    /// Counts decoded or missing MCUs.
    ///
    /// - Parameter isBehindRestart: whether `position` is already after a restart marker that follows these MCUs.
    func count(_ mcus: Int, isBehindRestart: Bool = false) {
        count += mcus
        if sinceRestart == 0, restartInterval > 0 { hasPassedRestart = isBehindRestart }
    }

    /// Returns the marker or the end of the file that the next MCU must not cross, or nil if the region contains
    /// neither.
    func dataEnd(_ region: ScanRegion) -> ScanRegion.End? {
        let ends = region.ends.drop { $0.offset * 8 < position }
        // Right after a restart, `ends` still begins with the markers that were passed.
        let isBehindMarker = count > 0 && restartInterval > 0 && sinceRestart == 0 && !isBeforeMarker
        return isBehindMarker ? ends.dropFirst(position == passed.position ? passed.markers : 1).first : ends.first
    }

    /// Records that the data ends within the next MCU. Like libjpeg, completes the bytes of that MCU with zeros, and
    /// returns them. Throws unless truncated pictures are allowed.
    func endData(_ region: ScanRegion, _ end: ScanRegion.End) throws -> (bytes: AlignedBuffer, position: Int) {
        if !allowsTruncated {
            guard end.marker != 0 else { throw JPEGError.truncated }
            throw JPEGError.corrupt("premature end of data segment")
        }
        isTruncated = true
        isMissing = true
        let first = position / 8
        let rest = AlignedBuffer(count: end.offset - first + 2 * MCUDecoder.longestMCU)
        rest.bytes.update(from: region.bytes + first, count: end.offset - first)
        defer { position = end.offset * 8 }
        return (rest, position % 8)
    }

    /// Returns the file offset of the marker after the data, or nil if the file ends there. Throws if the marker starts
    /// another picture.
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

    /// Moves past the next restart marker. Throws for a marker with an unexpected number, unless missing data is
    /// allowed. Returns false if the region contains no usable marker.
    private func passRestart(_ region: ScanRegion) throws -> Bool {
        let expected = UInt8(0xD0 + (count / restartInterval - 1) % 8)
        let ends = region.ends.drop { $0.offset * 8 < position }.dropFirst(
            position == passed.position ? passed.markers : 0)
        for (index, end) in zip(ends.indices, ends) where region.isLast || end.offset < region.count {
            if !end.isRestart || end.marker != expected { try noteWrongRestart(end, expected) }
            // The number of restarts between the expected marker and this marker. The rules below follow libjpeg's
            // `jpeg_resync_to_restart`.
            let ahead = end.isRestart ? (end.marker &- expected) & 7 : 1
            if ahead >= 6 || 1..<0xC0 ~= end.marker { continue }
            // Accepts the expected marker, and a marker three to five ahead. If the marker is one or two ahead, the
            // data before it is missing.
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

    /// Records missing data. Throws unless missing data is allowed or already recorded.
    private func noteWrongRestart(_ end: ScanRegion.End, _ expected: UInt8) throws {
        if isTruncated { return }
        if end.marker == 0, !allowsTruncated { throw JPEGError.truncated }
        guard end.marker == 0 else {
            let hex = String(end.marker, radix: 16)
            throw JPEGError.corrupt("found marker 0x\(hex) instead of RST\(expected - 0xD0)")
        }
        isTruncated = true
    }
}
