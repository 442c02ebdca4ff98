import Formats
import HTTP
import Store
import Support

extension CacheStore {
    /// The name of an address whose cached failure ends the request; nil if the server is asked regardless.
    func negativeAddress(of request: HTTPRequest) -> String? {
        settings.refreshes ? nil : rememberedAddress(of: request)
    }

    /// The name of an address whose failure is cached; nil if it never is.
    func rememberedAddress(of request: HTTPRequest) -> String? {
        settings.negativeTTL != .none && request.isForAnybody ? Self.negativeName(of: request) : nil
    }

    /// Increased by each version that accepts answers or pictures refused by the previous version, to invalidate its
    /// cached failures.
    private static let refusals = 2

    private static func negativeName(of request: HTTPRequest) -> String {
        SHA256.hex(of: "\(refusals) \(request.url.requestText)")
    }

    /// Caches a definite failure, as long as its server permits if that is respected. Logs a failure to store it.
    func remember(_ error: any Error, of request: HTTPRequest, key: CacheKey) {
        let failure = Support.failure(of: error)
        let now = clock.now()
        let ttl = settings.negativeTTL
        guard request.isForAnybody,
            let span = settings.respectsCacheControl
                ? ttl.span(of: failure, asServerSaysAt: now) : ttl.span(of: failure)
        else { return }
        // Unlike failures of fetching, failures of formats do not name the picture.
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
    /// Whether all users get the same answer. Answers that depend on credentials or a user's fields are neither cached
    /// nor shared.
    var isForAnybody: Bool { headers.isEmpty && !carriesCredentials }
}

/// Addresses that failed temporarily while an inferior picture was available. They are not requested for a while.
extension CacheStore {
    private static let postponed = "postponed"
    /// The time without requests.
    private static let postponement: Duration = .seconds(10 * 60)

    /// Records a temporary failure of an address. Logs a failure to store it.
    public func postpone(_ key: CacheKey) {
        let now = clock.now()
        let note = Metadata(name: key.name, body: [], fetchedAt: now, expiresAt: now + Self.postponement)
        do {
            try metadata.keep([note], in: Self.postponed)
        } catch {
            log.detail("a failure was not remembered: \(Support.failure(of: error).message)")
        }
    }

    /// Returns the end of an address's pause, which may be over, or nil if it has not failed. Nil also if the address
    /// has an entry, fresh or expired, because that is preferred to an inferior picture.
    public func postponement(of key: CacheKey) throws -> (until: Timestamp, isOver: Bool)? {
        guard !settings.refreshes,
            let note = try metadata.item(key.name, in: Self.postponed),
            let until = note.expiresAt, try peek(key) == nil
        else { return nil }
        let now = clock.now()
        // A date in the future means that the clock was set back.
        return (until, until <= now || note.fetchedAt > now + Clock.tolerance)
    }
}
