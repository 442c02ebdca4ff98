extension ThreadBudget {
    /// Does `work` for each number below `count`, and calls `done` with each number in order, as soon as its work has
    /// ended. This thread takes the lowest numbers, spare threads take the highest.
    ///
    /// After an error no more work begins. Rethrows the error of the lowest number, or the error of `done`.
    ///
    /// - Parameter limit: the maximum number of spare threads.
    public func perform(
        _ count: Int, threads limit: Int = .max, work: @escaping @Sendable (Int) throws -> Void,
        done: (Int) throws -> Void
    ) throws {
        let state = Monitor(SharedWork(rest: 0..<count))
        var threads: [Thread] = []
        while threads.count < min(count - 1, limit), take() {
            let thread = try? Thread.start {
                while let number = state.withLock({ $0.takeLast() }) {
                    let result = Result { try work(number) }
                    state.update { $0.results[number] = result }
                }
            }
            guard let thread else {
                giveBack()
                break
            }
            threads.append(thread)
        }
        defer {
            state.withLock { $0.rest = 0..<0 }
            for thread in threads {
                thread.join()
                giveBack()
            }
        }
        for number in 0..<count {
            if state.withLock({ $0.takeFirst() }) {
                try work(number)
            } else {
                try state.wait { $0.results[number] }.get()
            }
            try done(number)
        }
    }
}

private struct SharedWork {
    /// Numbers that no thread has taken.
    var rest: Range<Int>
    var results: [Int: Result<Void, any Error>] = [:]

    /// Removes the lowest number. Returns false if there is none.
    mutating func takeFirst() -> Bool {
        defer { rest = rest.dropFirst() }
        return !rest.isEmpty
    }

    mutating func takeLast() -> Int? {
        defer { rest = rest.dropLast() }
        return rest.last
    }
}
