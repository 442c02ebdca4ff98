import Records
import Support
import TestSupport
import Testing

/// The programs in `examples/`, run against the sample service.
@Suite struct ExamplesTests {
    private static let examples = Corpus.packageRoot + "/examples"
    private static let hasMake = TestFile.exists("/usr/bin/make")

    private let server: SampleServer
    private let home: ToolHome

    init() throws {
        server = try SampleServer(["--size", "300x200"])
        home = try ToolHome(environment: server.environment)
        // Transient failures must end the run immediately.
        try home.folder.write("config/apod-tools/config.json", #"{"retries": 0}"#)
    }

    private func make(_ arguments: String..., environment: [String: String?] = [:]) throws -> ToolOutput {
        try home.run(
            "/usr/bin/make", ["-f", "\(Self.examples)/month/Makefile", "MONTH=2020-06"] + arguments,
            environment: environment)
    }

    private func files() -> [String] {
        home.folder.contents().filter { $0.hasPrefix("work/2020-06/") && !$0.contains("/.") }
            .map { String($0.dropFirst("work/2020-06/".count)) }
    }

    private func day(_ date: String) throws -> Record {
        try Record(parsing: home.folder.read("work/2020-06/\(date).json"))
    }

    private func days(_ days: ClosedRange<Int>) -> [String] {
        days.flatMap { ["2020-06-0\($0).jpg", "2020-06-0\($0).json"] }
    }

    @Test(.enabled(if: hasMake)) func monthFetchesOnlyNewDays() throws {
        try make("-j4", "TODAY=2020-06-02").expect(0)
        #expect(files() == days(1...2))
        #expect(try day("2020-06-02").string("variants.custom.path") == home.path("2020-06/2020-06-02.jpg"))
        #expect(try day("2020-06-02").integer("variants.custom.height") == 200)

        try server.reset()
        try make("-j4", "TODAY=2020-06-02").expect(0)
        #expect(try server.requests().total == 0)

        try make("-j4", "TODAY=2020-06-04").expect(0)
        #expect(files() == days(1...4))
        let asked = try server.requests()
        #expect(asked["/pictures/2020-06-02.jpg"] == 0)
        #expect(asked["/pictures/2020-06-03.jpg"] == 1)

        try make("clean", "TODAY=2020-06-04").expect(0)
        #expect(!TestFile.exists(home.path("2020-06")))
    }

    /// The 9th is a PNG, the 10th does not exist, the 12th is a video with a still, the 19th is a GIF, and the picture
    /// of the 27th is lost.
    @Test(.enabled(if: hasMake)) func dayWithoutAPictureLeavesOnlyARecord() throws {
        let days = ["2020-06-09", "2020-06-10", "2020-06-12", "2020-06-19", "2020-06-27"]
        let list = "DAYS=\(days.joined(separator: " "))"
        try make("-j4", list).expect(0)
        #expect(files().filter { $0.hasSuffix(".json") } == days.map { "\($0).json" })
        #expect(files().filter { $0.hasSuffix(".jpg") } == ["2020-06-09.jpg", "2020-06-12.jpg", "2020-06-19.jpg"])
        #expect(try day("2020-06-10").string("error.code") == "no-picture")
        #expect(try day("2020-06-27").string("error.code") == "stand-in")
        try server.reset()
        try make(list).expect(0)
        #expect(try server.requests().total == 0)
    }

    @Test(.enabled(if: hasMake)) func videoWithoutAStillLeavesOnlyARecord() throws {
        // Only the old service has videos without a still.
        let classic = try SampleServer(["--size", "300x200", "--legacy", "classic"])
        let services = [
            "APOD_SCIENCE_URL": server.url("/wp-json/wp/v2/apod-basic", faults: ["status-503"]),
            "APOD_API_URL": classic.url("/planetary/apod"),
        ]
        try make("DAYS=2020-06-12", environment: services).expect(0)
        #expect(files() == ["2020-06-12.json"])
        #expect(try day("2020-06-12").string("error.tool") == "img-cache")
        #expect(try day("2020-06-12").string("error.code") == "no-picture")
    }

    @Test(.enabled(if: hasMake)) func transientlyFailedDayIsRetriedByTheNextRun() throws {
        let down = [
            "APOD_SCIENCE_URL": server.url("/wp-json/wp/v2/apod-basic", faults: ["status-503"]),
            "APOD_API_URL": server.url("/planetary/apod", faults: ["status-503"]),
        ]
        let output = try make("-k", "-j2", "TODAY=2020-06-03", environment: down).expect(2)
        #expect(output.stderr.contains("Error 75"))
        #expect(files() == [])
        try make("TODAY=2020-06-03").expect(0)
        #expect(files() == days(1...3))
    }

    @Test(.enabled(if: hasMake)) func todayWithoutAPictureLeavesNoFile() throws {
        try make("DAYS=2020-06-27", "TODAY=2020-06-27").expect(0)
        #expect(files() == [])
        try make("DAYS=2020-06-27", "TODAY=2020-06-28").expect(0)
        #expect(files() == ["2020-06-27.json"])
    }

    @Test(.enabled(if: hasMake)) func anotherSizeIsMadeFromTheCache() throws {
        try make("TODAY=2020-06-02", "SIZE=150").expect(0)
        try server.reset()
        try make("TODAY=2020-06-02", "SIZE=60").expect(0)
        #expect(try day("2020-06-01").integer("variants.custom.width") == 60)
        #expect(try server.requests()["/pictures/2020-06-01.jpg"] == 0)
        try make("TODAY=2020-06-02", "SIZE=150").expect(0)
        #expect(try day("2020-06-01").integer("variants.custom.width") == 150)
    }

    @Test(.enabled(if: hasMake)) func invalidMonthIsRefused() throws {
        let output = try home.run(
            "/usr/bin/make", ["-f", "\(Self.examples)/month/Makefile", "MONTH=2020-13"]
        ).expect(2)
        #expect(output.stderr.contains("2020-13"))
    }

    // MARK: Gallery

    @Test(.enabled(if: hasMake)) func galleryFetchesOnlyTheNewDayAndPagesNeedNoRequests() throws {
        func make(_ arguments: String...) throws {
            try home.run("/usr/bin/make", ["-f", "\(Self.examples)/gallery/Makefile"] + arguments).expect(0)
        }
        try make("DAYS=2")
        // Simulates the eviction of all entries.
        try CacheOnDisk(home).execute("DELETE FROM entries")
        try server.reset()
        try make("DAYS=3")
        let asked = try server.requests().counts.filter { $0.key.hasPrefix("/pictures/") }
        #expect(asked.map(\.value) == [1], "\(asked)")
        #expect(try home.folder.read("work/site/records.ndjson").split(separator: UInt8(ascii: "\n")).count == 3)
        try server.reset()
        let page = try home.folder.read("work/site/index.html")
        try make("pages")
        #expect(try home.folder.read("work/site/index.html") == page)
        #expect(try server.requests().total == 0)
        try make("clean")
        #expect(!TestFile.exists(home.path("site")))
    }

    // MARK: Launch cards

    private func launchCards(_ arguments: String..., input: String) throws -> ToolOutput {
        try home.run("\(Self.examples)/launch-cards/launch-cards", arguments, stdin: .text(input))
    }

    private func records(_ output: ToolOutput) throws -> [Record] {
        try output.lines.map { try Record(parsing: Array($0.utf8)) }
    }

    @Test func launchesOfBothAPIVersionsHaveCards() throws {
        // `new` is an answer of version 2.3.0: the picture's address is `image.image_url`, and `url` is an address of
        // the API, which must not be downloaded. `old` is an answer of version 2.0.0: the picture's address is `image`.
        let new = """
            {"count": 2, "next": null, "results": [
              {"id": "aaaa-1", "url": "\(server.url("/exercises"))", "name": "One | Up",
               "image": {"id": 7, "image_url": "\(server.url("/pictures/pad.jpg"))", "thumbnail_url": null}},
              {"id": "aaaa-2", "url": "\(server.url("/exercises"))", "name": "Two | Up",
               "image": {"id": 7, "image_url": "\(server.url("/pictures/pad.jpg"))", "thumbnail_url": null}}
            ]}
            """
        let old = """
            {"count":1,"results":[{"id":"bbbb-1","name":"Dr\\u00fcben","net_precision":1.10,
            "image":"\(server.url("/pictures/rocket.png"))"}]}
            """
        let output = try launchCards("-w", "120", "-o", "small", input: new + old).expect(0)
        let records = try records(output)
        #expect(records.map { $0.string("id") } == ["aaaa-1", "aaaa-2", "bbbb-1"])
        #expect(
            records.map { $0.string("variants.custom.path") }
                == ["aaaa-1.jpg", "aaaa-2.jpg", "bbbb-1.png"].map { home.path("small/\($0)") })
        #expect(records.allSatisfy { $0.integer("variants.custom.width") == 120 })
        #expect(output.lines[2].contains(#""name":"Dr\u00fcben","net_precision":1.10,"#))
        #expect(["aaaa-1.jpg", "aaaa-2.jpg", "bbbb-1.png"].allSatisfy { TestFile.exists(home.path("small/\($0)")) })
        #expect(try server.requests()["/pictures/pad.jpg"] == 1)
    }

    @Test func launchWithoutAPictureHasAnErrorCode() throws {
        let page = """
            {"results": [{"id": "a", "image": null}, {"id": "b", "image": "\(server.url("/pictures/b.jpg"))"},
              {"id": "c", "image": "\(server.url("/pictures/c.jpg", faults: ["status-503"]))"}]}
            """
        let records = try records(try launchCards(input: page).expect(69))
        #expect(records.map { $0.string("error.code") } == ["no-picture", nil, "server-error"])
        #expect(records[1].string("variants.custom.path") == home.path("cards/b.jpg"))
    }

    @Test(arguments: [
        #"{"detail":"Request was throttled. Expected available in 2530 seconds."}"#, "<html>Bad gateway</html>",
    ])
    func inputWithoutLaunchesIsRefused(input: String) throws {
        let output = try launchCards(input: input).expect(65)
        #expect(output.stdout.isEmpty)
        #expect(!TestFile.exists(home.path("cards")))
    }

    @Test func launchIDCannotEscapeTheFolder() throws {
        let picture = #""image":"\#(server.url("/pictures/up.jpg"))""#
        let output = try launchCards(input: #"{"results":[{"id":"../up",\#(picture)},{\#(picture)}]}"#).expect(65)
        let records = try records(output)
        #expect(records[0].string("variants.custom.path") == home.path("cards/_._up.jpg"))
        #expect(records[1].string("error.code") == "missing-field")
        #expect(home.folder.contents().filter { $0.hasSuffix("up.jpg") } == ["work/cards/_._up.jpg"])
    }

    @Test(
        .enabled(if: Corpus.isPresent),
        arguments: [
            ("launches-2-3-0-image-object", 2), ("upcoming-2-0-0-image-string", 10),
            ("upcoming-2021-mixed-versions", 3),
        ])
    func recordedLaunchesHaveCards(name: String, count: Int) throws {
        var page = String(decoding: try Corpus.bytes("api/launches/\(name).json"), as: UTF8.self)
        for bucket in ["thespacedevs-prod", "spacelaunchnow-prod-east"] {
            page = page.replacing("https://\(bucket).nyc3.digitaloceanspaces.com", with: server.address)
        }
        let file = try home.write("page.json", page)
        let records = try records(try launchCards("-w", "100", file, input: "").expect(0))
        #expect(records.count == count)
        #expect(records.allSatisfy { $0.integer("variants.custom.width") == 100 })
        let cards = records.compactMap { $0.string("variants.custom.path") }
        #expect(Set(cards).count == count)
        #expect(cards.allSatisfy(TestFile.exists))
    }
}
