import Articles
import HTML
import HTTP
import Records
import Support

/// Turns an answer that isn't 200 into what it means.
///
/// NASA's service is WordPress (`{"code","message"}`), and a classic server says `{"code","msg"}`. Gateways in front of
/// them say `{"error":{"code","message"}}`, or answer with plain text or HTML of their own.
enum ErrorAnswer {
    /// Returns what a request's failure means; nil if it is about the network alone. Parameters as below.
    static func failure(
        for failure: FetchFailure, from server: Server, day: CalendarDay?, newest: CalendarDay
    ) -> APODFailure? {
        if let quota = failure.usedUpQuota {
            return .rateLimited(
                server, limitPerHour: quota.limit, retryAfterSeconds: seconds(quota.retryAfter))
        }
        return failure.answer.map {
            self.failure(for: $0, from: server, day: day, newest: newest, attempts: failure.attempts)
        }
    }

    /// Returns what an answer means.
    ///
    /// - Parameters:
    ///   - day: the day asked for; nil for several.
    ///   - newest: the newest day that may be published now.
    ///   - attempts: how often was asked.
    static func failure(
        for answer: FetchFailure.Answer, from server: Server, day: CalendarDay?, newest: CalendarDay, attempts: Int = 1
    ) -> APODFailure {
        let body = (try? Record(parsing: answer.body)) ?? Record()
        let code = body.string("error.code") ?? body.string("code") ?? ""
        let said = words(of: body, answer.body)
        if answer.isOfGateway {
            return .failing(server, status: answer.status, said: said, attempts: attempts)
        }
        let absent = day.map { $0 >= newest ? APODFailure.notPublished($0) : .noPicture($0) }
        switch answer.status {
        case 401, 403: return .forbidden(server, status: answer.status)
        case 404 where code == "rest_no_route": return .refused(server, status: 404, said: said)
        case 404, 410:
            // Both services say it in a `code` of their own. A page of their site, or the gateway's word, means that
            // there is no service any more, which is nothing that is known of a day.
            return (body.has("code") ? absent : nil) ?? .refused(server, status: answer.status, said: said)
        case 400:
            // The old server takes a day that isn't out yet, by its own clock in UTC, for one beyond its range, and its
            // rewrite says that of any day without a picture.
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

    /// Returns what an answer means that has status 200 and an error in the picture's place, as NASA's old server has
    /// it (`{"message","error"}`); nil for anything else.
    static func failure(in bytes: [UInt8], from server: Server) -> APODFailure? {
        guard let body = try? Record(parsing: bytes), !body.has("date"), body.string("error") != nil else { return nil }
        return .refused(server, status: 200, said: words(of: body, bytes))
    }

    /// Rounded up.
    private static func seconds(_ span: Duration) -> Int { Int(min(span.milliseconds, 1 << 40) + 999) / 1000 }

    /// Returns the old server's general sentence, and behind it what went wrong.
    private static func sentences(of body: Record) -> String? {
        let sentences = [body.string("message"), body.string("error")].compactMap { $0 }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    /// Returns what the server has to say, as one line of at most 200 characters.
    private static func words(of body: Record, _ bytes: [UInt8]) -> String? {
        var text =
            body.string("msg") ?? body.string("error.message") ?? sentences(of: body)
            ?? (body.isEmpty ? PlainText.line(ofHTML: String(decoding: bytes, as: UTF8.self)) : nil) ?? ""
        text = AnswerBody.clipped(PlainText.folded(text))
        return text.isEmpty ? nil : text
    }
}
