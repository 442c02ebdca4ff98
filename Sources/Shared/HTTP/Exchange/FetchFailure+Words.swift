import Support

extension FetchFailure {
    public var code: String { classification.code }
    public var exitCode: ExitCode { classification.exitCode }

    private var classification: (code: String, exitCode: ExitCode) {
        switch self {
        case .status(let answer): Self.classification(ofStatus: answer.status)
        case .passingFault: ("server-error", .temporary)
        case .repeated(let failure, _): failure.classification
        case .quotaUsedUp: ("rate-limited", .temporary)
        case .blockedAddress: ("blocked-address", .notAllowed)
        case .insecureRedirect: ("insecure-redirect", .notAllowed)
        case .exposedSecret: ("exposed-secret", .notAllowed)
        case .tooManyRedirects: ("too-many-redirects", .unavailable)
        case .badRedirect: ("bad-redirect", .unavailable)
        case .nameNotResolved: ("name-not-resolved", .temporary)
        case .connectionFailed: ("connection-failed", .temporary)
        case .timedOut: ("timed-out", .temporary)
        case .cutShort: ("cut-short", .temporary)
        case .tooLarge: ("too-large", .notAllowed)
        // Not 69: the server is available, but the tools refuse it.
        case .badCertificate: ("bad-certificate", .notAllowed)
        case .tlsFailed: ("tls-failed", .temporary)
        case .unwantedEncoding: ("unwanted-encoding", .data)
        case .badAnswer: ("bad-answer", .temporary)
        case .proxyFailed: ("proxy-failed", .temporary)
        case .badHeader: ("bad-header", .usage)
        case .badCertificateFile: ("bad-certificate-file", .configuration)
        case .noLibcurl: ("no-libcurl", .software)
        case .transportFault: ("transport-fault", .software)
        }
    }

    public var message: String {
        switch self {
        case .status(let answer): Self.message(of: answer)
        case .repeated(let failure, let attempts): "\(failure.message) (tried \(attempts) times)"
        case .passingFault(let answer):
            "\(answer.url.redacted) answered \(answer.status) with an error page of a gateway that cannot reach the "
                + "server; try again later"
        case .quotaUsedUp(let quota):
            "\(quota.url.redacted) was not requested: the request limit of \(quota.url.host) is used up"
                + "\(quota.limit.map { " (limit \($0))" } ?? ""); try again at \(quota.until.iso8601) "
                + "(in \(TimeSpan.description(quota.retryAfter)))"
        case .blockedAddress(let url, let address, let kind):
            "refusing to fetch \(url.redacted): \(Self.subject(url, address)) is \(kind.phrase); "
                + "use --allow-private to allow it"
        case .insecureRedirect(let from, let to):
            "refusing to follow the redirect from \(from.redacted) to \(to.redacted), which is not encrypted; "
                + "use an https address, or set APOD_TOOLS_ALLOW_INSECURE_REDIRECTS=true"
        case .exposedSecret(let url, let header):
            "\(url.redacted) was not requested: the header \"\(header)\" would be sent unencrypted; "
                + "use https, or put the server before the header or the file, as in "
                + "--header '\(url.origin) Name: value'"
        case .tooManyRedirects(let url, let limit):
            "\(url.redacted) redirects more than \(limit) times; check the address for a redirect loop"
        case .badRedirect(let url, let status):
            "\(url.redacted) answered \(status) without a valid Location; report it to the server's owner"
        case .nameNotResolved(let url): "cannot resolve \(url.host) for \(url.redacted); check the name and the network"
        case .connectionFailed(let url, let detail):
            "cannot connect to \(url.origin) for \(url.redacted): \(detail); try again later"
        case .timedOut(let url, let phase):
            "\(url.redacted) timed out: \(phase.rawValue); try again later, or with a longer --timeout"
        case .cutShort(let url, let detail):
            "the connection broke before \(url.redacted) was complete: \(detail); try again"
        case .tooLarge(let url, let limit):
            "\(url.redacted) is larger than the limit of \(limit) bytes; check the address, or raise the limit "
                + "if there is an option for it"
        case .badCertificate(let url, let detail):
            "the certificate of \(url.origin) is not trusted, so \(url.redacted) was not fetched: \(detail); "
                + "check the clock and the installed certificates, or set APOD_TOOLS_CACERT"
        case .tlsFailed(let url, let detail):
            "the TLS handshake with \(url.origin) for \(url.redacted) failed: \(detail); try again later"
        case .unwantedEncoding(let url, let coding):
            "\(url.redacted) was sent compressed (\(coding)), which was not requested, so its bytes are not the bytes "
                + "of the picture; report it to the server's owner"
        case .badAnswer(let url, let detail): "\(url.redacted) sent an invalid response: \(detail); try again later"
        case .proxyFailed(let url, let detail):
            "the proxy could not fetch \(url.redacted): \(detail); check http_proxy, https_proxy and all_proxy"
        case .badHeader(let name):
            "cannot send the header \"\(name)\"; a name has letters, digits and hyphens, a value is a single line"
        case .badCertificateFile(let detail):
            "cannot read the trusted certificates (\(detail)); install ca-certificates, or check the configured file"
        case .noLibcurl(let detail):
            "cannot load libcurl (\(detail)); install libcurl4 with apt, libcurl with dnf or apk, curl with brew"
        case .transportFault(let url, let detail): "libcurl could not fetch \(url.redacted): \(detail)"
        }
    }

    private static func subject(_ url: WebURL, _ address: IPAddress?) -> String {
        guard let address, url.address == nil else { return url.host }
        return "\(url.host) (\(address))"
    }

    /// The exit status is 77 if the user can act, 75 if a later run may succeed, else 69.
    private static func classification(ofStatus status: Int) -> (code: String, exitCode: ExitCode) {
        switch status {
        case 202: ("unexpected-status", .temporary)
        case 304: ("bad-answer", .temporary)
        case 401: ("unauthorized", .notAllowed)
        case 403: ("forbidden", .notAllowed)
        case 404: ("not-found", .unavailable)
        case 407: ("proxy-unauthorized", .notAllowed)
        case 408: ("timed-out", .temporary)
        case 410: ("gone", .unavailable)
        case 425, 429: ("rate-limited", .temporary)
        case 511: ("network-login", .notAllowed)
        case 400...499: ("http-\(status)", .unavailable)
        case 500...599: ("server-error", .temporary)
        default: ("unexpected-status", .unavailable)
        }
    }

    private static func message(of answer: Answer) -> String {
        let what = "\(answer.url.redacted) answered \(answer.status)"
        switch answer.status {
        case 202: return "\(what): the server is still preparing the response; try again later"
        case 304: return "\(what) to an unconditional request; try again later"
        case 401: return "\(what): the key or password is missing or wrong; check it"
        case 403: return "\(what): the server refuses access; check the key, if you use one"
        case 404: return "\(what): not found; check the address"
        case 407: return "\(what): the proxy requires a user name and a password; add them to its URL"
        case 410: return "\(what): removed permanently"
        case 425, 429:
            guard let seconds = answer.retryAfter?.components.seconds else {
                return "\(what): too many requests; try again later"
            }
            return "\(what): too many requests; try again in \(seconds) s"
        case 408: return "\(what): the server timed out waiting for the request; try again later"
        case 511: return "\(what): this network requires a login; open a web page in a browser"
        case 500...599: return "\(what): server error; try again later"
        case 400...499: return "\(what): the server rejected the request; check the address"
        default: return "\(what), an unexpected status"
        }
    }
}

extension FetchFailure.Answer {
    /// Whether the body is Envoy's plain text for an unreachable server. The status is usually 503, but a retry may
    /// succeed after any status. Checks the first 200 bytes.
    public var isOfGateway: Bool {
        let text = String(decoding: body.prefix(200), as: UTF8.self).lowercased().drop { $0.isWhitespace }
        let envoy = ["no healthy upstream", "upstream connect error", "upstream request timeout"]
        return envoy.contains { text.hasPrefix($0) }
    }
}
