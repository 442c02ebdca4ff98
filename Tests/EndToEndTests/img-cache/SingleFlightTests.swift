import Libc
import Records
import TestSupport
import Testing

/// Concurrent requests for a key share a download.
@Suite(.serialized)
struct SingleFlightTests {
    @Test func sixteenProcessesDownloadOnePictureOnce() throws {
        let home = try Sample.home()
        // Slow enough that all processes start before the first finishes.
        let url = try Sample.url("flight.jpg", faults: ["slow-40"])
        let tools = try (0..<16).map { _ in try home.start("img-cache", ["put", url], stdin: .empty) }
        let records = try tools.map { try $0.wait().expect(0).record }
        #expect(try Sample.requests(url) == 1)
        #expect(records.filter { $0.string("cache.status") == "miss" }.count == 1)
        #expect(records.filter { $0.string("cache.status") == "hit" }.count == 15)
        #expect(Set(records.map { $0.string("path") }).count == 1)
    }

    @Test func equalRecordsCauseASingleDownload() throws {
        let home = try Sample.home()
        let url = try Sample.url("flight-records.jpg", faults: ["slow-10"])
        let input = (0..<20).map { "{\"n\":\($0),\"url\":\"\(url)\"}" }
        let records = try home.run("img-cache", ["put", "--jobs", "20"], stdin: .lines(input)).expect(0).records
        #expect(records.map { $0.integer("n") } == Array(0..<20))
        #expect(try Sample.requests(url) == 1)
    }

    @Test func waiterTakesOverFromAKilledDownload() throws {
        let server = try StallingServer(stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let leader = try home.start("img-cache", ["put", server.url()], stdin: .empty)
        #expect(server.waitUntilStalled())
        let follower = try home.start("img-cache", ["put", server.url()], stdin: .empty)
        leader.kill(SIGKILL)
        #expect(leader.wait().signal == SIGKILL)
        let record = try follower.wait().expect(0).record
        #expect(record.string("cache.status") == "miss")
        #expect(try TestFile.bytes(try #require(record.string("path"))) == server.picture)
        #expect(server.requests == 2)
        #expect(home.leftovers == [])
    }

    @Test func concurrentRequestsForAVariantMakeItOnce() throws {
        let home = try Sample.home()
        let cached = try home.run("img-cache", ["put", Sample.url("variant-once.jpg")]).expect(0).stdoutBytes
        let tools = try (0..<8).map { _ in
            try home.start("img-downsample", ["--variant", "pager"], stdin: .bytes(cached))
        }
        let records = try tools.map { try $0.wait().expect(0).record }
        #expect(records.filter { $0.string("variants.pager.status") == "made" }.count == 1)
        #expect(Set(records.map { $0.string("variants.pager.path") }).count == 1)
    }
}
