/// Decides where a redirect leads. Pure.
public struct RedirectPolicy: Sendable, Hashable {
    /// How many redirects one request follows.
    public var limit: Int
    /// Whether a redirect may lead from https to http.
    public var allowsInsecure: Bool

    public init(limit: Int = 10, allowsInsecure: Bool = false) {
        self.limit = limit
        self.allowsInsecure = allowsInsecure
    }

    /// The statuses that name another address for a GET (RFC 9110 §15.4). 300 and 304 to 306 don't.
    public static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// The request that follows the redirect `response`, the `followed`-th one from 0.
    ///
    /// To another origin it has none of the fields that don't cross origins and no credentials but the URL's own. A
    /// fragment is passed on where the new address has none (RFC 9110 §10.2.2). Throws `FetchFailure`
    /// (`too-many-redirects`, `bad-redirect`, `insecure-redirect`), and `WebURLFailure` for addresses that cannot be
    /// followed.
    public func next(after response: HTTPResponse, to request: HTTPRequest, followed: Int) throws -> HTTPRequest {
        guard let location = response.headers.last("Location"), !location.isEmpty else {
            throw FetchFailure.badRedirect(url: request.url, status: response.status)
        }
        guard followed < limit else { throw FetchFailure.tooManyRedirects(url: request.url, limit: limit) }
        var target = try request.url.resolving(location)
        if target.fragment == nil { target.fragment = request.url.fragment }
        if request.url.scheme == .https, target.scheme == .http, !allowsInsecure {
            throw FetchFailure.insecureRedirect(from: request.url, to: target)
        }
        var next = request
        next.url = target
        if target.origin != request.url.origin { next.headers.removeAll { !$0.crossesOrigins } }
        return next
    }
}
