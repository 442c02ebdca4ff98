import Articles
import HTML
import HTTP
import Records
import Support

/// Translates failed requests and answers with a status other than 200 into `APODFailure`.
///
/// NASA's service is WordPress (`{"code","message"}`); a classic server sends `{"code","msg"}`. Gateways in front of
/// them send `{"error":{"code","message"}}`, plain text or HTML.
enum ErrorAnswer {
    /// Translates a failed request. Returns nil if no answer arrived.
    static func failure(
        for failure: FetchFailure, from server: Server, day: CalendarDay?, newest: CalendarDay
    ) -> APODFailure? {
        if let quota = failure.usedUpQuota {
            return .rateLimited(server, limitPerHour: quota.limit, retryAfterSeconds: seconds(quota.retryAfter))
        }
        return failure.answer.map {
            self.failure(for: $0, from: server, day: day, newest: newest, attempts: failure.attempts)
        }
    }

    /// - Parameters:
    ///   - day: the requested day, or nil if a list was requested.
    ///   - newest: the newest day that may be published now.
    ///   - attempts: the number of requests that were made.
    static func failure(
        for answer: FetchFailure.Answer, from server: Server, day: CalendarDay?, newest: CalendarDay, attempts: Int = 1
    ) -> APODFailure {
        let body = (try? Record(parsing: answer.body)) ?? Record()
        let code = body.string("error.code") ?? body.string("code") ?? ""
        let said = words(of: body, answer.body)
        if answer.isOfGateway { return .failing(server, status: answer.status, said: said, attempts: attempts) }
        let absent = day.map { $0 >= newest ? APODFailure.notPublished($0) : .noPicture($0) }
        switch answer.status {
        case 401, 403: return .forbidden(server, status: answer.status)
        case 404 where code == "rest_no_route": return .refused(server, status: 404, said: said)
        case 404, 410:
            // Both services send a `code` if a day has no picture. An answer without a `code` comes from the site or a
            // gateway. It means that the service is gone, not that the day has no picture.
            return (body.has("code") ? absent : nil) ?? .refused(server, status: answer.status, said: said)
        case 400:
            // The old server sends this status for a day that has not begun in UTC (`Date must be between …`). NASA's
            // rewrite of the server sends it for any day without a picture (`no APOD entry found …`).
            let isAbsent = said?.containsIgnoringCase("no APOD entry found") == true
            let isOutOfRange = said?.containsIgnoringCase("Date must be between") == true
            let isTooLate = isOutOfRange && day.map { $0 >= newest } == true
            if let absent, isAbsent || isTooLate { return absent }
            return .refused(server, status: 400, said: said)
        case 429:
            return .rateLimited(
                server, limitPerHour: answer.headers.last("X-RateLimit-Limit").flatMap(Int.init),
                retryAfterSeconds: answer.retryAfter.map(seconds))
        case 408, 500...: return .failing(server, status: answer.status, said: said, attempts: attempts)
        default: return .refused(server, status: answer.status, said: said)
        }
    }

    /// Returns the failure if the answer has an error in place of a picture (`{"message","error"}`), which NASA's old
    /// server sends with status 200. Returns nil for other answers.
    static func failure(in bytes: [UInt8], from server: Server) -> APODFailure? {
        guard let body = try? Record(parsing: bytes), !body.has("date"), body.string("error") != nil else { return nil }
        return .refused(server, status: 200, said: words(of: body, bytes))
    }

    /// Returns whole seconds, rounded up.
    private static func seconds(_ span: Duration) -> Int { Int(min(span.milliseconds, 1 << 40) + 999) / 1000 }

    /// Returns the old server's messages: a general sentence, followed by the actual error.
    private static func sentences(of body: Record) -> String? {
        let sentences = [body.string("message"), body.string("error")].compactMap { $0 }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// Returns the server's message on one line of at most 200 characters.
    private static func words(of body: Record, _ bytes: [UInt8]) -> String? {
        var text =
            body.string("msg") ?? body.string("error.message") ?? sentences(of: body)
            ?? (body.isEmpty ? PlainText.line(ofHTML: String(decoding: bytes, as: UTF8.self)) : nil) ?? ""
        text = clipped(PlainText.folded(text))
        return text.isEmpty ? nil : text
    }

    /// Returns the start of a body for the log, on one line of at most 200 characters. Returns nil for an empty body.
    static func excerpt(_ bytes: [UInt8]) -> String? {
        // Decode only 4,000 bytes, which are enough for 200 characters of any script.
        let text = clipped(PlainText.folded(String(decoding: bytes.prefix(4000), as: UTF8.self)))
        return text.isEmpty ? nil : text
    }

    private static func clipped(_ text: String) -> String { text.count > 200 ? text.prefix(199) + "…" : text }
}
