import HTTP
import Support

/// A transport that knows three habits of ExerciseDB's gateway which HTTP doesn't.
///
/// * A quota that is used up comes as 429 without a `Retry-After`, like a burst that is over in a second. It is given
///   the field that the gateway leaves out, so that the one who retries gives up at once and spends no more requests.
/// * What is left of the quota comes with every answer. It is of a day or a month, which is no reason to ask more
///   slowly or, when the last request of it has been answered, not to ask; so those fields are taken out.
/// * An answer of 200 with something else than the GIF that was asked for, by its `Content-Type`, ends there, with
///   `GIFFailure.notAGIF`.
public struct ExerciseTransport: HTTPTransport {
    private let base: any HTTPTransport

    /// The pause in seconds that a used-up quota asks for. Much shorter than a day, so that a user who has changed
    /// the plan in the meantime is not refused for long by what is remembered of it; one request an hour is nothing.
    static let quotaPause = 3600

    public init(over base: any HTTPTransport) { self.base = base }

    /// Throws what the transport below throws, and `GIFFailure` for an answer whose head says that it is no GIF.
    public func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        var isRefusal = false
        var body: [UInt8] = []
        let isForGIF = request.headers.contains { $0.name == "Accept" && $0.value == ExerciseService.gifType }
        let response = try base.exchange(request, interruption: interruption) { event in
            switch event {
            case .head(let head):
                isRefusal = head.status == 429
                body.removeAll()
                if isForGIF, [200, 206].contains(head.status) { try GIFAcceptance.check(head) }
                return try receive(.head(head.withoutQuota))
            case .body(let bytes):
                if isRefusal { body.append(contentsOf: bytes.prefix(max(4096 - body.count, 0))) }
            case .pause: break
            }
            try receive(event)
        }
        guard isRefusal, ExerciseAnswer.quota(in: body) != nil else { return response.withoutQuota }
        var headers = response.withoutQuota.headers
        headers.append(name: "Retry-After", value: String(Self.quotaPause))
        return HTTPResponse(status: response.status, headers: headers, url: response.url)
    }

    /// Throws what `body` throws.
    public func waiting(_ reason: Progress.WaitReason, for span: Duration, _ body: () throws -> Void) throws {
        try base.waiting(reason, for: span, body)
    }
}

extension HTTPResponse {
    /// Without the fields that tell what is left of a quota.
    fileprivate var withoutQuota: HTTPResponse {
        let fields = headers.fields.filter { field in
            let name = field.name.lowercased()
            return !name.hasPrefix("x-ratelimit-") && !name.hasPrefix("ratelimit-")
        }
        return HTTPResponse(status: status, headers: HTTPHeaders(fields), url: url)
    }
}
