import HTTP
import Libc
import Records
import Support
import TestSupport
import Testing

@testable import APOD

/// NASA's recorded answers, each with its expected record or failure. The recordings are not part of the project.
@Suite(.enabled(if: RecordedAnswers.folder != nil, "there is no corpus of recorded answers"))
struct RecordedAnswersTests {
    /// The expected result for one day of an answer.
    enum Expected: Sendable {
        /// Expected fields of the record; nil for absent fields.
        case record([String: String?])
        /// The failure's code and exit status.
        case failure(String, ExitCode)
    }

    struct Answered: Sendable, CustomTestStringConvertible {
        let file: String
        let status: Int
        let pictures: [(day: String, expected: Expected)]
        var testDescription: String { file }

        /// Creates a row for an answer with a single picture or failure.
        static func one(_ file: String, _ day: String, _ expected: Expected, status: Int = 200) -> Answered {
            Answered(file: file, status: status, pictures: [(day, expected)])
        }

        static func list(_ file: String, _ pictures: [(String, Expected)]) -> Answered {
            Answered(file: file, status: 200, pictures: pictures)
        }

        static func error(_ file: String, _ code: String, _ exit: ExitCode) -> Answered {
            Answered(
                file: file, status: Int(file.dropFirst("error-".count).prefix(3)) ?? 404,
                pictures: [("2020-01-01", .failure(code, exit))])
        }
    }

    private static let assets = "https://assets.science.nasa.gov/content/dam/science/cds/apod/apod"
    private static let resized = "?w=1024&h=1024&fit=clip&crop=faces%2Cfocalpoint"
    private static let images = "https://apod.nasa.gov/apod/image"

    private static let hyperion = Expected.record([
        "title": "Flyby Image of Saturn's Sponge Moon Hyperion",
        "url": "\(assets)/2015/june/hyperion02_cassini_1024.jpg\(resized)",
        "hdurl": "\(assets)/2015/june/hyperion02_cassini_1024.jpg", "media_type": "image", "service_version": "v2",
        "copyright": nil, "credit": "NASA, JPL-Caltech, SSI", "thumbnail_url": nil,
        "permalink":
            "https://science.nasa.gov/image-article/apod-2015-june-3-flyby-image-of-saturns-sponge-moon-hyperion/",
    ])

    static let all: [Answered] = [
        .list(
            "count-2-array.json",
            [("2020-09-24", .record(["copyright": nil])), ("2018-06-03", .record(["media_type": "image"]))]),
        .list(
            "count-3-array-gif-hdurl.json",
            [
                (
                    "2001-02-03",
                    .record(["hdurl": "\(images)/0102/m100_hst_big.gif", "url": "\(images)/0102/m100_hst.jpg"])
                ),
                ("2014-12-21", .record(["copyright": "Danilo Pivato"])),
                ("2022-06-23", .record(["copyright": "Basudeb Chakrabarti"])),
            ]),
        .list(
            "count-5-array-digg-url.json",
            [
                ("2009-07-26", .record(["title": "The Big Corona"])), ("1999-05-27", .record([:])),
                ("2020-08-07", .record([:])),
                ("2014-06-08", .record([:])), ("1998-02-22", .record([:])),
            ]),
        .one("image-concepts-string.json", "2025-07-10", .record(["hdurl": "\(images)/2507/LDN1251gualco2048.JPG"])),
        .list(
            "image-copyright-messy-array.json",
            [
                (
                    "2025-07-08",
                    .record(["copyright": "Ogetay Kayali (Michigan Tech U.); Text: Ogetay Kayali (Michigan Tech U.)"])
                ),
                ("2025-07-03", .record(["copyright": "Matipon Tangmatitham (NARIT)"])),
                ("2025-06-23", .record(["copyright": "Francesco Antonucci"])),
                (
                    "2025-05-25",
                    .record([
                        "copyright":
                            "NASA, Juno, SwRI, MSSS; Processing & License: Gerald Eichst\u{E4}dt & Se\u{E1}n Doran"
                    ])
                ),
            ]),
        .one("image-copyright-newlines.json", "2024-10-16", .record(["copyright": "Tristian McDonald"])),
        .one(
            "image-hdurl-equals-url.json", "2013-10-13",
            .record(["hdurl": "\(images)/1310/970401C_lodriguss_960.jpg", "copyright": "Catching the Light"])),
        .one(
            "image-hdurl-is-a-movie.json", "2007-05-14",
            .record(["hdurl": nil, "url": "\(images)/0705/earth_galileo.jpg"])),
        .one(
            "image-hdurl-trailing-blank.json", "2001-11-09",
            .record(["hdurl": "\(images)/0111/sungrazer_vanmontage.jpg"])),
        .one(
            "image-hdurl.json", "2023-06-12",
            .record(["hdurl": "\(images)/2306/IssMoon_Yang_2599.jpg", "copyright": "Tianyao Yang"])),
        .one(
            "image-http-urls.json", "2011-10-11",
            .record(["url": "http://apod.nasa.gov/apod/image/1110/bubble_vanvleet_900.jpg"])),
        .one(
            "image-no-hdurl-docs-sample.json", "2013-10-01",
            .record(["media_type": "image", "hdurl": nil, "service_version": "v1"])),
        .one(
            "image-title-non-ascii.json", "2025-01-21",
            .record(["title": "Comet ATLAS over Bras\u{ED}lia", "copyright": nil])),
        .one("legacy-2026-10-nasa-logo.json", "2026-10-01", .failure("stand-in", .unavailable)),
        .one(
            "other-no-url.json", "2025-03-24",
            .record(["media_type": "other", "url": nil, "copyright": "Mauricio Salazar"])),
        .list(
            "range-2-days-mixed-thumbs.json",
            [
                ("2021-11-07", .record(["thumbnail_url": nil])),
                ("2021-11-08", .record(["thumbnail_url": "https://img.youtube.com/vi/7NykS2kv_k8/0.jpg"])),
            ]),
        .list(
            "range-3-days.json",
            [("2017-07-08", .record([:])), ("2017-07-09", .record([:])), ("2017-07-10", .record([:]))]),
        .one(
            "video-mp4-thumbnail-empty.json", "2026-08-21",
            .record(["url": "\(images)/2608/eso2612b.mp4", "thumbnail_url": nil, "media_type": "video"])),
        .one(
            "video-page-link.json", "2021-08-02",
            .record(["media_type": "video", "url": "\(images)/1803/AstroSoM/hudf.html", "thumbnail_url": nil])),
        .one(
            "video-protocol-relative-url.json", "2013-06-12",
            .record([
                "url": "https://www.youtube.com/embed/DmYK479EpQc?vq=hd720&rel=0",
                "thumbnail_url": "https://img.youtube.com/vi/DmYK479EpQc/0.jpg",
            ])),
        .one(
            "video-vimeo.json", "2011-03-15",
            .record([
                "url": "https://player.vimeo.com/video/11386048?title=0&byline=0&portrait=0&color=ffffff",
                "thumbnail_url": nil,
                "copyright":
                    "Cassini Imaging Team, ISS, JPL, ESA, NASA, S. Van Vuuren et al.; Music: Adagio for Strings (NY Philharmonic)",
            ])),
        .one(
            "video-youtube-no-thumbnail.json", "2020-06-03",
            .record(["thumbnail_url": "https://img.youtube.com/vi/Cd5a5KdPxQc/0.jpg"])),
        // The recorded answer is for the day before the requested day.
        .one("video-youtube-no-thumbnail.json", "2020-06-04", .failure("wrong-date", .data)),
        .one(
            "video-youtube-thumbnail.json", "2021-11-08", .record(["hdurl": nil, "copyright": "St\u{E9}phane Poirier"])),
        .one("v2-single-image.json", "2015-06-03", hyperion),
        .list(
            "v2-list-newest-first.json",
            [
                ("2015-06-03", hyperion),
                (
                    "2015-06-04",
                    .record([
                        "title": "NGC 2419: Intergalactic Wanderer", "copyright": "Bob Franke", "credit": "Bob Franke",
                    ])
                ),
            ]),
        .one(
            "v2-single-video-mp4.json", "2026-09-13",
            .record([
                "media_type": "video", "url": "\(assets)/2026/september/NoctilucentNeowise_Girotti.mp4", "hdurl": nil,
                "thumbnail_url":
                    "https://assets.science.nasa.gov/dynamicimage/assets/science/cds/apod/apod/2026/september/"
                    + "Comet_snapshot.png?w=1080&h=1350&fit=clip&crop=faces%2Cfocalpoint",
                "copyright": "Paolo Girotti", "credit": "Paolo Girotti",
                "alt": "Comet in the sky low to the horizon above the clouds.",
            ])),
        .one(
            "v2-video-iframe-placeholder-trimmed.json", "2026-08-23",
            .record([
                "title": "M104: The Sombrero Galaxy's Tidal Streams", "media_type": "video",
                "url": "https://www.youtube.com/embed/UgxWkOXcdZU?rel=0",
                "thumbnail_url": "https://img.youtube.com/vi/UgxWkOXcdZU/0.jpg", "hdurl": nil,
                "copyright": "Engelbert Vollmer",
                "explanation": "A deep image of the Sombrero galaxy reveals surprises.",
            ])),
        .one(
            "v2-image-placeholder-gif-trimmed.json", "1995-06-16",
            .record([
                "media_type": "image", "url": "\(assets)/1995/june/e_lens.gif",
                "hdurl": "\(assets)/1995/june/e_lens.gif", "copyright": nil,
                "credit": "NASA, JPL-Caltech",
            ])),
        .error("error-400-bad-date-format.json", "refused", .unavailable),
        .error("error-400-count-limit.json", "refused", .unavailable),
        .error("error-400-date-out-of-range.json", "refused", .unavailable),
        .error("error-400-impossible-day.json", "refused", .unavailable),
        .error("error-400-invalid-combination.json", "refused", .unavailable),
        .error("error-400-start-after-end.json", "refused", .unavailable),
        .error("error-400-unknown-field.json", "refused", .unavailable),
        .error("error-403-api-key-invalid.json", "forbidden", .notAllowed),
        .error("error-403-api-key-missing.json", "forbidden", .notAllowed),
        .error("error-403-api-key-unverified.json", "forbidden", .notAllowed),
        .error("error-404-no-data.json", "no-picture", .unavailable),
        .error("error-429-over-rate-limit.html", "rate-limited", .temporary),
        .error("error-429-over-rate-limit.json", "rate-limited", .temporary),
        .error("error-500-internal.json", "server-error", .temporary),
        .error("error-503-upstream-timeout.txt", "server-error", .temporary),
        .error("error-504-gateway.html", "server-error", .temporary),
        .error("v2-error-404-no-route.json", "refused", .unavailable),
        .error("v2-error-404-not-found.json", "no-picture", .unavailable),
    ]

    @Test(arguments: all)
    func answerHasItsExpectedResult(_ answered: Answered) throws {
        let bytes = try RecordedAnswers.bytes(answered.file)
        let service: Service = answered.file.hasPrefix("v2-") ? .science : .api
        for (text, expected) in answered.pictures {
            let day = day(text)
            let result = try Self.result(bytes, answered.status, day, service)
            switch (expected, result) {
            case (.record(let fields), .success(let picture)):
                let record = picture.record(fetchedAt: time("2026-11-20"))
                for (name, value) in fields {
                    #expect(FieldPath(name).flatMap { record.string($0) } == value, "\(name) of \(day)")
                }
                Self.checkShape(record)
            case (.failure(let code, let exit), .failure(let failure)):
                #expect(failure.code == code)
                #expect(failure.exitCode == exit)
                #expect(failure.message.count > 20)
            case (_, .success(let picture)): Issue.record("a picture where a failure was expected: \(picture.title)")
            case (_, .failure(let failure)): Issue.record("\(day): \(failure.message)")
            }
        }
    }

    private static func result(
        _ bytes: [UInt8], _ status: Int, _ day: CalendarDay, _ service: Service
    ) throws -> Result<Picture, APODFailure> {
        if status != 200 {
            return .failure(
                ErrorAnswer.failure(
                    for: FetchFailure.Answer(
                        status: status, headers: HTTPHeaders(), url: try WebURL(FakeNASA.apiBase), body: bytes),
                    from: Server(service), day: day, newest: newest))
        }
        if bytes.first == UInt8(ascii: "[") {
            let pictures = try ServiceAnswer.pictures(
                in: bytes, from: PublishedDays.first, through: newest, of: service)
            return try #require(pictures[day])
        }
        return Result { () throws(APODFailure) in try ServiceAnswer.picture(in: bytes, of: day, from: service) }
    }

    private static let newest = PublishedDays.newest(at: time("2026-11-20"))

    /// Checks the rules of every record, and that no HTML markup remains in its texts.
    private static func checkShape(_ record: Record) {
        expectRecordRules(record)
        for name in record.names where name != "apod" {
            let text = FieldPath(name).flatMap { record.string($0) } ?? ""
            for debris in [
                "<a ", "<b>", "</", "&#", "&amp;", "digg_", "Tomorrow's picture", "news-thumbnail", "nasa-logo",
            ] {
                #expect(!text.contains(debris), "\(name) contains \(debris)")
            }
        }
        #expect(record.string("explanation")?.hasPrefix("Explanation") == false)
    }

    @Test func everyRecordedAnswerIsInTheTable() {
        let inTable = Set(Self.all.map(\.file))
        let recorded = RecordedAnswers.files.filter { !$0.hasSuffix(".headers.txt") }
        #expect(recorded.count > 40)
        #expect(Set(recorded).subtracting(inTable).sorted() == [])
    }
}

/// The folder `api/apod` of the corpus. `APOD_TOOLS_CORPUS` may name the corpus's root or its folder of pictures.
enum RecordedAnswers {
    static let folder: String? = {
        guard Corpus.isPresent, let root = Corpus.root else { return nil }
        return ["\(root)/api/apod", "\(root)/../api/apod"].first(where: TestFile.exists)
    }()

    static func bytes(_ file: String) throws -> [UInt8] { try TestFile.bytes("\(folder ?? "")/\(file)") }

    static var files: [String] {
        guard let folder, let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }
}
