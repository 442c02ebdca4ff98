import HTTP
import Support

/// Queries one service. Each call makes one request, with the client's retries. A service that fails several times in a
/// row (`Outage`) is not queried again.
///
/// Methods throw `APODFailure`, the failure of the request, or `Cancelled`.
struct ServiceClient: Sendable {
    let service: Service
    let base: WebURL
    var server: Server { Server(service, at: base) }
    var http: HTTPClient
    let clock: Clock
    let log: Log
    let outage = Outage()

    /// The maximum size of an answer in bytes. An answer has 12 KB for a day, 300 KB for a full page, and 1.2 MB for a
    /// hundred days. Parsing malicious JSON may need thirty times its size in memory.
    private static let byteLimit = 4_000_000

    func answer(of day: CalendarDay) throws -> DayResult {
        try asking("\(day)", isPage: false) {
            let bytes = try fetch(address(of: day), day: day)
            let time = clock.now()
            let answer = try loggingFaults(bytes) {
                if let failure = ErrorAnswer.failure(in: bytes, from: server) { throw failure }
                return try ServiceAnswer.day(day, in: bytes, from: server, at: time)
            }
            note(answer)
            return answer
        }
    }

    /// Returns the days from `first` to `last` that the service lists, at most a page.
    func answers(from first: CalendarDay, through last: CalendarDay) throws -> [CalendarDay: DayResult] {
        try list("\(first) to \(last)", at: address(from: first, through: last), from: first, through: last)
    }

    /// Returns the days that the new service published last, at most a page, in descending order.
    func newestAnswers(_ count: Int) throws -> [DayResult] {
        // Accept days in the future, because the local clock may be slow.
        let answers = try list(
            "the newest \(count == 1 ? "picture" : "\(count) pictures")", at: address(ofNewest: count),
            from: PublishedDays.first, through: PublishedDays.last)
        return Array(answers.values.sorted { $0.day > $1.day }.prefix(count))
    }

    private func list(
        _ what: String, at url: WebURL, from first: CalendarDay, through last: CalendarDay
    ) throws -> [CalendarDay: DayResult] {
        try asking(what, isPage: true) {
            let bytes = try fetch(url, day: nil)
            let time = clock.now()
            let answers = try loggingFaults(bytes) {
                try ServiceAnswer.days(in: bytes, from: first, through: last, of: server, at: time)
            }
            for answer in answers.values { note(answer) }
            return answers
        }
    }

    /// Calls `ask`, which makes a request, and records the outcome in `outage`. Throws the last failure of a service
    /// that is down.
    private func asking<Answer>(_ what: String, isPage: Bool, _ ask: () throws -> Answer) throws -> Answer {
        if let reason = outage.reason { throw reason }
        do {
            log.detail("requesting \(what) from \(server.name)")
            let answer = try ask()
            outage.end()
            return answer
        } catch {
            let failure = Support.failure(of: error)
            if failure is Cancelled { throw failure }
            if let failure = failure as? APODFailure, failure.isAboutDay {
                outage.end()
            } else if !(isPage && Self.isOfPage(failure)), let count = outage.add(failure) {
                log.warning("\(server.name) failed \(count) times in a row; not used again in this run")
            }
            throw failure
        }
    }

    /// Returns whether a single day may have caused the failure of a whole page. This is possible if the service
    /// answered with an error or an unreadable body. The old service answers 500 for a range with a single bad day.
    static func mayBeOneDays(_ failure: any Failure) -> Bool {
        switch failure {
        case APODFailure.failing, APODFailure.badAnswer, APODFailure.refused, FetchFailure.tooLarge: true
        default: false
        }
    }

    /// Returns whether a page's failure is ignored in `outage`, because a single day may have caused it.
    private static func isOfPage(_ failure: any Failure) -> Bool {
        if case APODFailure.failing(_, let status, _, _) = failure { return status == 500 }
        return mayBeOneDays(failure)
    }

    private func fetch(_ url: WebURL, day: CalendarDay?) throws -> [UInt8] {
        let headers = [HTTPHeader("Accept", "application/json", survivesCrossOriginRedirect: true)]
        do {
            // A gateway in front of the service sometimes answers with status 200 while the service is down.
            return try http.data(
                HTTPRequest(url: url, headers: headers, cleartextOrigins: [base.origin], byteLimit: Self.byteLimit),
                isPassingFault: \.isOfGateway
            ).1
        } catch let failure as FetchFailure {
            if let answer = failure.answer { note(answer.body) }
            let newest = PublishedDays.newest(at: clock.now())
            throw ErrorAnswer.failure(for: failure, from: server, day: day, newest: newest) ?? failure
        }
    }

    /// Calls `read`, which reads a body. Logs the beginning of the body if `read` throws.
    private func loggingFaults<T>(_ bytes: [UInt8], _ read: () throws -> T) throws -> T {
        do { return try read() } catch {
            note(bytes)
            throw error
        }
    }

    private func note(_ answer: DayResult) {
        if case .failed(APODFailure.badAnswer) = answer.outcome, let object = answer.raw { note(object) }
    }

    private func note(_ bytes: [UInt8]) {
        log.detail("\(server.name) answered\(ErrorAnswer.excerpt(bytes).map { ": \($0)" } ?? " nothing")")
    }
}
