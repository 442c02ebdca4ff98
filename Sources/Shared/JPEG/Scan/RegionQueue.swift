import Support

/// The regions of a scan on their way from the file: read in order, decoded by whichever thread is free, and handed to
/// the one that puts them together in order again.
final class RegionQueue: Sendable {
    private struct State {
        var bytes: ScanBytes
        var free: [ScanRegion]
        /// Regions that are read: whether they have been decoded as well.
        var read: [Int: (region: ScanRegion, isDecoded: Bool)] = [:]
        /// The next one to be read.
        var next = 0
        var failure: (any Error)?
        var isAbandoned = false

        /// Reads the next region; nil if none can be read.
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

    /// Where the marker behind the data lies, once the last region has been read.
    var markerOffset: Int? { state.withLock { $0.bytes.markerOffset } }

    /// What a thread of its own does: decodes regions ahead, as far as there is room, to the last one.
    func decodeAhead() {
        while true {
            let region = state.wait { state -> ScanRegion?? in
                if state.isAbandoned || state.failure != nil || state.bytes.isAtEnd { return .some(nil) }
                return state.readNext().map { .some($0) }
            }
            guard let region else { break }
            decode(region)
        }
        // Whoever waits for a region learns that there was a failure.
        state.update { _ in }
    }

    /// Region `index`, which follows the one that was freed last; one that is not even read comes as it is. Decodes
    /// others while another thread is at it. Throws what the source throws.
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

    /// Gives a region back that is not needed any more.
    func free(_ region: ScanRegion) {
        state.update { state in
            state.read[region.index] = nil
            state.free.append(region)
        }
    }

    func abandon() { state.update { $0.isAbandoned = true } }
}
