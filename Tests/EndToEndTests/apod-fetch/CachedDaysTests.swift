import Libc
import Records
import Support
import TestSupport
import Testing

/// Days that `apod-fetch` stores, and its results if NASA is unreachable.
struct CachedDaysTests {
    private let service: SampleServer
    private let home: ToolHome

    init() throws {
        service = try SampleServer(["--legacy", "classic"])
        home = try ToolHome(environment: service.environment)
    }

    private func fetch(_ arguments: [String], environment: [String: String?] = [:]) throws -> ToolOutput {
        try home.run("apod-fetch", ["APOD_TOOLS_RETRIES=0"] + arguments, environment: environment)
    }

    /// Runs `apod-fetch` and returns the number of its requests.
    private func requests(_ arguments: [String]) throws -> Int {
        try service.reset()
        _ = try fetch(arguments)
        return try service.requests().total
    }

    /// Service addresses that close every connection without an answer.
    private var gone: [String: String?] {
        [
            "APOD_SCIENCE_URL": service.url("/wp-json/wp/v2/apod-basic", faults: ["close"]),
            "APOD_API_URL": service.url("/planetary/apod", faults: ["close"]),
        ]
    }

    private let year = ["--date", "2023-01-01..2023-12-31"]

    @Test func secondRunOverAYearSendsNoRequest() throws {
        let first = try fetch(year)
        #expect(try first.records.count == 365 && service.requests().total > 14)
        try service.reset()
        let second = try fetch(year)
        #expect(try service.requests().total == 0)
        #expect(second.status == first.status)
        let pairs = zip(try first.records, try second.records)
        for (one, two) in pairs {
            #expect(one.names == two.names)
            for name in one.names where name != "apod" {
                #expect(one.raw(FieldPath(stringLiteral: name)) == two.raw(FieldPath(stringLiteral: name)))
            }
        }
        #expect(try second.records.allSatisfy { $0.has("error") || $0.string("apod.source") == "cache" })
        #expect(
            try second.records.map { $0.string("apod.fetched_at") }
                == first.records.map { $0.string("apod.fetched_at") })
    }

    @Test func pagesAreRequestedInParallelUnlessJobsIsOne() throws {
        _ = try fetch(year + ["--jobs", "1"])
        #expect(try service.requests().highest == 1)
        let slow = ["APOD_SCIENCE_URL": service.url("/wp-json/wp/v2/apod-basic", faults: ["wait-200"])]
        try service.reset()
        let dates = try fetch(year + ["--jobs", "4", "--refresh", "--print", "date"], environment: slow).lines
        #expect(try service.requests().highest > 1)
        #expect(dates == dates.sorted() && dates.count == 365)
    }

    @Test func killedRunContinuesAfterItsLastStoredDay() throws {
        let slow = ["APOD_SCIENCE_URL": service.url("/wp-json/wp/v2/apod-basic", faults: ["slow-5"])]
        let whole = try requests(year + ["--refresh", "--cache-dir", home.path("other")])
        try service.reset()
        let running = try home.start("apod-fetch", year, environment: slow)
        #expect(running.waitForOutput(100_000))
        running.kill(SIGKILL)
        _ = running.wait()
        let before = try service.requests().total
        #expect(before < whole)
        try service.reset()
        let rest = try home.run("apod-fetch", year, environment: slow)
        #expect(try rest.records.count == 365)
        #expect(try rest.records.contains { $0.string("apod.source") == "cache" })
        // Pages that were in transfer when the run was killed are requested twice.
        #expect(try (0...6).contains(before + service.requests().total - whole))
    }

    @Test func staleRecordIsServedWithAWarningIfTheServiceIsDown() throws {
        _ = try fetch(["--date"]).expect(0)
        _ = try fetch(["--date", "2024-02-01"]).expect(0)
        for arguments in [["--date"], ["--date", "2024-02-01"]] {
            let output = try fetch(arguments + ["--refresh"], environment: gone).expect(0)
            #expect(try output.record.string("apod.source") == "stale", "\(output)")
            #expect(output.errorLines.count == 1, "\(output)")
            #expect(output.stderr.contains("warning: the service at 127.0.0.1:"), "\(output)")
        }
        let never = try fetch(["--date", "2024-02-03"], environment: gone)
        #expect(try never.expect(75).record.bool("error.transient") == true, "\(never)")
    }

    @Test func concurrentRunsOverAYearShareRequests() throws {
        let slow = ["APOD_SCIENCE_URL": service.url("/wp-json/wp/v2/apod-basic", faults: ["wait-50"])]
        _ = try home.run("apod-fetch", year, environment: slow)
        let whole = try service.requests().total
        let other = try ToolHome(environment: service.environment)
        try service.reset()
        let running = try (0..<3).map { _ in try other.start("apod-fetch", year, environment: slow) }
        let outputs = running.map { $0.wait() }
        for output in outputs { #expect(try output.records.count == 365, "\(output)") }
        #expect(try service.requests().total == whole)
        let sources = try outputs.flatMap { try $0.records.map { $0.string("apod.source") } }
        #expect(sources.count { $0 == "network" } <= 365)
    }

    @Test func waiterTakesOverFromADeadProcess() throws {
        // The first process uses an address of the service at which responses stall, so the second process waits for
        // the days that the first has requested.
        let stalled = ["APOD_SCIENCE_URL": service.url("/wp-json/wp/v2/apod-basic", faults: ["stall"])]
        let month = ["--date", "2023-01-01..2023-01-20", "-v"]
        let dead = try home.start("apod-fetch", month, environment: stalled)
        #expect(dead.waitForErrors("requesting 2023-01-01 to 2023-01-20"))
        let waiting = try home.start("apod-fetch", month)
        #expect(waiting.waitForErrors("waiting for another run with the same request (2023-01-01-2023-01-20)"))
        dead.kill(SIGKILL)
        #expect(try waiting.wait().expect(0).records.count == 20)
        _ = dead.wait()
    }

    @Test func signalEndsARunOfManyPages() throws {
        let stalled = ["APOD_SCIENCE_URL": service.url("/wp-json/wp/v2/apod-basic", faults: ["stall"])]
        let running = try home.start("apod-fetch", year + ["-v", "--jobs", "4"], environment: stalled)
        // Once the fourth page is requested, each of the four jobs has a request in progress.
        #expect(running.waitForErrors("requesting 2023-03-17 to"))
        running.kill(SIGTERM)
        let output = running.wait(deadline: .seconds(10))
        #expect(output.signal == SIGTERM, "\(output)")
    }
}
