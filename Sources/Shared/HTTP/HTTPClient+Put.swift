extension HTTPClient {
    /// Asks for the fields that a GET would answer with (RFC 9110 §9.3.2). Throws what `get(_:accepting:receive:)` does.
    public func head(
        _ request: HTTPRequest, accepting statuses: Set<Int> = HTTPResponse.wholeStatuses
    ) throws -> HTTPResponse {
        var request = request
        request.method = .head
        return try get(request, accepting: statuses) { _ in }
    }

    /// Stores a body at the request's URL (RFC 9110 §9.3.4): as often as GET, since storing it twice does no harm.
    /// What the server says to it is read, and passed over.
    ///
    /// Throws what `get(_:accepting:receive:)` does, and what reading the body does.
    public func put(
        _ body: RequestBody, at request: HTTPRequest, accepting statuses: Set<Int> = [200, 201, 204]
    ) throws -> HTTPResponse {
        var request = request
        request.method = .put(body)
        return try get(request, accepting: statuses) { _ in }
    }
}
