import Support

/// Decodes the scans of a progressive picture together, from top to bottom, on any number of threads. The coefficients
/// of a row of MCUs stay in memory only until the row is freed, so the stores have `window` rows.
///
/// A thread claims rows of the scan that has decoded the fewest. A scan decodes a row only after all earlier scans of
/// the same component and kind, DC or AC, have decoded it.
final class ScanSchedule: Sendable {
    /// Rows of MCUs in the stores.
    static let window = 16
    /// The most rows of MCUs in a claim.
    private static let claimedRows = 4

    private struct Claim {
        let scan: Int
        let rows: Range<Int>
    }

    private struct State {
        /// The number of decoded rows of MCUs of each scan.
        var done: [Int]
        /// Whether a thread decodes rows of the scan now.
        var isClaimed: [Bool]
        /// The number of rows of MCUs that were freed.
        var freed = 0
        /// The failure of the first scan that failed, in file order. Later scans are not continued.
        var failure: (scan: Int, error: any Error)?
        var isAbandoned = false

        var continued: Range<Int> { 0..<(failure?.scan ?? done.count) }

        /// Whether all continued scans have decoded the row, and no other scan is being decoded.
        func hasDecoded(_ row: Int) -> Bool {
            continued.allSatisfy { done[$0] > row } && !isClaimed[continued.upperBound...].contains(true)
        }
    }

    private let scans: [ProgressiveScan]
    private let stores: [CoefficientStore]
    private let rows: Int
    /// For each scan, the latest earlier scans of its components and kind.
    private let leaders: [[Int]]
    private let state: Monitor<State>
    private let check: @Sendable () throws -> Void

    /// - Parameters:
    ///   - scans: in file order.
    ///   - rows: rows of MCUs in the picture.
    init(
        _ scans: [ProgressiveScan], _ stores: [CoefficientStore], rows: Int,
        check: @escaping @Sendable () throws -> Void
    ) {
        self.scans = scans
        self.stores = stores
        self.rows = rows
        self.check = check
        leaders = scans.indices.map { index in
            let leaders = scans[index].components.compactMap { component in
                scans[..<index].lastIndex {
                    $0.isDC == scans[index].isDC && $0.components.contains(component)
                }
            }
            return Array(Set(leaders))
        }
        state = Monitor(State(done: scans.map { _ in 0 }, isClaimed: scans.map { _ in false }))
    }

    /// Decodes until all scans have ended or `abandon` is called. Runs on each helper thread.
    func work() {
        while true {
            let next = state.wait { state -> Claim?? in
                if state.isAbandoned || state.continued.allSatisfy({ state.done[$0] == rows }) { return .some(nil) }
                return claim(&state).map { .some($0) }
            }
            guard let next else { return }
            decode(next)
        }
    }

    /// Returns when all scans have decoded the row of MCUs, which must follow the last freed row. The calling thread
    /// helps. If a scan fails, decodes the earlier scans to the end, and throws the error of the first that fails.
    func decode(row: Int) throws {
        guard let failure = complete(row) else { return }
        var first = failure
        for row in row..<rows {
            first = complete(row) ?? first
            free(row: row)
        }
        throw first
    }

    /// Clears the coefficients of the row, and makes room for another row.
    func free(row: Int) {
        for store in stores { store.clear(mcuRow: row) }
        state.update { $0.freed = row + 1 }
    }

    /// Makes `work` return after the current claim.
    func abandon() { state.update { $0.isAbandoned = true } }

    /// Decodes until all continued scans have decoded the row. Returns the error of the first scan that failed.
    private func complete(_ row: Int) -> (any Error)? {
        while true {
            enum Step {
                case decode(Claim)
                case end((any Error)?)
            }
            let step = state.wait { state -> Step? in
                state.hasDecoded(row) ? .end(state.failure?.error) : claim(&state).map { .decode($0) }
            }
            switch step {
            case .decode(let claim): decode(claim)
            case .end(let error): return error
            }
        }
    }

    /// Claims rows of the scan that has decoded the fewest rows, if its leaders have decoded more.
    private func claim(_ state: inout State) -> Claim? {
        var best: Claim?
        for index in state.continued where !state.isClaimed[index] {
            let first = state.done[index]
            guard first < best?.rows.lowerBound ?? .max else { continue }
            let end = leaders[index].reduce(min(rows, state.freed + Self.window, first + Self.claimedRows)) {
                min($0, state.done[$1])
            }
            if first < end { best = Claim(scan: index, rows: first..<end) }
        }
        if let best { state.isClaimed[best.scan] = true }
        return best
    }

    private func decode(_ claim: Claim) {
        var failure: (any Error)?
        do {
            try check()
            for row in claim.rows { try scans[claim.scan].decode(mcuRow: row) }
        } catch {
            failure = error
        }
        state.update { state in
            state.isClaimed[claim.scan] = false
            if let failure {
                if state.continued.contains(claim.scan) { state.failure = (claim.scan, failure) }
            } else {
                state.done[claim.scan] = claim.rows.upperBound
            }
        }
    }
}
