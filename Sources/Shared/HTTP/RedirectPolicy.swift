/// Decides where a redirect leads. Pure.
public struct RedirectPolicy: Sendable, Hashable {
    /// How many redirects one request follows.
    let limit: Int
    /// Whether a redirect may lead from https to http.
    public var allowsInsecure: Bool

    public init(allowsInsecure: Bool = false, limit: Int = 10) {
        self.allowsInsecure = allowsInsecure
        self.limit = limit
    }

    /// Whether the status names another address (RFC 9110 §15.4). 300 and 304 to 306 don't.
    public static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Returns the request that follows the redirect `response`, the `followed`-th one, from 0.
    ///
    /// To another origin it takes none of the fields that don't cross origins, and no credentials but the URL's own. A
    /// fragment is kept unless the new address has one (RFC 9110 §10.2.2). After 303, what was put is not put again,
    /// but its result is asked for (§15.4.4). Throws `FetchFailure` (`too-many-redirects`,
    /// `bad-redirect`, `insecure-redirect`), and `WebURLFailure` for an address that cannot be followed.
    public func next(after response: HTTPResponse, to request: HTTPRequest, followed: Int) throws -> HTTPRequest {
        guard let location = response.headers.last("Location"), !location.isEmpty else {
            throw FetchFailure.badRedirect(url: request.url, status: response.status)
        }
        guard followed < limit else {
            throw FetchFailure.tooManyRedirects(url: request.url, limit: limit)
        }
        var target = try request.url.resolving(location)
        if target.fragment == nil { target.fragment = request.url.fragment }
        if request.url.scheme == .https, target.scheme == .http, !allowsInsecure {
            throw FetchFailure.insecureRedirect(from: request.url, to: target)
        }
        var next = request
        next.url = target
        if response.status == 303, case .put = request.method { next.method = .get }
        if target.origin != request.url.origin { next.headers.removeAll { !$0.crossesOrigins } }
        return next
    }
}
