import Support

/// The regions of a scan: read in order, decoded by any free thread, and returned in order to the thread that joins
/// them.
final class RegionQueue: Sendable {
    private struct State {
        var bytes: ScanBytes
        var free: [ScanRegion]
        /// The regions that were read and not yet freed, by index, and whether they are decoded.
        var read: [Int: (region: ScanRegion, isDecoded: Bool)] = [:]
        /// The index of the next region to read.
        var next = 0
        var failure: (any Error)?
        var isAbandoned = false

        /// Reads the next region into a free `ScanRegion`. Returns nil if none is free, if the whole scan has been
        /// read, or if reading fails.
        mutating func readNext() -> ScanRegion? {
            guard failure == nil, !bytes.isAtEnd, let region = free.popLast() else { return nil }
            do {
                try bytes.read(into: region)
            } catch {
                failure = error
                free.append(region)
                return nil
            }
            read[next] = (region, false)
            next += 1
            return region
        }
    }

    private let state: Monitor<State>

    init(_ bytes: sending ScanBytes, regions: sending [ScanRegion]) {
        state = Monitor(State(bytes: bytes, free: regions))
    }

    /// The file offset of the marker after the data; known once the last region has been read.
    var markerOffset: Int? { state.withLock { $0.bytes.markerOffset } }

    /// Reads and decodes regions ahead, up to the last region. Waits while no `ScanRegion` is free. Runs on each helper
    /// thread.
    func decodeAhead() {
        while true {
            let region = state.wait { state -> ScanRegion?? in
                if state.isAbandoned || state.failure != nil || state.bytes.isAtEnd { return .some(nil) }
                return state.readNext().map { .some($0) }
            }
            guard let region else { break }
            decode(region)
        }
        // Wakes the thread that waits for a region, so it sees a failure.
        state.update { _ in }
    }

    /// Returns region `index`, which must follow the last freed region. The run of the region is empty if no thread
    /// decoded it ahead. While another thread decodes the region, this thread decodes later regions. Throws the errors
    /// of the source.
    func region(_ index: Int) throws -> ScanRegion {
        while true {
            enum Step {
                case take(ScanRegion)
                case decode(ScanRegion)
                case fail(any Error)
            }
            let step = state.wait { state -> Step? in
                if let (region, isDecoded) = state.read[index] {
                    if isDecoded { return .take(region) }
                    return state.readNext().map { .decode($0) }
                }
                if let region = state.readNext() {
                    region.run?.removeAll()
                    return .take(region)
                }
                return state.failure.map { .fail($0) }
            }
            switch step {
            case .take(let region): return region
            case .decode(let other): decode(other)
            case .fail(let error): throw error
            }
        }
    }

    private func decode(_ region: ScanRegion) {
        region.run?.decode(region)
        state.update { $0.read[region.index]?.isDecoded = true }
    }

    func free(_ region: ScanRegion) {
        state.update { state in
            state.read[region.index] = nil
            state.free.append(region)
        }
    }

    func abandon() { state.update { $0.isAbandoned = true } }
}
