import Formats
import Records
import Support
import TestSupport
import Testing

/// `gif-cache mirror` with a service that has many exercises, some with invalid GIFs.
struct GifCacheSyncTests {
    /// The expected error code by the exercise number modulo 20, as defined by `sample-service --exercise-faults`.
    private static let codes = [
        1: "not-a-gif", 2: "not-a-gif", 3: "truncated-gif", 4: "empty-body", 5: "over-limit", 6: "unknown-exercise",
        7: "server-error",
    ]

    @Test func mirrorRetriesOnlyPlaceholders() throws {
        let service = try SampleServer(["--exercises", "1300", "--exercise-side", "16", "--exercise-faults"])
        let home = try ToolHome(environment: service.environment)
        let first = try home.run("gif-cache", ["mirror", "APOD_TOOLS_RETRIES=0"], deadline: .seconds(300))
        let records = try first.records
        #expect(records.count == 1300)
        var wrong = 0
        for (index, record) in records.enumerated() {
            let number = index + 1
            #expect(record.string("id") == Self.id(number) && record.has("instructions"))
            let path = try #require(record.string("path"), "\(record)")
            let code = Self.codes[number % 20]
            #expect(record.string("error.code") == code, "\(record)")
            #expect(record.bool("gif.placeholder") == (code != nil))
            #expect(try Picture.header(path).format == .gif)
            if code != nil { wrong += 1 }
        }
        #expect(wrong == 455)
        #expect(
            first.errorLines.last == "gif-cache: 0 hit, 845 fetched, 0 revalidated, 455 failed (placeholders)",
            "\(first.status)")
        #expect(first.status == 65)
        let requests = try service.requests()
        #expect(requests["/image"] == 1300 && requests["/exercises"] == 3)
        #expect(requests.highest <= 3, "\(requests.highest) concurrent requests")

        try service.reset()
        let second = try home.run("gif-cache", ["mirror", "APOD_TOOLS_RETRIES=0"], deadline: .seconds(300))
        #expect(second.errorLines.last == "gif-cache: 845 hit, 0 fetched, 0 revalidated, 455 failed (placeholders)")
        let again = try service.requests()
        #expect(again["/image"] == 455 && again["/exercises"] == 0 && again.highest <= 3)
        let dry = try home.run("gif-cache", ["mirror", "--dry-run", "--json"]).expect(0).record
        #expect(dry.integer("exercises") == 1300 && dry.integer("missing") == 455)
        let words = try home.run("gif-cache", ["mirror", "--dry-run"], stdout: .terminal).expect(0).stdout
        #expect(words == "455 of 1300 GIFs would be fetched\r\n")
    }

    @Test func concurrentMirrorsShareTheWork() throws {
        let service = try SampleServer(["--exercises", "60", "--exercise-side", "16"])
        let home = try ToolHome(environment: service.environment)
        let both = try (0..<2).map { _ in try home.start("gif-cache", ["mirror"], stdin: .empty) }
        for run in both { #expect(try run.wait().expect(0).records.count == 60) }
        #expect(try service.requests()["/image"] == 60)
        try service.reset()
        let third = try home.run("gif-cache", ["mirror"]).expect(0)
        #expect(third.errorLines == ["gif-cache: 60 hit, 0 fetched, 0 revalidated, 0 failed"])
        #expect(try service.requests().total == 0)
        let offline = try home.run("gif-cache", ["mirror", "--offline", "-q"]).expect(0)
        #expect(offline.stderr == "")
    }

    @Test func listIsRequestedIfTheCachedListCannotBeRead() throws {
        let service = try SampleServer(["--exercises", "3"])
        let home = try ToolHome(environment: service.environment)
        try home.run("gif-cache", ["list"]).expect(0)
        try CacheOnDisk(home).execute("ALTER TABLE metadata RENAME TO lost")
        let output = try home.run("gif-cache", ["list"]).expect(0)
        #expect(try output.records.count == 3)
        let index = "\(home.cacheRoot)/index.sqlite"
        let fault =
            "unexpected fault in the cache: \(index) is intact, but cannot be used: no such table: metadata; nothing was"
            + " changed"
        #expect(
            output.errorLines == [
                "gif-cache: warning: \(fault); the cached exercise list is not used",
                "gif-cache: warning: \(fault); the exercise list is not cached",
            ])
    }

    @Test func exhaustedQuotaStopsAllProcesses() throws {
        let service = try SampleServer(["--exercises", "100", "--exercise-side", "16", "--exercise-quota", "30"])
        let home = try ToolHome(environment: service.environment)
        let output = try home.run("gif-cache", ["mirror"]).expect(75)
        #expect(
            output.errorLines.last == "gif-cache: 0 hit, 30 fetched, 0 revalidated, 70 failed (placeholders)")
        let records = try output.records
        #expect(records.count == 100)
        #expect(records.filter { !$0.has("error") }.count == 30)
        let refused = records.filter { $0.string("error.code") == "quota-exceeded" }
        #expect(refused.count == 70 && refused.allSatisfy { $0.bool("gif.placeholder") == true && $0.has("path") })
        let images = try service.requests()["/image"]
        #expect((31...33).contains(images), "\(images) requests")
        _ = try home.run("gif-cache", ["put", "0099", "0100"]).expect(75)
        #expect(try service.requests()["/image"] == images)
        // Another key has its own quota, and --refresh always sends a request.
        _ = try home.run("gif-cache", ["put", "0099"], environment: ["EXERCISEDB_API_KEY": "other"]).expect(75)
        _ = try home.run("gif-cache", ["put", "0100", "--refresh"]).expect(75)
        #expect(try service.requests()["/image"] == images + 2)
        #expect(try home.run("gif-cache", ["put", "0001"]).expect(0).record.string("cache.status") == "hit")
    }

    private static func id(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: 4 - digits.count) + digits
    }
}
