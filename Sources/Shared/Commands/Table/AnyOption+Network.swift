import HTTP
import Options
import Support

extension AnyOption {
    public static let timeout = Option.time(
        "timeout", .network, such: "120s", field: "timeout", isPositive: true,
        summary: "Limit the time of a request, including retries."
    ).defaulting(to: HTTPRequest.Timeouts().total)

    public static let retries = Option.number(
        "retries", .network, in: 0...100, field: "retries", summary: "Retry a failed request this many times."
    ).defaulting(to: RetrySchedule().retries)

    public static let allowPrivate = Option<AddressGuard>(
        "allow-private", form: .optionalValue("CIDRS", implied: "1"), group: .network, field: "allow_private",
        summary: "Allow private, loopback and reserved addresses.",
        manual: "A list of blocks allows only these blocks. No value or 1 allows all addresses, 0 none.",
        takesMore: isAddressList, read: AddressGuard.init(allowPrivate:)
    ).defaulting(to: .standard)

    /// Returns whether a word looks like a list of address blocks. Includes invalid lists, which must cause an error
    /// rather than allow all addresses. A word of only letters and digits (`cafe`, `0001`) is a name, except for `0`
    /// and `1`.
    private static func isAddressList(_ text: String) -> Bool {
        if text == "0" || text == "1" { return true }
        return text.contains { ".:/,".contains($0) } && text.first != "/"
            && text.allSatisfy { $0.isHexDigit || ".:/,".contains($0) }
    }

    public static let cacert = Option.path(
        "cacert", .network, summary: "Trust the certificates in this PEM file instead of the system's."
    ).asSetting()

    public static let netrc = Option.flag(
        "netrc", .secrets, summary: "Read user names and passwords from ~/.netrc."
    ).asSetting()

    public static let netrcFile = Option.path(
        "netrc-file", .secrets, summary: "Read user names and passwords from this file."
    ).asSetting()

    public static let offline = Option.flag("offline", .network, summary: "Use only the cache, without any connection.")

    public static let refresh = Option.flag(
        "refresh", .network, summary: "Send a request even if the cached entry is fresh.")

    // MARK: img-cache (every tool checks these fields of the configuration file)

    public static let header = Option<String>(
        "header", synonyms: ["header-for"], form: .value("HEADER|@FILE"), group: .secrets, repeats: true,
        summary: "Send this header to the server that the arguments name.",
        manual: """
            The value is 'Name: value', or @ and a file that contains such lines. The addresses among the arguments \
            must have the same origin. To name another server, on the command line or in the file, write its origin \
            before the header: 'https://example.org Name: value'. Headers are sent only over HTTPS or to this machine, \
            unless the origin begins with http://. A redirect to another origin drops all headers.
            """
    ) { $0 }

    public static let headerFile = Option.path(
        "header-file", .secrets,
        summary: "Send the headers in this file, one per line. With several servers, a line begins with an origin."
    ).asSetting()

    public static let bearerFile = Option<BearerFile>(
        "bearer-file", synonyms: ["bearer-for"], form: .value("FILE"), expected: BearerFile.expected,
        completion: .files, group: .secrets, field: "bearer_file", repeats: true,
        summary: "Send the bearer token in this file.",
        manual: """
            The token is sent to the server of the arguments. To name another server, write its origin before the \
            file: 'https://example.org token'.
            """, read: BearerFile.init)

    public static let delay = Option.time(
        "delay", .network, such: "2s",
        summary: "Wait at least this long between the starts of downloads in prefetch and gif-cache mirror."
    ).asSetting()

    public static let degrade = Option.flag(
        "degrade", .network, means: false,
        summary: "If a picture's best address fails temporarily, use its next address. If false, fail (75) instead.",
        manual: """
            The record then has cache.degraded. The better address is tried again after ten minutes at the earliest.
            """
    ).asSetting()

    public static let rate = Option.size(
        "rate", .network, atLeast: 1000, such: "500KB", summary: "Limit the total download rate in bytes per second."
    ).asSetting()

    /// The default is the number of connections that browsers open per host.
    public static let jobsPerHost = Option.number(
        "jobs-per-host", .network, in: 1...256, summary: "Limit the number of concurrent downloads from a host."
    ).asSetting().defaulting(to: 6)

    public static let allowInsecureRedirects = Option.flag(
        "allow-insecure-redirects", .network, summary: "Follow redirects from https to http."
    ).asSetting()

    public static let negativeTTL = Option.time(
        "negative-ttl", .network, such: "10m", summary: "How long to cache a permanent failure; 0 disables this."
    ).asSetting().whenUnset("2m to 1h, depending on the failure")

    public static let respectCacheControl = Option.flag(
        "respect-cache-control", .network, field: "respect_cache_control",
        summary: "Let Cache-Control and Expires shorten the time that a picture is fresh.",
        manual: """
            A picture with no-store is not cached. A picture with stale-while-revalidate is revalidated after the \
            records are written. stale-if-error limits how long an expired picture is served if its server fails. A \
            picture with immutable is not revalidated by --refresh while it is fresh.
            """)
}

extension [AnyOption] {
    /// The options of every command that may open a connection.
    public static let network: [AnyOption] = [.timeout, .retries, .allowPrivate, .cacert, .netrc, .netrcFile]
}

/// A value of `--bearer-file`: a file with a token, optionally preceded by the only origin that may receive the token.
public struct BearerFile: Sendable {
    static let expected = "a file, or an origin and a file such as 'https://example.org token'"
    let origin: WebURL.Origin?
    let path: String

    /// Returns nil if the origin is invalid, or if the text names no file.
    init?(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        if let first = words.first, first.contains(text: "://") {
            guard words.count == 2, let origin = WebURL.Origin(String(first)) else { return nil }
            self.origin = origin
            path = String(words[1])
        } else {
            origin = nil
            path = text
        }
        if path.isEmpty { return nil }
    }
}
