import Support

/// Decodes the scans of a progressive picture on several threads. Starts a row of a scan only after all earlier scans
/// of the same component and kind, DC or AC, have decoded the row.
final class ScanSchedule: Sendable {
    struct Item: Sendable {
        /// The number of rows of blocks in a row of the scan, by component index.
        let blockRows: [Int: Int]
        let rows: Int
        let isDC: Bool
        /// Creates the decoder when the scan starts.
        let begin: @Sendable () throws -> ProgressiveScan
    }

    private struct State {
        var next = 0
        /// The number of finished rows of each scan.
        var done: [Int]
        /// The failure of the earliest scan that failed.
        var failure: (item: Int, error: any Error)?
        var isTruncated = false
    }

    private let items: [Item]
    /// For each scan, the indices of the earlier scans that must decode each row first.
    private let leaders: [[Int]]
    private let state: Monitor<State>
    private let options: JPEGOptions

    /// - Parameter items: in file order.
    init(_ items: [Item], options: JPEGOptions) {
        self.items = items
        self.options = options
        leaders = items.indices.map { index in
            (0..<index).filter {
                items[$0].isDC == items[index].isDC
                    && items[$0].blockRows.keys.contains { items[index].blockRows[$0] != nil }
            }
        }
        state = Monitor(State(done: items.map { _ in 0 }))
    }

    /// Decodes scans until none is left or a scan has failed. Runs on each thread.
    func work() {
        while let index = next() {
            do {
                let scan = try items[index].begin()
                for row in 0..<items[index].rows {
                    guard waitForLeaders(of: index, row) else { break }
                    try options.check()
                    try scan.decode(row: row)
                    state.update { $0.done[index] = row + 1 }
                }
                let isTruncated = scan.isTruncated
                state.update { $0.isTruncated = $0.isTruncated || isTruncated }
            } catch {
                state.update { state in
                    if let failure = state.failure, failure.item < index { return }
                    state.failure = (index, error)
                }
            }
        }
    }

    /// Waits until all scans have decoded the first `blockRows` rows of blocks of a component. Throws the error of the
    /// earliest scan that failed.
    func wait(for blockRows: Int, of component: Int) throws {
        let outcome: Result<Void, any Error> = state.wait { state in
            if let failure = state.failure {
                // Waits for the earlier scans, because one of them may fail too.
                let isFirst = items.indices.prefix(failure.item).allSatisfy { state.done[$0] == items[$0].rows }
                return isFirst ? .failure(failure.error) : nil
            }
            let isDone = items.indices.allSatisfy { item in
                guard let own = items[item].blockRows[component] else { return true }
                return state.done[item] == items[item].rows || state.done[item] * own >= blockRows
            }
            return isDone ? .success(()) : nil
        }
        try outcome.get()
    }

    /// Makes `work` return after the current scan.
    func abandon() { state.update { $0.next = items.count } }

    /// Whether a finished scan lacked data. Throws the error of the earliest scan that failed.
    func isTruncated() throws -> Bool {
        try state.withLock { state in
            if let failure = state.failure { throw failure.error }
            return state.isTruncated
        }
    }

    private func next() -> Int? {
        state.update { state in
            guard state.next < items.count, state.failure == nil else { return nil }
            defer { state.next += 1 }
            return state.next
        }
    }

    /// Waits until the scans in `leaders[index]` have decoded the blocks of `row`. Returns false if an earlier scan has
    /// failed.
    private func waitForLeaders(of index: Int, _ row: Int) -> Bool {
        state.wait { state -> Bool? in
            if let failure = state.failure, failure.item < index { return false }
            let isReady = leaders[index].allSatisfy { leader in
                state.done[leader] == items[leader].rows
                    || items[index].blockRows.allSatisfy { component, blockRows in
                        guard let ahead = items[leader].blockRows[component] else { return true }
                        return state.done[leader] * ahead >= (row + 1) * blockRows
                    }
            }
            return isReady ? true : nil
        }
    }
}
