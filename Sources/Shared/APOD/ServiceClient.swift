import HTTP
import Support

/// Asks one service. Every call is one request, with the client's retries; every failure says what it means here.
struct ServiceClient: Sendable {
    let service: Service
    let base: WebURL
    /// For the old service; sent as a header, so that it is in no log of an address.
    let key: String?
    var http: HTTPClient
    let clock: Clock
    /// Told how an answer begins that can't be used.
    let log: Log

    /// The most days that one answer lists: the new service's limit for a page.
    static let pageLimit = 25

    /// A day's answer has 12 KB, a full page 300 KB, a hundred days 1.2 MB. Taken apart, hostile JSON may need thirty
    /// times its size.
    private static let byteLimit = 4_000_000

    /// What is said of that day. Throws `APODFailure`, or what the request threw.
    func answer(of day: CalendarDay) throws -> AnsweredDay {
        let bytes = try fetch(address(of: day), day: day)
        let answer = try telling(bytes) { try Answer.day(day, in: bytes, from: service) }
        note(answer)
        return answer
    }

    /// What is said of the days from `first` to `last`, at most a page of them, as far as the service lists them.
    func answers(from first: CalendarDay, through last: CalendarDay) throws -> [CalendarDay: AnsweredDay] {
        let bytes = try fetch(address(from: first, through: last), day: nil)
        let answers = try telling(bytes) { try Answer.days(in: bytes, from: first, through: last, of: service) }
        for answer in answers.values { note(answer) }
        return answers
    }

    private func fetch(_ url: WebURL, day: CalendarDay?) throws -> [UInt8] {
        var headers = [HTTPHeader("Accept", "application/json", crossesOrigins: true)]
        if let key { headers.append(HTTPHeader("X-Api-Key", key)) }
        do {
            // What stands before the service answers in its place when it is away, now and then with 200.
            return try http.data(
                HTTPRequest(
                    url: url, headers: headers, cleartextOrigins: [base.origin], byteLimit: Self.byteLimit),
                isPassingFault: { Answer.isProxyError($0.body) }
            ).1
        } catch let failure as FetchFailure {
            if let answer = failure.answer { note(answer.body) }
            let newest = PublishedDays.newest(at: clock.now())
            throw ErrorAnswer.failure(for: failure, from: service, day: day, newest: newest, key: key) ?? failure
        }
    }

    // MARK: Words

    /// Reads a body; tells how it begins where it can't be used.
    private func telling<T>(_ bytes: [UInt8], _ read: () throws -> T) throws -> T {
        do { return try read() } catch {
            note(bytes)
            throw error
        }
    }

    private func note(_ answer: AnsweredDay) {
        if case .failure(.badAnswer) = answer.outcome { note(answer.object) }
    }

    private func note(_ bytes: [UInt8]) {
        log.detail("\(service.name) answered\(Answer.excerpt(bytes, withoutKey: key).map { ": \($0)" } ?? " nothing")")
    }

    // MARK: Addresses

    /// `BASE/YYMMDD`, or `BASE?date=YYYY-MM-DD`.
    func address(of day: CalendarDay) throws -> WebURL {
        switch service {
        case .science:
            let path = base.path.hasSuffix("/") ? base.path : base.path + "/"
            return try base.resolving(path + Self.sixDigits(day) + (base.query.map { "?\($0)" } ?? ""))
        case .api:
            // `thumbs` asks for the stills of videos.
            return base.appendingQueryItem("date", day.description).appendingQueryItem("thumbs", "true")
        }
    }

    /// A list of days. The new service gives pages of 25, newest first, and repeats its first page behind the last one,
    /// so the first is always the only one that is asked for.
    func address(from first: CalendarDay, through last: CalendarDay) -> WebURL {
        switch service {
        case .science:
            base.appendingQueryItem("date_from", Self.sixDigits(first))
                .appendingQueryItem("date_to", Self.sixDigits(last))
                .appendingQueryItem("per_page", String(Self.pageLimit)).appendingQueryItem("page", "1")
        case .api:
            base.appendingQueryItem("start_date", first.description).appendingQueryItem("end_date", last.description)
                .appendingQueryItem("thumbs", "true")
        }
    }

    /// `150603` for 2015-06-03: the new service writes years with two digits, of which 95 to 99 are before 2000.
    static func sixDigits(_ day: CalendarDay) -> String {
        String(day.description.filter { $0 != "-" }.suffix(6))
    }
}
