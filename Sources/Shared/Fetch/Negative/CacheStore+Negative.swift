import Formats
import HTTP
import Store
import Support

extension CacheStore {
    /// The address of which a failure may be remembered that is given again; nil if the server is to be asked in any
    /// case.
    func negativeAddress(of request: HTTPRequest) -> String? {
        settings.refreshes ? nil : rememberedAddress(of: request)
    }

    /// The address of which a failure may be remembered; nil if none ever is.
    func rememberedAddress(of request: HTTPRequest) -> String? {
        settings.negativeTTL != .none && request.isForAnybody ? Self.negativeName(of: request) : nil
    }

    /// Goes up with each version that accepts an answer or a picture that the version before refused: earlier refusals
    /// are not found any more.
    private static let refusals = 2

    /// The name under which the failure of an address is remembered.
    private static func negativeName(of request: HTTPRequest) -> String {
        SHA256.hex(of: "\(refusals) \(request.url.requestText)")
    }

    /// Remembers a failure that is definite, as long as its server allows, if that is to be respected.
    /// That it cannot be written down changes nothing about it.
    func remember(_ error: any Error, of request: HTTPRequest, key: CacheKey) {
        let failure = Support.failure(of: error)
        let now = clock.now()
        let ttl = settings.negativeTTL
        guard request.isForAnybody,
            let span = settings.respectsCacheControl
                ? ttl.span(of: failure, asServerSaysAt: now) : ttl.span(of: failure)
        else { return }
        // A format's failure does not say of what; those of fetching do.
        let text = failure is FormatFailure ? "\(request.url.redacted): \(failure.message)" : failure.message
        let answer = NegativeAnswer(
            code: failure.code, exitCode: failure.exitCode, text: text, since: now, until: now + span)
        do {
            try index.remember(answer, key.name, in: scope, address: Self.negativeName(of: request), now: now)
        } catch {
            log.detail("a failure was not remembered: \(Support.failure(of: error).message)")
        }
    }
}

extension HTTPRequest {
    /// Whether everybody would get the same answer: one that depends on credentials or on a user's own fields is
    /// neither remembered nor given to others.
    var isForAnybody: Bool { headers.isEmpty && !carriesCredentials }
}
