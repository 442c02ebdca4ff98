import Formats
import HTTP
import Store
import Support

extension CacheStore {
    /// The digest of the address whose cached failure ends the request; nil if cached failures are ignored.
    func negativeAddress(of request: HTTPRequest) -> String? {
        settings.refreshes ? nil : rememberedAddress(of: request)
    }

    /// The digest of the address under which failures of the request are cached; nil if they are not cached.
    func rememberedAddress(of request: HTTPRequest) -> String? {
        settings.negativeTTL != .none && request.isForAnybody ? Self.negativeName(of: request) : nil
    }

    /// Increase this number in each version that accepts answers or pictures refused by the previous version. This
    /// invalidates the failures cached by that version.
    private static let refusals = 2

    private static func negativeName(of request: HTTPRequest) -> String {
        SHA256.hex(of: "\(refusals) \(request.url.requestText)")
    }

    /// Caches a permanent failure, for as long as `NegativeTTL` and, if respected, the server's `Cache-Control` permit.
    /// Errors of the cache are only logged.
    func remember(_ error: any Error, of request: HTTPRequest, key: CacheKey) {
        let failure = Support.failure(of: error)
        let now = clock.now()
        let ttl = settings.negativeTTL
        guard request.isForAnybody,
            let span = settings.respectsCacheControl
                ? ttl.span(of: failure, asServerSaysAt: now) : ttl.span(of: failure)
        else { return }
        // Unlike messages of `FetchFailure`, messages of `FormatFailure` do not name the picture.
        let text = failure is FormatFailure ? "\(request.url.redacted): \(failure.message)" : failure.message
        let answer = NegativeAnswer(
            code: failure.code, exitCode: failure.exitCode, text: text, since: now, until: now + span)
        do {
            try index.write(now: now) {
                try $0.negatives.insert(
                    answer, key.name, in: scope, address: Self.negativeName(of: request), now: now)
            }
        } catch {
            log.detail("cannot record the failure of \(key.text): \(Support.failure(of: error).message)")
        }
    }
}

extension HTTPRequest {
    /// Whether all users get the same answer: the request has neither credentials nor header fields from the user.
    /// Otherwise failures are not cached.
    var isForAnybody: Bool { headers.isEmpty && !carriesCredentials }
}

/// Postpones an address that failed temporarily if another address has the same picture in lower quality: for ten
/// minutes, only the other address is requested.
extension CacheStore {
    private static let postponed = "postponed"
    private static let postponement: Duration = .seconds(10 * 60)

    /// Records a temporary failure of an address. Errors of the cache are only logged.
    public func postpone(_ key: CacheKey) {
        let now = clock.now()
        let note = Metadata(name: key.name, body: [], fetchedAt: now, expiresAt: now + Self.postponement)
        do {
            try metadata.keep([note], in: Self.postponed)
        } catch {
            log.detail("cannot record the failure of \(key.text): \(Support.failure(of: error).message)")
        }
    }

    /// Returns the time until which an address is postponed, and whether that time is over. Returns nil if the address
    /// has not failed, or if it has an entry: even an expired entry is better than the picture in lower quality.
    public func postponement(of key: CacheKey) throws -> (until: Timestamp, isOver: Bool)? {
        guard !settings.refreshes,
            let note = try metadata.item(key.name, in: Self.postponed),
            let until = note.expiresAt, try peek(key) == nil
        else { return nil }
        let now = clock.now()
        // If the failure was recorded in the future, the clock was set back.
        return (until, until <= now || note.fetchedAt > now + Clock.tolerance)
    }
}
