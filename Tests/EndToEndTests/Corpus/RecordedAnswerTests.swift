import Records
import Support
import TestSupport
import Testing

/// Replays every recorded answer of the services to the tools.
@Suite(.enabled(if: Corpus.isPresent)) struct RecordedAnswerTests {
    @Test func recordedAnswerHasItsExpectedResult() throws {
        let service = try SampleServer(["--fixtures", try Corpus.path("api"), "--size", "64x48"])
        for answer in RecordedAnswer.all {
            // Each answer has a new home, because a stored quota or day would affect the next answer.
            let home = try ToolHome(environment: service.environment)
            let output = try run(answer, home, service).expect(answer.status)
            let records = try output.records
            #expect(records.count == answer.records.count, "\(answer): \(output)")
            for (record, fields) in zip(records, answer.records) {
                for (name, value) in fields {
                    let path = try #require(FieldPath(name))
                    let expected = value?.replacing("@", with: service.address)
                    #expect(record.printable(path) == expected, "\(answer), \(name): \(output)")
                }
                if let exit = record.integer("error.exit"), records.count == 1 {
                    #expect(exit == Int(answer.status), "\(answer): \(output)")
                }
            }
        }
    }

    private func run(_ answer: RecordedAnswer, _ home: ToolHome, _ service: SampleServer) throws -> ToolOutput {
        func apod(_ from: RecordedAnswer.Service, _ days: [String]) throws -> ToolOutput {
            try home.run(
                "apod-fetch", days + ["APOD_TOOLS_SERVICE=\(from.rawValue)", "APOD_TOOLS_RETRIES=0"],
                environment: ["APOD_\(from.rawValue.uppercased())_URL": service.url("/always/\(answer.file)")])
        }
        func gif(_ arguments: [String], _ stdin: ToolInput, _ file: String) throws -> ToolOutput {
            try home.run(
                "gif-cache", ["put", "APOD_TOOLS_RETRIES=0"] + arguments, stdin: stdin,
                environment: ["EXERCISEDB_API_URL": service.url("/always/\(file)"), "EXERCISEDB_API_KEY": "any"])
        }
        switch answer.asked {
        case .day(let from, let day): return try apod(from, ["--date", day])
        case .days(let from, let first, let last): return try apod(from, ["--date", "\(first)..\(last)"])
        case .exercise(let id): return try gif([id], .empty, answer.file)
        case .exercises: return try gif([], .bytes(try body(answer, service)), "exercisedb/image.headers.txt")
        case .launches:
            let page = try Record(parsing: try body(answer, service))
            let launches = Array(try #require(page.raw("results")))
            let moved = moved(String(decoding: launches, as: UTF8.self), to: service.address)
            return try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0"], stdin: .bytes(Array(moved.utf8)))
        case .picture:
            return try home.run("img-cache", ["put", "APOD_TOOLS_RETRIES=0", service.url("/recorded/\(answer.file)")])
        }
    }

    private func body(_ answer: RecordedAnswer, _ service: SampleServer) throws -> [UInt8] {
        try LoopbackClient.send(service.url("/recorded/\(answer.file)")).body
    }

    /// The text with the origin of every https address replaced by `address`.
    private func moved(_ text: String, to address: String) -> String {
        let pieces = text.split(separator: "https://", omittingEmptySubsequences: false)
        return pieces.dropFirst().reduce(into: String(pieces[0])) { $0 += address + $1.drop { $0 != "/" } }
    }

    @Test func answerIsReplayedWithItsRecordedStatusAndHeaders() throws {
        let service = try SampleServer(["--fixtures", try Corpus.path("api")])
        for answer in RecordedAnswer.all {
            let response = try LoopbackClient.send(service.url("/recorded/\(answer.file)"))
            #expect(response.status == answer.answered, "\(answer)")
            #expect(!response.body.isEmpty, "\(answer)")
        }
        func header(_ name: String, of file: String) throws -> String? {
            try LoopbackClient.send(service.url("/recorded/\(file)")).header(name)
        }
        for file in ["apod/image-hdurl.json", "apod/image-hdurl.headers.txt"] {
            #expect(try header("X-Ratelimit-Remaining", of: file) == "1993")
        }
        for file in ["json", "html"].map({ "apod/error-429-over-rate-limit.\($0)" }) + ["apod/error-429.headers.txt"] {
            #expect(try header("Retry-After", of: file) == "2870")
            #expect(try header("X-RateLimit-Limit", of: file) == "2000")
        }
        #expect(try header("Content-Type", of: "apod/error-429.headers.txt") == "text/html")
        #expect(try header("X-Cache", of: "apod/error-403-api-key-invalid.json") == "MISS")
        #expect(try header("Content-Type", of: "apod/v2-single-image.json") == "application/json; charset=UTF-8")
        #expect(try header("Retry-After", of: "launches/error-429-throttled.json") == "2530")
        #expect(try header("Content-Type", of: "exercisedb/image.headers.txt") == "image/gif")
    }

    @Test func tableListsEveryRecording() throws {
        let inTable = Set(RecordedAnswer.all.map(\.file))
        for folder in ["apod", "exercisedb", "launches"] {
            let names = TemporaryFolder.names(in: try Corpus.path("api/\(folder)")).filter { !$0.hasPrefix(".") }
            #expect(names.count >= 4)
            for name in names {
                #expect(inTable.contains("\(folder)/\(name)"), "\(folder)/\(name) is not in the table")
            }
        }
    }
}
