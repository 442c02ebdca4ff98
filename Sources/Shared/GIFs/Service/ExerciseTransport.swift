import HTTP
import Support

/// Corrects four peculiarities of ExerciseDB's gateway:
///
/// * The gateway reports a used-up quota as 429 without `Retry-After`, as it does for too many requests in a second.
///   The transport adds the field, so that the client does not waste requests on retries.
/// * Every answer has fields with the remaining quota of a day or month, which would make the client slow down or stop.
///   The transport removes these fields.
/// * If an answer of status 200 or 206 to a request for a GIF has another `Content-Type`, the request fails with
///   `GIFFailure.notAGIF`.
/// * A proxy that cannot reach the service answers in plain text, sometimes with status 200. For such an answer, the
///   request fails with `FetchFailure.passingFault` if the status is below 500, regardless of the `Content-Type`.
public struct ExerciseTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let quota: ServiceQuota

    /// The `Retry-After` for a used-up quota, in seconds. It is much shorter than a day, so that a user who changes the
    /// plan does not wait long. One request per hour uses little of a quota.
    static let quotaPause = 3600

    /// - Parameter quota: receives the number of remaining requests.
    public init(over base: any HTTPTransport, quota: ServiceQuota = ServiceQuota()) {
        self.base = base
        self.quota = quota
    }

    /// The number of bytes at the beginning of a body that are searched for the message of a gateway or of a used-up
    /// quota.
    private static let beginningLimit = 4096

    public func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        var head: HTTPResponse?
        var beginning: [UInt8] = []
        // The failure for a wrong `Content-Type`. It is thrown only after the beginning of the body has been searched
        // for a gateway's message.
        var refusal: GIFFailure?
        let isForGIF = request.headers.contains { $0.name == "Accept" && $0.value == ExerciseService.gifType }
        let response = try base.exchange(request, interruption: interruption) { event in
            switch event {
            case .head(let response):
                head = response.withoutQuota
                quota.note(remaining: QuotaReport(response, now: .now()).remaining)
                beginning.removeAll()
                refusal =
                    isForGIF && (response.isFullRepresentation || response.status == 206)
                    ? GIFAcceptance.refusal(of: response) : nil
                return refusal == nil ? try receive(.head(response.withoutQuota)) : ()
            case .body(let bytes):
                let room = Self.beginningLimit - beginning.count
                beginning.append(contentsOf: bytes.prefix(room))
                if room > 0, let head { try Self.refuseGateway(head, beginning) }
            case .pause: break
            }
            if let refusal { throw refusal }
            try receive(event)
        }
        if let refusal { throw refusal }
        guard response.status == 429, ExerciseAnswer.quota(in: beginning) != nil else { return response.withoutQuota }
        var headers = response.withoutQuota.headers
        headers.append(name: "Retry-After", value: String(Self.quotaPause))
        return HTTPResponse(status: response.status, headers: headers, url: response.url)
    }

    /// Throws if the answer comes from a gateway. Ignores 5xx, which the client handles.
    private static func refuseGateway(_ head: HTTPResponse, _ beginning: [UInt8]) throws(FetchFailure) {
        let answer = FetchFailure.Answer(status: head.status, headers: head.headers, url: head.url, body: beginning)
        if answer.status < 500, answer.isOfGateway { throw .passingFault(answer) }
    }

    public func waiting(
        _ reason: Progress.WaitReason, host: String, for span: Duration, _ body: () throws -> Void
    ) throws {
        try base.waiting(reason, host: host, for: span, body)
    }
}

extension HTTPResponse {
    /// The response without the fields that report a remaining quota.
    fileprivate var withoutQuota: HTTPResponse {
        let fields = headers.fields.filter { field in
            let name = field.name.lowercased()
            return !name.hasPrefix("x-ratelimit-") && !name.hasPrefix("ratelimit-")
        }
        return HTTPResponse(status: status, headers: HTTPHeaders(fields), url: url)
    }
}

/// The requests of the plan that remain, and their use for expired GIFs.
public final class ServiceQuota: Sendable {
    /// At most a twentieth of the remaining requests are spent on expired GIFs. GIFs rarely change, and the requests are
    /// better spent on new GIFs.
    private static let divisor = 20

    private let state = Monitor<(remaining: Int?, revalidations: Int)>((nil, 0))

    public init() {}

    /// Stores the number of remaining requests, from the first answer of this run that reports it.
    func note(remaining: Int?) { state.withLock { $0.remaining = $0.remaining ?? remaining } }

    /// Returns whether another expired GIF may be requested, and if so, counts the request. While the number of
    /// remaining requests is not known, requests are counted but not limited.
    func takeRevalidation() -> Bool {
        state.withLock { state in
            if let remaining = state.remaining, state.revalidations >= remaining / Self.divisor { return false }
            state.revalidations += 1
            return true
        }
    }
}
