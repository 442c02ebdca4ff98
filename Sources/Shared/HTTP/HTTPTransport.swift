import Support

/// What arrives in the course of a request, on the thread of the one who asked.
public enum HTTPEvent {
    /// The fields are complete. Comes again when an attempt is repeated: the receiver starts over.
    case head(HTTPResponse)
    /// The next bytes of the body, decompressed; valid only during the call.
    case body(UnsafeRawBufferPointer)
}

/// Carries out single exchanges: no redirects, no retries, any status is a result.
public protocol HTTPTransport: Sendable {
    /// Sends the request and hands what arrives to `receive`, which slows the sender down by being slow and ends the
    /// transfer by throwing; its error is thrown on. Blocks until the body has ended.
    ///
    /// Throws `FetchFailure`, and `Cancelled` within 0.1 s of the run being stopped.
    func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse
}
