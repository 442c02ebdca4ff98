/// A recorded answer of a service, the command that requests it, and the expected result.
struct RecordedAnswer: Sendable, CustomStringConvertible {
    enum Asked: Sendable {
        /// `apod-fetch` for one day or a range, from one of the services.
        case day(Service, String)
        case days(Service, String, through: String)
        /// `gif-cache put ID`; the service returns the recorded file.
        case exercise(String)
        /// `gif-cache put` with the file's exercises as input records; the service returns a GIF for each.
        case exercises
        /// `img-cache put` with the file's launches as input records, whose addresses are changed to the sample
        /// service.
        case launches
        /// `img-cache put URL`; the service returns the recorded file.
        case picture
    }

    enum Service: String, Sendable {
        case science, api
    }

    /// The path in the folder of recordings, such as `apod/v2-single-image.json`.
    let file: String
    let asked: Asked
    /// The tool's expected exit status.
    let status: Int32
    /// The expected fields of each record, in order; nil for an absent field. `@` is replaced by the service's address.
    let records: [[String: String?]]

    init(_ file: String, _ asked: Asked, _ status: Int32, _ records: [[String: String?]]) {
        self.file = file
        self.asked = asked
        self.status = status
        self.records = records
    }

    /// Expects these records and status 0.
    init(_ file: String, _ asked: Asked, _ records: [[String: String?]]) { self.init(file, asked, 0, records) }

    /// Expects a single record with this error code.
    init(_ file: String, _ asked: Asked, _ status: Int32, _ code: String) {
        self.init(file, asked, status, [["error.code": code]])
    }

    var description: String { file }

    /// The HTTP status of the answer, from the file name.
    var answered: Int {
        guard let start = file.firstRange(of: "error-")?.upperBound else { return 200 }
        return Int(file[start...].prefix(3)) ?? 200
    }
}

extension RecordedAnswer {
    static let all = apod + errors + exercises + launches

    private static let assets = "https://assets.science.nasa.gov/content/dam/science/cds/apod/apod"
    private static let resized = "?w=1024&h=1024&fit=clip&crop=faces%2Cfocalpoint"
    private static let images = "https://apod.nasa.gov/apod/image"
    /// The error of a day that is missing from the answer for a range: the tool requests this day alone, and receives
    /// the same array again.
    private static let leftOut: [String: String?] = ["error.code": "bad-answer"]
    private static let hyperion: [String: String?] = [
        "date": "2015-06-03", "title": "Flyby Image of Saturn's Sponge Moon Hyperion", "service_version": "v2",
        "url": "\(assets)/2015/june/hyperion02_cassini_1024.jpg\(resized)",
        "hdurl": "\(assets)/2015/june/hyperion02_cassini_1024.jpg", "copyright": nil,
        "credit": "NASA, JPL-Caltech, SSI",
    ]
    private static let issMoon: [String: String?] = [
        "date": "2023-06-12", "hdurl": "\(images)/2306/IssMoon_Yang_2599.jpg", "copyright": "Tianyao Yang",
        "service_version": "v1", "apod.service": "api",
    ]

    private static let apod: [RecordedAnswer] = [
        .init("apod/v2-single-image.json", .day(.science, "2015-06-03"), [hyperion]),
        .init(
            "apod/v2-list-newest-first.json", .days(.science, "2015-06-03", through: "2015-06-04"),
            [hyperion, ["date": "2015-06-04", "title": "NGC 2419: Intergalactic Wanderer", "copyright": "Bob Franke"]]),
        .init(
            "apod/v2-single-video-mp4.json", .day(.science, "2026-09-13"),
            [["media_type": "video", "url": "\(assets)/2026/september/NoctilucentNeowise_Girotti.mp4", "hdurl": nil]]),
        .init(
            "apod/v2-video-iframe-placeholder-trimmed.json", .day(.science, "2026-08-23"),
            [["url": "https://www.youtube.com/embed/UgxWkOXcdZU?rel=0", "hdurl": nil]]),
        .init(
            "apod/v2-image-placeholder-gif-trimmed.json", .day(.science, "1995-06-16"),
            [["media_type": "image", "hdurl": "\(assets)/1995/june/e_lens.gif"]]),

        .init("apod/image-hdurl.json", .day(.api, "2023-06-12"), [issMoon]),
        .init("apod/image-hdurl.headers.txt", .day(.api, "2023-06-12"), [issMoon]),
        .init(
            "apod/image-hdurl-equals-url.json", .day(.api, "2013-10-13"),
            [["hdurl": "\(images)/1310/970401C_lodriguss_960.jpg", "url": "\(images)/1310/970401C_lodriguss_960.jpg"]]),
        .init(
            "apod/image-hdurl-is-a-movie.json", .day(.api, "2007-05-14"),
            [["hdurl": nil, "url": "\(images)/0705/earth_galileo.jpg"]]),
        .init(
            "apod/image-hdurl-trailing-blank.json", .day(.api, "2001-11-09"),
            [["hdurl": "\(images)/0111/sungrazer_vanmontage.jpg"]]),
        .init(
            "apod/image-http-urls.json", .day(.api, "2011-10-11"),
            [["url": "http://apod.nasa.gov/apod/image/1110/bubble_vanvleet_900.jpg"]]),
        .init(
            "apod/image-no-hdurl-docs-sample.json", .day(.api, "2013-10-01"), [["media_type": "image", "hdurl": nil]]),
        .init(
            "apod/image-concepts-string.json", .day(.api, "2025-07-10"),
            [["hdurl": "\(images)/2507/LDN1251gualco2048.JPG", "concepts": nil]]),
        .init("apod/image-title-non-ascii.json", .day(.api, "2025-01-21"), [["title": "Comet ATLAS over Brasília"]]),
        .init("apod/image-copyright-newlines.json", .day(.api, "2024-10-16"), [["copyright": "Tristian McDonald"]]),
        .init(
            "apod/image-copyright-messy-array.json", .days(.api, "2025-06-22", through: "2025-06-23"), 65,
            [leftOut, ["date": "2025-06-23", "copyright": "Francesco Antonucci"]]),
        .init(
            "apod/count-2-array.json", .days(.api, "2020-09-23", through: "2020-09-24"), 65,
            [leftOut, ["date": "2020-09-24", "media_type": "image", "copyright": nil]]),
        .init(
            "apod/count-3-array-gif-hdurl.json", .days(.api, "2001-02-02", through: "2001-02-03"), 65,
            [leftOut, ["hdurl": "\(images)/0102/m100_hst_big.gif", "url": "\(images)/0102/m100_hst.jpg"]]),
        .init(
            "apod/count-5-array-digg-url.json", .days(.api, "2009-07-25", through: "2009-07-26"), 65,
            [leftOut, ["title": "The Big Corona"]]),
        .init(
            "apod/range-2-days-mixed-thumbs.json", .days(.api, "2021-11-07", through: "2021-11-08"),
            [["thumbnail_url": nil], ["thumbnail_url": "https://img.youtube.com/vi/7NykS2kv_k8/0.jpg"]]),
        .init(
            "apod/range-3-days.json", .days(.api, "2017-07-08", through: "2017-07-10"),
            [["date": "2017-07-08"], ["date": "2017-07-09"], ["date": "2017-07-10"]]),
        .init("apod/other-no-url.json", .day(.api, "2025-03-24"), [["media_type": "other", "url": nil]]),
        .init(
            "apod/video-mp4-thumbnail-empty.json", .day(.api, "2026-08-21"),
            [["media_type": "video", "url": "\(images)/2608/eso2612b.mp4", "thumbnail_url": nil]]),
        .init(
            "apod/video-page-link.json", .day(.api, "2021-08-02"),
            [["media_type": "video", "url": "\(images)/1803/AstroSoM/hudf.html", "thumbnail_url": nil]]),
        .init(
            "apod/video-protocol-relative-url.json", .day(.api, "2013-06-12"),
            [["url": "https://www.youtube.com/embed/DmYK479EpQc?vq=hd720&rel=0"]]),
        .init("apod/video-vimeo.json", .day(.api, "2011-03-15"), [["media_type": "video", "thumbnail_url": nil]]),
        .init(
            "apod/video-youtube-no-thumbnail.json", .day(.api, "2020-06-03"),
            [["thumbnail_url": "https://img.youtube.com/vi/Cd5a5KdPxQc/0.jpg"]]),
        // The recorded request was for 2020-06-04, but the answer contains the day before.
        .init("apod/video-youtube-no-thumbnail.json", .day(.api, "2020-06-04"), 65, "wrong-date"),
        .init(
            "apod/video-youtube-thumbnail.json", .day(.api, "2021-11-08"),
            [["media_type": "video", "hdurl": nil, "copyright": "Stéphane Poirier"]]),
    ]

    private static let errors: [RecordedAnswer] = [
        .init("apod/legacy-2026-10-nasa-logo.json", .day(.api, "2026-10-01"), 69, "stand-in"),
        .init("apod/error-400-bad-date-format.json", .day(.api, "2020-01-01"), 69, "refused"),
        .init("apod/error-400-count-limit.json", .day(.api, "2020-01-01"), 69, "refused"),
        .init("apod/error-400-date-out-of-range.json", .day(.api, "2020-01-01"), 69, "refused"),
        .init("apod/error-400-impossible-day.json", .day(.api, "2020-01-01"), 69, "refused"),
        .init("apod/error-400-invalid-combination.json", .day(.api, "2020-01-01"), 69, "refused"),
        .init("apod/error-400-start-after-end.json", .day(.api, "2020-01-01"), 69, "refused"),
        .init("apod/error-400-unknown-field.json", .day(.api, "2020-01-01"), 69, "refused"),
        .init("apod/error-403-api-key-invalid.json", .day(.api, "2020-01-01"), 77, "forbidden"),
        .init("apod/error-403-api-key-missing.json", .day(.api, "2020-01-01"), 77, "forbidden"),
        .init("apod/error-403-api-key-unverified.json", .day(.api, "2020-01-01"), 77, "forbidden"),
        .init("apod/error-404-no-data.json", .day(.api, "2020-01-01"), 69, "no-picture"),
        .init("apod/error-429-over-rate-limit.html", .day(.api, "2020-01-01"), 75, "rate-limited"),
        .init("apod/error-429-over-rate-limit.json", .day(.api, "2020-01-01"), 75, "rate-limited"),
        .init("apod/error-429.headers.txt", .day(.api, "2020-01-01"), 75, "rate-limited"),
        .init("apod/error-500-internal.json", .day(.api, "2020-01-01"), 75, "server-error"),
        .init("apod/error-503-upstream-timeout.txt", .day(.api, "2020-01-01"), 75, "server-error"),
        .init("apod/error-504-gateway.html", .day(.api, "2020-01-01"), 75, "server-error"),
        .init("apod/v2-error-404-no-route.json", .day(.science, "2020-01-01"), 69, "refused"),
        .init("apod/v2-error-404-not-found.json", .day(.science, "2020-01-01"), 69, "no-picture"),
    ]

    /// A record with a GIF and the given fields.
    private static func gif(_ fields: [String: String?]) -> [String: String?] {
        fields.merging(["cache.content_type": "image/gif", "gif.placeholder": "false"]) { $1 }
    }

    private static let exercises: [RecordedAnswer] = [
        .init("exercisedb/image.headers.txt", .exercise("0001"), [gif([:])]),
        .init(
            "exercisedb/exercises-default-page.json", .exercises,
            ["0001", "0002", "0003", "1512", "0006", "0007", "1368", "3293", "3294", "2355"].map {
                gif(["id": $0])
            }),
        .init(
            "exercisedb/exercises-limit-1-offset-3.json", .exercises,
            [gif(["id": "0013", "name": "assisted lying leg raise with throw down"])]),
        .init(
            "exercisedb/exercise-0001-2022.json", .exercises,
            [gif(["id": "0001", "gifUrl": "http://d205bpvrqc9yn1.cloudfront.net/0001.gif"])]),
        .init(
            "exercisedb/exercise-0001-no-gifurl.json", .exercises,
            [gif(["id": "0001", "gifUrl": nil])]),
        // The service returns JSON in place of a GIF.
        .init("exercisedb/exercise-0001-no-gifurl.json", .exercise("0001"), 65, "not-a-gif"),
        .init("exercisedb/error-401-invalid-key.json", .exercise("0001"), 77, "api-key-invalid"),
        .init("exercisedb/error-403-not-subscribed.json", .exercise("0001"), 77, "not-subscribed"),
        .init("exercisedb/error-429-monthly-quota.json", .exercise("0001"), 75, "quota-exceeded"),
        .init("exercisedb/error-429-too-many-requests.json", .exercise("0001"), 75, "rate-limited"),
    ]

    /// The picture of a launch is the third address in its record. The first is the launch itself, which is not a
    /// picture.
    private static func pictures(_ folder: String, _ names: [String]) -> [[String: String?]] {
        names.map { ["cache.url": "@/media/\(folder)/\($0)", "error": nil] }
    }

    private static let launches: [RecordedAnswer] = [
        .init(
            "launches/launches-2-3-0-image-object.json", .launches,
            pictures("images", ["sputnik_8k74ps_image_20210830185541.jpg", "sputnik_8k74ps_image_20210830185541.jpg"])),
        .init(
            "launches/upcoming-2-0-0-image-string.json", .launches,
            pictures(
                "images",
                [
                    "falcon_9_on_slc_image_20241024165956.jpg", "falcon_9_liftof_image_20241206131356.jpg",
                    "falcon2520925_image_20221009234147.png", "cz-7a_launch_2_image_20251206093324.jpeg",
                    "falcon2520925_image_20221009234147.png", "pegasus_xl_moun_image_20240307124328.jpeg",
                    "spectrum_on_the_image_20250321072643.jpeg", "falcon_9_image_20230807133459.jpeg",
                    "themis_t1h_on_t_image_20250919095336.jpg", "falcon_9_image_20230807133459.jpeg",
                ])),
        .init(
            "launches/upcoming-2021-mixed-versions.json", .launches,
            pictures(
                "launch_images", ["falcon2520925_image_20210121062346.png", "falcon2520925_image_20210218213404.png"])
                + pictures("launcher_images", ["firefly_alpha_image_20200817170720.jpg"])),
        .init("launches/error-429-throttled.json", .picture, 75, "rate-limited"),
    ]
}
