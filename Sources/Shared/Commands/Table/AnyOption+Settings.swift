import CacheTools
import Formats
import HTTP
import Options
import Support

/// Settings that a single tool uses. They are defined here because every tool checks all fields of the shared
/// configuration file.
extension AnyOption {
    // MARK: apod-fetch

    public static let service = Option.word(
        "service", "SERVICE", .service, of: ["auto", "science", "api"],
        summary: "The service to query: science (NASA's), api (your own server, APOD_API_URL) or auto.",
        manual: "auto queries NASA's service, and if it cannot answer, the server in APOD_API_URL, if set."
    ).asSetting().defaulting(to: "auto")

    public static let scienceURL = address("science-url", "APOD_SCIENCE_URL", "The address of NASA's service.")
        .defaulting(to: WebURL(literal: "https://science.nasa.gov/wp-json/wp/v2/apod-basic"))
    public static let apiURL = address(
        "api-url", "APOD_API_URL",
        "The address of your own server with the former API of api.nasa.gov, such as NASA's apod-api.")

    public static let feedURL = Option<String>(
        "feed-url", form: .none, group: .own, field: "feed_url",
        summary: "The address at which apod-fetch --format atom will be published."
    ) { text in
        let url = try WebURL(text)
        guard url.credentials == nil else { throw UsageFailure("the address must not contain a user name or password") }
        return text
    }

    // MARK: img-cache

    public static let keyIgnoreQuery = Option.text(
        "key-ignore-query", "NAMES", .pictures,
        summary: "Query parameters that do not change the picture, separated by commas or spaces."
    ).asSetting()

    public static let expiryFields = Option<PictureAddresses>(
        "expiry-fields", form: .none, expected: "fields such as expires_at,expire_after", group: .pictures,
        field: "expiry_fields",
        summary: "Fields of a record that contain the expiry of its picture: a duration such as 7d, or a date.",
        manual: "The first of these fields that a record contains overrides --ttl."
    ) { PictureAddresses(list: $0) }

    // MARK: gif-cache

    /// There is no option or field for the key, because a secret must be read from the environment or from a separate
    /// file.
    public static let exerciseKey = Option<String>(
        "exercisedb-api-key", form: .none, group: .secrets, variable: "EXERCISEDB_API_KEY",
        summary: "The key for ExerciseDB."
    ) { $0 }

    public static let exerciseKeyFile = Option.path(
        "exercisedb-api-key-file", .secrets, variable: "EXERCISEDB_API_KEY_FILE",
        summary: "Read the key for ExerciseDB from this file."
    ).asSetting()

    public static let exerciseURL = address("exercisedb-url", "EXERCISEDB_API_URL", "The address of ExerciseDB.")
        .defaulting(to: WebURL(literal: "https://exercisedb.p.rapidapi.com"))

    public static let resolution = Option<Int>(
        "resolution", form: .value("PIXELS"), expected: "180, 360, 720 or 1080",
        completion: .words(["180", "360", "720", "1080"]), group: .own, field: "resolution",
        summary: "The side of a GIF in pixels: 180, 360, 720 or 1080.",
        manual: """
            Commands that fetch GIFs get this resolution, or the largest that the plan of the service allows. With the \
            option, commands that look up GIFs accept only this resolution. Without it, they prefer the configured \
            resolution or 180, then the nearest larger, then the nearest smaller resolution.
            """
    ) { text in [180, 360, 720, 1080].first { "\($0)" == text } }.defaulting(to: 180)

    private static func address(_ name: String, _ variable: String, _ summary: String) -> Option<WebURL> {
        Option(
            name, form: .none, group: .service, variable: variable, summary: summary
        ) { try WebURL($0) }.asSetting()
    }

    // MARK: img-downsample

    public static let quality = Option.number(
        "quality", .looks, in: 1...100, field: "quality", summary: "Quality of JPEG, WebP and AVIF, 1 to 100."
    ).defaulting(to: ImageFormat.standardQuality)

    /// The default is the highest level that makes files smaller without taking much more time.
    public static let effort = Option.number(
        "effort", .looks, in: 0...9, field: "effort", summary: "Effort for small files: 0 (fast) to 9."
    ).defaulting(to: 3)

    public static let decoder = Option.word(
        "decoder", "HOW", .looks, of: ["auto", "fast", "full", "libjpeg"],
        summary: "How to decode JPEGs: auto (no visible loss), fast (some loss), full (no loss) or libjpeg."
    ).asSetting().defaulting(to: "auto")

    public static let linear = Option.flag("linear", .looks, summary: "Mix colours in linear light.").asSetting()

    public static let fallbackIcon = Option.path(
        "fallback-icon", .placeholders, summary: "Draw this picture instead of the icon of placeholders."
    ).asSetting()

    public static let font = Option.path(
        "font", .placeholders, as: "FONT", summary: "The font of placeholders: a file or a family."
    ).asSetting()

    public static let pageSize = Option.number(
        "page-size", .own, in: 1...10_000, of: "pictures", summary: "Number of pictures per page of a gallery."
    ).asSetting().defaulting(to: 100)

    public static let styles = Option<String>(
        "styles", form: .none, group: .sizes, field: "styles", isObject: true,
        summary: "Styles of cards, in addition to the built-in styles."
    ) { $0 }

    public static let allowPath = Option<String>(
        "allow-path", form: .value("DIR"), expected: "absolute paths of folders, separated by colons",
        completion: .folders, group: .files, variable: "APOD_TOOLS_ALLOW_PATH", field: "allow_path", repeats: true,
        summary: "Let records also name files below this folder.",
        manual: """
            Lines of standard input may name them, too. The option is repeatable. The variable and the field of the \
            configuration file contain folders separated by colons.
            """
    ) { $0 }

    public static let maxBytes = Option.size(
        "max-bytes", .limits, such: "256MB", field: "max_bytes", summary: "Refuse pictures with more bytes."
    ).defaulting(to: ByteCount.largestPicture)
    public static let maxPixels = Option.number(
        "max-pixels", .limits, in: 1...Int.max, field: "max_pixels", summary: "Refuse pictures with more pixels."
    ).defaulting(to: DecodeLimits.standard.maxPixels)
    public static let maxFrames = Option.number(
        "max-frames", .limits, in: 1...Int.max, summary: "Refuse animations with more frames."
    ).asSetting().defaulting(to: DecodeLimits.standard.maxFrames)
    public static let maxAnimationPixels = Option.number(
        "max-animation-pixels", .limits, in: 1...Int.max, summary: "Refuse animations with more pixels times frames."
    ).asSetting().defaulting(to: DecodeLimits.standard.maxAnimationPixels)
    public static let maxMemory = Option.size(
        "max-memory", .limits, such: "1GiB", summary: "Limit the memory of all pictures that are processed at once."
    ).asSetting().defaulting(to: DecodeLimits.standard.maxMemoryBytes)
    public static let maxSeconds = Option.decimal(
        "max-seconds", "N", .limits, in: 0.001...86_400, expected: "seconds, such as 60 or 0.5",
        summary: "Give up on a picture after this many seconds."
    ).asSetting().defaulting(to: DecodeLimits.standard.maxSeconds)

    // MARK: Tools that write files

    public static let sync = Option.flag(
        "sync", .files, field: "sync",
        summary: "Sync files to disk before writing their records.",
        manual: """
            Copies, variants and cached pictures then survive a power failure. Otherwise, a power failure may destroy
            the latest downloads, which the next run detects and repeats. Pinned pictures and the GIFs of gif-cache
            are always synced.
            """)
}

extension [AnyOption] {
    /// All settings of the configuration file and the environment.
    public static let settings: [AnyOption] = {
        let lists: [[AnyOption]] = [
            [.config], place, retention, [.memoryCapacity, .memoryEntries, .memoryBytes],
            [.jobs, .timeout, .retries, .allowPrivate, .rate, .jobsPerHost, .negativeTTL, .respectCacheControl],
            [.allowInsecureRedirects, .cacert, .delay, .degrade, .keyIgnoreQuery, .expiryFields],
            [.headerFile, .bearerFile, .netrc, .netrcFile],
            sharing,
            [.service, .scienceURL, .apiURL, .feedURL, .exerciseURL, .exerciseKey, .exerciseKeyFile, .resolution],
            [.quality, .effort, .decoder, .linear, .styles, .fallbackIcon, .font, .pageSize, .allowPath],
            [.maxBytes, .maxPixels, .maxFrames, .maxAnimationPixels, .maxMemory, .maxSeconds],
            [.sync, .metrics, .logFormat, .progress, .confinement],
        ]
        return lists.flatMap(\.self)
    }()
}
