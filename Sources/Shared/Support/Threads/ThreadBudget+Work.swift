extension ThreadBudget {
    /// Does `work` for each number below `count`, and calls `done` with each number in order, as soon as its work has
    /// ended. Work with higher numbers should take longer: all threads take the highest numbers first, so that they
    /// end at about the same time. Without a spare thread, the lowest numbers come first.
    ///
    /// After an error only lower numbers begin. Rethrows the error of the lowest number, or the error of `done`.
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
            while let next = state.withLock({ $0.next(before: number, inOrder: threads.isEmpty) }) {
                let result = Result { try work(next) }
                state.withLock { $0.results[next] = result }
            }
            try state.wait { $0.results[number] }.get()
            try done(number)
        }
    }
}

private struct SharedWork {
    /// Numbers that no thread has taken.
    var rest: Range<Int>
    var results: [Int: Result<Void, any Error>] = [:]

    /// Removes and returns the next number to work on, so that the caller need not wait idly for `number`. Returns nil
    /// if `number` is done, or if no number remains.
    mutating func next(before number: Int, inOrder: Bool) -> Int? {
        if results[number] != nil { return nil }
        guard inOrder else { return takeLast() }
        defer { rest = rest.dropFirst() }
        return rest.first
    }

    mutating func takeLast() -> Int? {
        defer { rest = rest.dropLast() }
        return rest.last
    }
}
