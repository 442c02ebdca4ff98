import HTTP
import Support

/// A transport that knows four habits of ExerciseDB's gateway which HTTP doesn't.
///
/// * A quota that is used up comes as 429 without a `Retry-After`, like a burst that is over in a second. It is given
///   the field that the gateway leaves out, so that the one who retries gives up at once and spends no more requests.
/// * What is left of the quota comes with every answer. It is of a day or a month, which is no reason to ask more
///   slowly or, when the last request of it has been answered, not to ask; so those fields are taken out.
/// * An answer of 200 with something else than the GIF that was asked for, by its `Content-Type`, ends there, with
///   `GIFFailure.notAGIF`.
/// * A proxy that cannot reach the service says so in plain text, at times with 200. This is
///   `FetchFailure.passingFault`, whatever the status below 500 and the `Content-Type`.
public struct ExerciseTransport: HTTPTransport {
    private let base: any HTTPTransport
    private let quota: ServiceQuota

    /// The pause in seconds that a used-up quota asks for. Much shorter than a day, so that a user who has changed
    /// the plan in the meantime is not refused for long by what is remembered of it; one request an hour is nothing.
    static let quotaPause = 3600

    /// - Parameter quota: gets the number of remaining requests.
    public init(over base: any HTTPTransport, quota: ServiceQuota = ServiceQuota()) {
        self.base = base
        self.quota = quota
    }

    /// How much of a body is looked at for the words of a gateway, or of a refusal.
    private static let beginningLimit = 4096

    /// Throws what the transport below throws, `FetchFailure.passingFault` for the answer of a gateway, and
    /// `GIFFailure` for another one whose head says that it is no GIF.
    public func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        var head: HTTPResponse?
        var beginning: [UInt8] = []
        // Not thrown at once, as the body may be that of a gateway.
        var refusal: GIFFailure?
        let isForGIF = request.headers.contains { $0.name == "Accept" && $0.value == ExerciseService.gifType }
        let response = try base.exchange(request, interruption: interruption) { event in
            switch event {
            case .head(let response):
                head = response.withoutQuota
                quota.note(remaining: QuotaReport(response, now: .now()).remaining)
                beginning.removeAll()
                refusal =
                    isForGIF && (response.isWhole || response.status == 206) ? GIFAcceptance.refusal(of: response) : nil
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

    /// Leaves 5xx alone, which say so themselves.
    private static func refuseGateway(_ head: HTTPResponse, _ beginning: [UInt8]) throws(FetchFailure) {
        let answer = FetchFailure.Answer(
            status: head.status, headers: head.headers, url: head.url, body: beginning)
        if answer.status < 500, answer.isOfGateway { throw .passingFault(answer) }
    }

    /// Throws what `body` throws.
    public func waiting(
        _ reason: Progress.WaitReason, host: String, for span: Duration, _ body: () throws -> Void
    ) throws {
        try base.waiting(reason, host: host, for: span, body)
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

/// The number of remaining requests in the service's first answer of this run.
public final class ServiceQuota: Sendable {
    private let state = Monitor<Int?>(nil)

    public init() {}

    /// Nil if no answer had the number.
    var remaining: Int? { state.withLock { $0 } }

    func note(remaining: Int?) { state.withLock { $0 = $0 ?? remaining } }
}
