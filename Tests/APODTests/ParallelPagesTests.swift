import HTTP
import Store
import Support
import TestSupport
import Testing

@testable import APOD

/// Tests of concurrent requests for pages. They do not depend on timing: requests are held until the expected number
/// is in progress.
@Suite struct ParallelPagesTests {
    private let year = DayRequest.range(start: day("2021-01-01"), end: day("2021-12-31"))

    /// Holds every request for a page until `count` pages are requested or `isOpen` is set.
    private final class Gate: Sendable {
        struct State {
            var waiting = 0
            var highest = 0
            var isOpen = false
        }

        let state = Monitor(State())

        func pass(together count: Int) {
            state.update {
                $0.waiting += 1
                $0.highest = max($0.highest, $0.waiting)
            }
            state.wait { $0.isOpen || $0.highest >= count ? () : nil }
            state.update { $0.waiting -= 1 }
        }
    }

    @Test func eachJobRequestsAPageAndDaysStayInOrder() throws {
        let gate = Gate()
        let nasa = FakeNASA.complete(through: "2026-11-20") { _ in
            gate.pass(together: 4)
            return nil
        }
        let results = try nasa.client(jobs: 4).results(year)
        #expect(results.map(\.day) == PublishedDays.days(from: day("2021-01-01"), through: day("2021-12-31")))
        #expect(nasa.asked.count == 15)
        #expect(gate.state.withLock { $0.highest } == 4)
    }

    @Test func numberOfPrefetchedPagesIsLimited() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let sequence = try nasa.client(jobs: 3).pictures(year)
        #expect(try sequence.next()?.day == day("2021-01-01"))
        // The first page was returned; at most five more may be requested.
        #expect(nasa.asked.count <= 6)
        var count = 1
        while try sequence.next() != nil { count += 1 }
        #expect(count == 365)
        #expect(try sequence.next() == nil)
    }

    @Test func releasedSequenceWaitsForItsRequests() throws {
        let gate = Gate()
        let nasa = FakeNASA.complete(through: "2026-11-20") { _ in
            gate.pass(together: 2)
            return nil
        }
        do {
            let sequence = try nasa.client(jobs: 2).pictures(year)
            _ = try sequence.next()
            gate.state.update { $0.isOpen = true }
        }
        #expect(gate.state.withLock { $0.waiting } == 0)
        #expect(nasa.asked.count < 15)
    }

    @Test func cancellationStopsWaitingForAPage() throws {
        let interruption = Interruption()
        let gate = Gate()
        let nasa = FakeNASA { _ in
            interruption.cancel(.outputClosed)
            gate.pass(together: .max)
            return .failure(Cancelled())
        }
        let sequence = try nasa.client(jobs: 2, interruption: interruption).pictures(year)
        // The gate still holds the requests.
        #expect(throws: Cancelled.self) { try sequence.next() }
        gate.state.update { $0.isOpen = true }
    }

    @Test func aSingleRequestIsMadeOnTheCallersThread() throws {
        let caller = ThreadMark.current
        let nasa = FakeNASA.complete(through: "2026-11-20") { _ in
            #expect(ThreadMark.current == caller)
            return nil
        }
        for request in [DayRequest.newest, .range(start: day("2021-01-01"), end: day("2021-01-25")), .last(1)] {
            #expect(try nasa.client(jobs: 4).results(request).allSatisfy { $0.picture != nil })
        }
    }

    @Test(arguments: [1, 2, 4, 9]) func threadsShareTheCountOfFailures(jobs: Int) throws {
        let url = try WebURL(FakeNASA.scienceBase)
        let nasa = FakeNASA { _ in .failure(FetchFailure.nameNotResolved(url: url)) }
        let results = try nasa.client(.science, jobs: jobs).results(year)
        #expect(results.count == 365 && results.allSatisfy { $0.failure?.isTransient == true })
        // Requests stop at the third failed page. At that time, each job has at most a single page in progress.
        #expect(nasa.asked.count < 3 + jobs)
    }

    @Test func fatalFailureEndsTheRun() throws {
        let nasa = FakeNASA.complete(through: "2026-11-20")
        let store = try DayCache()
        // A root with foreign files is refused.
        try store.folder.write("cache/mine", [1])
        for jobs in [1, 4] {
            let failure = #expect(throws: CacheFailure.self) { try nasa.client(store: store, jobs: jobs).results(year) }
            #expect(failure?.exitCode == .configuration)
        }
        #expect(nasa.asked.isEmpty)
    }
}
