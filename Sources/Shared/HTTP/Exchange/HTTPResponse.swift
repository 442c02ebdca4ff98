/// Status and fields of an answer.
public struct HTTPResponse: Sendable, Hashable {
    public let status: Int
    public let headers: HTTPHeaders
    /// The URL that answered: after redirects the last one.
    public let url: WebURL

    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), url: WebURL) {
        self.status = status
        self.headers = headers
        self.url = url
    }
}
