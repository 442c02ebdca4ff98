import Testing

@testable import Support

@Suite struct ThreadBudgetTests {
    private struct Failed: Error, Equatable { let number: Int }

    @Test(arguments: [0, 1, 3, 100]) func workIsDoneOnceAndReportedInOrder(_ threads: Int) throws {
        let budget = ThreadBudget(threads)
        let worked = Monitor([Int]())
        var done: [Int] = []
        try budget.perform(20) { number in
            worked.withLock { $0.append(number) }
        } done: { number in
            #expect(worked.withLock { $0.contains(number) })
            done.append(number)
        }
        #expect(done == Array(0..<20))
        #expect(worked.withLock { $0.sorted() } == Array(0..<20))
        for _ in 0..<threads { #expect(budget.take()) }
        #expect(!budget.take())
    }

    /// Each piece of work waits for the other.
    @Test func spareThreadsWorkConcurrently() throws {
        let arrived = Monitor(0)
        try ThreadBudget(1).perform(2) { _ in
            arrived.update { $0 += 1 }
            arrived.wait { $0 == 2 ? () : nil }
        } done: { _ in
        }
        #expect(arrived.withLock { $0 } == 2)
    }

    /// The thread that takes number 3 waits until the other thread has done all other numbers.
    @Test func highestNumberBeginsFirst() throws {
        let ended = Monitor([Int]())
        var done: [Int] = []
        try ThreadBudget(1).perform(4) { number in
            if number == 3 { ended.wait { $0.count == 3 ? () : nil } }
            ended.update { $0.append(number) }
        } done: {
            done.append($0)
        }
        #expect(ended.withLock { $0 } == [2, 1, 0, 3])
        #expect(done == [0, 1, 2, 3])
    }

    @Test func workIsDoneInOrderWithoutASpareThread() throws {
        var steps: [String] = []
        let began = Monitor([Int]())
        try ThreadBudget(0).perform(3) { number in
            began.withLock { $0.append(number) }
        } done: { number in
            steps.append("\(number) of \(began.withLock { $0.count })")
        }
        #expect(steps == ["0 of 1", "1 of 2", "2 of 3"])
    }

    @Test(arguments: [0, 1, 2, 16]) func errorOfTheLowestNumberIsRethrown(_ threads: Int) {
        let budget = ThreadBudget(threads)
        var done: [Int] = []
        #expect(throws: Failed(number: 3)) {
            try budget.perform(8) { number in
                if number == 3 || number == 6 { throw Failed(number: number) }
            } done: {
                done.append($0)
            }
        }
        #expect(done == [0, 1, 2])
        for _ in 0..<threads { #expect(budget.take()) }
    }

    @Test func numberOfThreadsIsLimited() throws {
        let running = Monitor((now: 0, most: 0))
        try ThreadBudget(8).perform(50, threads: 1) { _ in
            running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            running.withLock { $0.now -= 1 }
        } done: { _ in
        }
        #expect(running.withLock { $0.most } <= 2)
    }

    @Test func performWithoutWorkDoesNothing() throws {
        try ThreadBudget(4).perform(0) { _ in
            Issue.record("there is no work")
        } done: { _ in
        }
    }
}
