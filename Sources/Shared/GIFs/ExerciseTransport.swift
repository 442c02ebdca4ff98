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
        var refusal: [UInt8]?
        var response = try base.exchange(request, interruption: interruption) { event in
            switch event {
            case .head(let head):
                refusal = head.status == 429 ? [] : nil
                if [200, 206].contains(head.status) { try GIFAcceptance.check(head) }
            case .body(let bytes):
                refusal?.append(contentsOf: bytes.prefix(4096 - min(refusal?.count ?? 0, 4096)))
            }
            try receive(event)
        }
        guard let refusal, ExerciseAnswer.quota(in: refusal) != nil else { return response }
        var headers = response.headers
        headers.append(name: "Retry-After", value: String(Self.quotaPause))
        response = HTTPResponse(status: response.status, headers: headers, url: response.url)
        return response
    }
}
