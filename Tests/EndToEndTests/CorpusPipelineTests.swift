import Formats
import Records
import Support
import TestSupport
import Testing

/// Real pictures, whole and damaged, through `img-downsample` as a stream; NASA's recorded answers through
/// `apod-fetch`.
@Suite(.serialized, .enabled(if: Corpus.isPresent))
struct CorpusPipelineTests {
    /// What any picture may take. The most is 207 MB, for the coefficients of a progressive JPEG of 33 megapixels in 4:4:4,
    /// which its format forces into memory; 280 megapixels of a baseline JPEG take 12 MB.
    private static let memoryLimit = 256 << 20
    /// What no reader of ours knows: these end with a refusal although they are sound.
    private static let refusedKinds = ["arithmetic", "lossless", "12-bit", "16-bit JPEG"]

    @Test(arguments: ["photos", "exif", "webp", "gif", "png-suite", "malformed"])
    func everyPictureEndsAsAVariantOrAsARefusalThatNamesIt(_ folder: String) throws {
        let home = try ToolHome()
        let rows = try CorpusTable.rows(folder)
        #expect(rows.count > 20)
        var tool = try start(home)
        for row in rows {
            let input = JSON.object(["path": .string(row.path), "sound": .bool(row.isSound)])
            tool.write(input.bytes + [UInt8(ascii: "\n")])
            guard let line = tool.readLine(within: .seconds(180)) else {
                Issue.record("\(row.name): no record: \(tool.wait(deadline: .seconds(1)))")
                tool = try start(home)
                continue
            }
            check(try Record(parsing: Array(line.utf8)), row, folder)
            // AddressSanitizer keeps what is freed for a while.
            if !isUnderAddressSanitizer, let peak = tool.peakMemory, peak > Self.memoryLimit {
                Issue.record("\(row.name) took \(peak >> 20) MB")
                end(tool)
                tool = try start(home)
            }
        }
        end(tool)
    }

    private func start(_ home: ToolHome) throws -> RunningTool {
        try home.start("img-downsample", ["--variant", "pager", "--jobs", "1", "--lease", "0s", "--capacity", "20MB"])
    }

    private func end(_ tool: RunningTool) {
        let output = tool.wait()
        #expect([0, 65, 77].contains(output.status), "\(output)")
    }

    private func check(_ record: Record, _ row: CorpusTable.Row, _ folder: String) {
        guard record.has("error") else {
            let width = record.integer("variants.pager.width") ?? 0
            let height = record.integer("variants.pager.height") ?? 0
            #expect(width >= 1 && height >= 1 && width <= 1024 && height <= 1024, "\(row.name)")
            guard folder != "malformed", row.isSound, let size = row.uprightSize else { return }
            let expected = fitted(size)
            #expect(
                abs(width - expected.width) <= 1 && abs(height - expected.height) <= 1,
                "\(row.name): \(width)x\(height)")
            return
        }
        let exit = record.integer("error.exit") ?? 0
        let message = record.string("error.message") ?? ""
        #expect(exit == 65 || exit == 77, "\(row.name): \(message)")
        #expect(record.bool("error.transient") == false, "\(row.name): \(message)")
        #expect(message.contains(row.path), "\(row.name): \(message)")
        #expect(!record.has("variants"), "\(row.name)")
        let mayBeRefused =
            !row.isSound || folder == "malformed" || exit == 77
            || Self.refusedKinds.contains { row.details.contains($0) || message.contains($0) }
        #expect(mayBeRefused, "\(row.name) is sound: \(message)")
    }

    /// The size within 1024x1024, never larger.
    private func fitted(_ size: PixelSize) -> (width: Int, height: Int) {
        let longest = max(size.width, size.height)
        guard longest > 1024 else { return (size.width, size.height) }
        return (max(1, size.width * 1024 / longest), max(1, size.height * 1024 / longest))
    }

    @Test func aFolderOfPicturesMayBeArguments() throws {
        let home = try ToolHome()
        let rows = try CorpusTable.rows("png-suite")
        let arguments = rows.map(\.path) + ["--variant", "pager", "--output-dir", "out", "--format", "webp"]
        let output = try home.run("img-downsample", arguments).expect(65)
        let records = try output.records
        // The records have the folder's own path, whatever links lead to it.
        func name(_ path: String?) -> Substring? { path?.split(separator: "/").last }
        #expect(records.map { name($0.string("path")) } == rows.map { name($0.path) })
        // Those that the suite has damaged on purpose are called x….
        #expect(rows.filter { $0.name.hasPrefix("x") }.count == records.filter { $0.has("error") }.count)
        #expect(zip(rows, records).allSatisfy { row, record in row.name.hasPrefix("x") == record.has("error") })
        let made = TemporaryFolder.names(in: home.path("out"))
        #expect(
            made.count == records.filter { !$0.has("error") }.count && made.allSatisfy { $0.hasSuffix("-pager.webp") })
    }

    // MARK: Recorded answers

    private struct Answer: Sendable, CustomTestStringConvertible {
        let file: String
        let day: String
        let fields: [String: String]
        var testDescription: String { file }

        init(_ file: String, _ day: String, _ fields: [String: String]) {
            (self.file, self.day, self.fields) = (file, day, fields)
        }
    }

    private static let answers = [
        Answer(
            "v2-single-image.json", "2015-06-03",
            [
                "title": "Flyby Image of Saturn's Sponge Moon Hyperion", "service_version": "v2",
                "credit": "NASA, JPL-Caltech, SSI",
            ]),
        Answer("v2-single-video-mp4.json", "2026-09-13", ["media_type": "video", "copyright": "Paolo Girotti"]),
        Answer(
            "v2-video-iframe-placeholder-trimmed.json", "2026-08-23",
            ["url": "https://www.youtube.com/embed/UgxWkOXcdZU?rel=0"]),
        Answer("image-hdurl.json", "2023-06-12", ["copyright": "Tianyao Yang", "service_version": "v1"]),
        Answer("image-title-non-ascii.json", "2025-01-21", ["title": "Comet ATLAS over Bras\u{ED}lia"]),
        Answer("other-no-url.json", "2025-03-24", ["media_type": "other"]),
        Answer("video-youtube-thumbnail.json", "2021-11-08", ["media_type": "video"]),
        Answer("legacy-2026-10-nasa-logo.json", "2026-10-01", ["error.code": "stand-in", "error.exit": "69"]),
        Answer("error-403-api-key-invalid.json", "2020-01-01", ["error.code": "api-key-invalid", "error.exit": "77"]),
        Answer("error-404-no-data.json", "2020-01-01", ["error.code": "no-picture", "error.exit": "69"]),
        Answer("error-429-over-rate-limit.json", "2020-01-01", ["error.code": "rate-limited", "error.exit": "75"]),
        Answer("error-503-upstream-timeout.txt", "2020-01-01", ["error.code": "server-error", "error.exit": "75"]),
        Answer("v2-error-404-not-found.json", "2020-01-01", ["error.code": "no-picture", "error.exit": "69"]),
        Answer("video-youtube-no-thumbnail.json", "2020-06-04", ["error.code": "wrong-date", "error.exit": "65"]),
    ]

    @Test func recordedAnswersBecomeRecords() throws {
        let service = try SampleServer(["--fixtures", try Corpus.path("api")])
        let home = try ToolHome(environment: service.environment)
        for answer in Self.answers {
            let isNew = answer.file.hasPrefix("v2-")
            let base = service.url("/always/apod/\(answer.file)")
            let output = try home.run(
                "apod-fetch", ["--date", answer.day, "--service", isNew ? "science" : "api", "--retries", "0"],
                environment: [isNew ? "APOD_SCIENCE_URL" : "APOD_API_URL": base])
            let record = try output.record
            #expect(record.string("date") == answer.day, "\(answer.file)")
            for (name, value) in answer.fields {
                #expect(FieldPath(name).flatMap { record.printable($0) } == value, "\(answer.file): \(output)")
            }
            #expect(output.status == Int32(record.integer("error.exit") ?? 0), "\(answer.file): \(output)")
        }
    }

    @Test func aRecordedRangeComesInItsOrder() throws {
        let service = try SampleServer(["--fixtures", try Corpus.path("api")])
        let home = try ToolHome(environment: service.environment)
        let base = service.url("/always/apod/range-3-days.json")
        let output = try home.run(
            "apod-fetch",
            ["--start-date", "2017-07-08", "--end-date", "2017-07-10", "--service", "api", "--print", "date"],
            environment: ["APOD_API_URL": base]
        ).expect(0)
        #expect(output.lines == ["2017-07-08", "2017-07-09", "2017-07-10"])
    }
}
