import Support

/// Sleeps for a duration. Throws `Cancelled` if the run is stopped. Returns immediately in tests.
public typealias Sleeper = @Sendable (Duration) throws -> Void

/// An event of a request, delivered on the thread that sent the request.
public enum HTTPEvent {
    /// The header fields are complete. A second head begins another attempt: the receiver must start over.
    case head(HTTPResponse)
    /// The next bytes of the body, decompressed. Valid only during the call.
    case body(UnsafeRawBufferPointer)
    /// Nothing has arrived for `HTTPEvent.pauseLength` since the last event. The receiver may end the transfer by
    /// throwing.
    case pause

    /// The interval of `pause` events: short enough to end a stalled transfer within half a second, long enough to cost
    /// almost nothing.
    public static let pauseLength: Duration = .milliseconds(250)
}

/// Carries out single exchanges, without redirects and retries. A response with any status is a result, not an error.
public protocol HTTPTransport: Sendable {
    /// Sends the request and passes events to `receive`. A slow receiver slows the sender down; an error of `receive`
    /// ends the transfer. Blocks until the body has ended.
    ///
    /// Throws `FetchFailure`, errors of `receive`, and `Cancelled` within 0.1 s after the run is stopped.
    func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse

    /// Runs `body`, which waits for `span` before the next exchange with `host`, and shows the wait as progress.
    func waiting(_ reason: Progress.WaitReason, host: String, for span: Duration, _ body: () throws -> Void) throws
}

extension HTTPTransport {
    public func waiting(
        _ reason: Progress.WaitReason, host: String, for span: Duration, _ body: () throws -> Void
    ) throws { try body() }
}
