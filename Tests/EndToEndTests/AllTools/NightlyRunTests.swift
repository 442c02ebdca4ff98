import Records
import Support
import TestSupport
import Testing

/// Pipelines run every night for a month, with a cache that holds a tenth of the pictures.
@Suite struct NightlyRunTests {
    private static let nights = 30

    private let server: SampleServer
    private let home: ToolHome

    init() throws {
        server = try SampleServer(["--size", "300x200"])
        home = try ToolHome(environment: server.environment)
        // The capacity holds the newest picture and two others.
        let bytes = try home.shell("sample-service --size 300x200 --draw day.jpg | wc -c").expect(0).stdout
        let size = try #require(Int(bytes.trimmingSpaces))
        try home.folder.write(
            "config/apod-tools/config.json", #"{"capacity": "\#(size * 7 / 2)B", "lease": "0s", "retries": 0}"#)
    }

    private func picture(_ day: Int) -> String { "/pictures/day-\(day).jpg" }

    private func write(days: [Int], faults: [String] = []) throws {
        let lines = days.map {
            #"{"date":"2024-02-\#($0)","title":"Day \#($0)","url":"\#(server.url(picture($0), faults: faults))"}"#
        }
        try home.folder.write("work/in", lines.joined(separator: "\n") + "\n")
    }

    /// Makes all entries one day older.
    private func age() throws {
        let day = "86400000"
        try CacheOnDisk(home).execute(
            """
            UPDATE entries SET fetched_at = fetched_at - \(day), expires_at = expires_at - \(day),
                last_used = last_used - \(day), lease_until = lease_until - \(day)
            """)
    }

    /// Runs a pipeline every night for a month. Its input has one more day each night. Returns the records of the last
    /// night.
    private func nightly(_ pipeline: String) throws -> [Record] {
        var records: [Record] = []
        for night in 1...Self.nights {
            try write(days: Array(1...night))
            records = try home.shell(pipeline).expect(0).records
            try age()
        }
        let requests = try server.requests()
        for day in 1...Self.nights { #expect(requests[picture(day)] == 1, "day \(day)") }
        #expect(try CacheOnDisk(home).count("evictions") >= Self.nights - 4)
        #expect(records.count == Self.nights)
        let statuses = records.map { $0.string("cache.status") ?? "" }
        #expect(statuses == Array(repeating: "kept", count: Self.nights - 1) + ["miss"])
        return records
    }

    @Test func nightlyArchiveFetchesEachPictureOnce() throws {
        let records = try nightly("img-cache put --output-dir archive --name-template '{date}.{ext}' < in")
        for (index, record) in records.enumerated() {
            #expect(record.string("file") == home.path("archive/2024-02-\(index + 1).jpg"))
        }
        #expect(home.folder.contents().count { $0.hasPrefix("work/archive/") } == Self.nights)
    }

    /// The first download is slow. File names are assigned in input order, so the other pictures are copied only after
    /// the first download ends; by then the cache has evicted them.
    @Test func pictureEvictedBeforeItIsCopiedIsStillWritten() throws {
        let slow = server.url(picture(1), faults: ["wait-500"])
        let rest = (2...6).map { server.url(picture($0)) }
        let output = try home.run("img-cache", ["put", "-j6", "--output-dir", "archive", slow] + rest).expect(0)
        #expect(output.lines.count == 6)
        #expect(home.folder.contents().count { $0.hasPrefix("work/archive/") } == 6)
    }

    @Test func nightlyThumbnailsFetchEachPictureOnce() throws {
        let records = try nightly(
            """
            img-cache put --skip-made thumbs < in |
                img-downsample --width 100 --output-dir thumbs --name-template '{date}.{ext}' --strict
            """)
        for (index, record) in records.enumerated() {
            let isLast = index == Self.nights - 1
            #expect(record.string("variants.custom.path") == home.path("thumbs/2024-02-\(index + 1).jpg"))
            #expect(record.integer("variants.custom.width") == 100)
            #expect(record.string("variants.custom.status") == (isLast ? "made" : "kept"))
            #expect(record.hasPath("path") == isLast)
        }
    }

    @Test func nightlyGalleryFetchesEachPictureOnce() throws {
        let records = try nightly(
            "img-cache put --skip-made site < in | img-downsample gallery --output-dir site --strict --prune")
        #expect(records.allSatisfy { $0.hasPath("gallery.page") && $0.hasPath("variants.pager.path") })
        let places = try Record.list(parsing: home.folder.read("work/site/records.ndjson"))
        #expect(places.count == Self.nights && places.allSatisfy { $0.hasPath("variants.pager.path") })
    }

    // MARK: Missing files

    private let thumbs = """
        img-cache put --skip-made thumbs < in |
            img-downsample --width 100 --output-dir thumbs --name-template '{date}.{ext}'
        """

    private func evictAll() throws { try home.run("img-cache", ["clean", "--capacity", "0B"]).expect(0) }

    @Test func missingOrChangedVariantIsMadeAgain() throws {
        try write(days: [1, 2, 3])
        try home.shell(thumbs).expect(0)
        try evictAll()
        try home.shell("rm thumbs/2024-02-1.jpg; touch -d 2020-01-01 thumbs/2024-02-2.jpg").expect(0)
        let statuses = try home.shell(thumbs).expect(0).records.map { $0.string("variants.custom.status") }
        #expect(statuses == ["made", "made", "kept"])
        let requests = try server.requests()
        #expect((1...3).map { requests[picture($0)] } == [2, 2, 1])
    }

    /// Two days may share a picture, but each day needs its own file.
    @Test func fileOfAnotherRecordIsNotReused() throws {
        try write(days: [1])
        try home.shell(thumbs).expect(0)
        try home.shell("sed 's/2024-02-1/2024-03-1/' in > x; cat in x > y; mv y in").expect(0)
        for status in ["made", "kept"] {
            let records = try home.shell(thumbs).expect(0).records
            #expect(records.map { $0.string("variants.custom.status") } == ["kept", status])
            #expect(records[1].string("variants.custom.path") == home.path("thumbs/2024-03-1.jpg"))
        }
    }

    @Test func placeholderIsLaterReplacedByThePicture() throws {
        try write(days: [1], faults: ["status-503"])
        let first = try home.shell(thumbs + " --fallback")
        #expect(try first.records.first?.string("variants.custom.status") == "fallback")
        try write(days: [1])
        let second = try home.shell(thumbs + " --fallback").expect(0)
        #expect(try second.record.string("variants.custom.status") == "made")
        #expect(try home.shell(thumbs + " --fallback").expect(0).record.string("variants.custom.status") == "kept")
    }

    @Test func newVariantFailsUntilThePictureIsRefreshed() throws {
        try write(days: [1])
        try home.shell(thumbs).expect(0)
        let more = thumbs.replacing(text: "--width 100", with: "--width 100 --variant pager")
            .replacing(text: "'{date}.{ext}'", with: "'{date}-{variant}.{ext}'")
        try home.shell(more).expectFailure(65, code: "not-made", tool: "img-downsample")
        let record = try home.shell(more.replacing(text: " < in", with: " --refresh < in")).expect(0).record
        #expect(record.string("variants.pager.status") == "made")
        let again = try home.shell(more).expect(0).record
        #expect(again.string("variants.pager.status") == "kept" && again.string("cache.status") == "kept")
    }

    @Test func removedPictureIsFetchedAgain() throws {
        try write(days: [1])
        try home.shell(thumbs).expect(0)
        try evictAll()
        try home.shell("img-cache rm < in").expect(1)
        #expect(try home.shell(thumbs).expect(0).record.string("variants.custom.status") == "made")
    }

    @Test func skipMadeAndOutputDirCannotBeCombined() throws {
        try home.run("img-cache", ["put", "--skip-made", "a", "--output-dir", "b", "x"])
            .expectRefusal(64, "img-cache", "--skip-made and --output-dir cannot be combined")
    }
}

extension String {
    fileprivate var trimmingSpaces: String { filter { $0 != " " && $0 != "\n" } }
}
