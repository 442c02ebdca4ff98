import Support

/// Waits for a while; throws `Cancelled` when the run is stopped meanwhile. Tests use one that returns at once.
public typealias Sleeper = @Sendable (Duration) throws -> Void

/// What arrives in the course of a request, on the thread that made it.
public enum HTTPEvent {
    /// The header fields are complete. Comes again if an attempt is repeated: the receiver starts over.
    case head(HTTPResponse)
    /// The next bytes of the body, decompressed; valid only during the call.
    case body(UnsafeRawBufferPointer)
    /// Nothing has arrived for another `HTTPEvent.pauseLength`. A receiver may ignore it, or end the transfer here,
    /// too, by throwing.
    case pause

    /// Short enough to end a transfer that stands still within half a second, and long enough to cost nothing.
    public static let pauseLength: Duration = .milliseconds(250)
}

/// Carries out single exchanges: no redirects, no retries, any status is a result.
public protocol HTTPTransport: Sendable {
    /// Sends the request and passes what arrives to `receive`, which slows the sender down by being slow and ends the
    /// transfer by throwing. Blocks until the body has ended.
    ///
    /// Throws `FetchFailure`, what `receive` throws, and `Cancelled` within 0.1 s after the run is stopped.
    func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse

    /// Runs `body`, which waits this long before the next exchange with `host`, and shows that as progress. Throws what
    /// `body` throws.
    func waiting(
        _ reason: Progress.WaitReason, host: String, for span: Duration, _ body: () throws -> Void
    ) throws
}

extension HTTPTransport {
    /// Runs `body`, and tells nobody. Throws what `body` throws.
    public func waiting(
        _ reason: Progress.WaitReason, host: String, for span: Duration, _ body: () throws -> Void
    ) throws {
        try body()
    }
}
