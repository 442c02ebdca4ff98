import Support

/// Waits for a while; throws `Cancelled` when the run is stopped meanwhile. Tests use one that returns at once.
public typealias Sleeper = @Sendable (Duration) throws -> Void

/// What arrives in the course of a request, on the thread of the one who asked.
public enum HTTPEvent {
    /// The fields are complete. Comes again when an attempt is repeated: the receiver starts over.
    case head(HTTPResponse)
    /// The next bytes of the body, decompressed; valid only during the call.
    case body(UnsafeRawBufferPointer)
    /// Nothing has come for another `HTTPEvent.pauseLength`. Whoever has no use for it passes over it; whoever does not
    /// want the transfer any more may end it here, too, by throwing.
    case pause

    /// Short enough to end a transfer that stands still within half a second, long enough to cost nothing.
    public static let pauseLength: Duration = .milliseconds(250)
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

    /// Runs `body`, which waits for so long before the next exchange, and tells those who watch.
    func waiting(_ reason: Progress.WaitReason, for span: Duration, _ body: () throws -> Void) throws
}

extension HTTPTransport {
    public func waiting(_ reason: Progress.WaitReason, for span: Duration, _ body: () throws -> Void) throws {
        try body()
    }
}
