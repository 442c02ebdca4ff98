import HTTP
import Support

/// A transport that knows two habits of ExerciseDB which HTTP doesn't.
///
/// * A quota that is used up comes as 429 without a `Retry-After`, like a burst that is over in a second. It is given
///   the field that the gateway leaves out, so that the one who retries gives up at once and spends no more requests.
/// * An answer of 200 with something else than a GIF, by its `Content-Type`, ends there, with `GIFFailure.notAGIF`.
public struct ExerciseTransport: HTTPTransport {
    private let base: any HTTPTransport

    /// The pause that a used-up quota asks for: longer than anyone waits, and no more than the shortest quota, a day.
    static let quotaPause = 86_400

    public init(over base: any HTTPTransport) { self.base = base }

    public func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        var isRefusal = false
        var body: [UInt8] = []
        let response = try base.exchange(request, interruption: interruption) { event in
            switch event {
            case .head(let head):
                isRefusal = head.status == 429
                body.removeAll()
                if [200, 206].contains(head.status) { try GIFAcceptance.check(head) }
            case .body(let bytes):
                if isRefusal { body.append(contentsOf: bytes.prefix(max(4096 - body.count, 0))) }
            case .pause: break
            }
            try receive(event)
        }
        guard isRefusal, ExerciseAnswer.quota(in: body) != nil else { return response }
        var headers = response.headers
        headers.append(name: "Retry-After", value: String(Self.quotaPause))
        return HTTPResponse(status: response.status, headers: headers, url: response.url)
    }
}
