/// Decides whether and how to follow a redirect. Sends no request.
public struct RedirectPolicy: Sendable, Hashable {
    /// The maximum number of redirects per request.
    let limit: Int
    public var allowsInsecure: Bool

    public init(allowsInsecure: Bool = false, limit: Int = 10) {
        self.allowsInsecure = allowsInsecure
        self.limit = limit
    }

    /// Whether the status redirects to another address (RFC 9110 §15.4). 300 and 304 to 306 do not.
    public static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

    /// Returns the request that follows a redirect, after `followed` earlier redirects.
    ///
    /// A request to another origin keeps only header fields that cross origins, and only the credentials of the new
    /// URL. A fragment is kept unless the new URL has a fragment (RFC 9110 §10.2.2). After 303, PUT becomes GET
    /// (§15.4.4). Throws `FetchFailure` (`too-many-redirects`, `bad-redirect`, `insecure-redirect`), and
    /// `WebURLFailure` for an invalid or unsupported address.
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
        if response.status == 303, case .put = request.method { next.method = .get }
        if target.origin != request.url.origin { next.headers.removeAll { !$0.survivesCrossOriginRedirect } }
        return next
    }
}
