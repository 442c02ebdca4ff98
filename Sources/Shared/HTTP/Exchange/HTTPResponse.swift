/// The status and header fields of a response.
public struct HTTPResponse: Sendable, Hashable {
    public let status: Int
    public let headers: HTTPHeaders
    /// The URL that answered, after redirects.
    public let url: WebURL
    /// Whether the body ends when the connection closes (RFC 9112 §6.3), even if it is incomplete.
    public let endsAtClose: Bool

    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), url: WebURL, endsAtClose: Bool = false) {
        self.status = status
        self.headers = headers
        self.url = url
        self.endsAtClose = endsAtClose
    }

    /// Statuses whose body is the whole resource: 200, 203, and unassigned statuses, which are treated as 200 (RFC 9110
    /// §15).
    public static let fullRepresentationStatuses = Set(200...299).subtracting([201, 202, 204, 205, 206, 207, 208, 226])

    public var isFullRepresentation: Bool { Self.fullRepresentationStatuses.contains(status) }
}
