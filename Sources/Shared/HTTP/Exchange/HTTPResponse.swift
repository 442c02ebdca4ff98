/// Status and header fields of an answer.
public struct HTTPResponse: Sendable, Hashable {
    public let status: Int
    public let headers: HTTPHeaders
    /// The URL that answered: the last one after redirects.
    public let url: WebURL

    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), url: WebURL) {
        self.status = status
        self.headers = headers
        self.url = url
    }
}
