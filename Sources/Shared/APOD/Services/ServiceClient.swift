import HTTP
import Support

/// Asks one service. Every call is one request, with the client's retries; every failure says what it means here. A
/// service that fails several times in a row (`Outage`) is not asked again.
struct ServiceClient: Sendable {
    let service: Service
    let base: WebURL
    var server: Server { Server(service, at: base) }
    var http: HTTPClient
    let clock: Clock
    let log: Log
    let outage = Outage()

    /// A day's answer has 12 KB, a full page 300 KB, a hundred days 1.2 MB. Taken apart, hostile JSON may need thirty
    /// times its size.
    private static let byteLimit = 4_000_000

    /// Returns what is said of that day. Throws `APODFailure`, what the request threw, or `Cancelled`.
    func answer(of day: CalendarDay) throws -> DayResult {
        try asking("\(day)", isPage: false) {
            let bytes = try fetch(address(of: day), day: day)
            let time = clock.now()
            let answer = try telling(bytes) {
                if let failure = ErrorAnswer.failure(in: bytes, from: server) { throw failure }
                return try ServiceAnswer.day(day, in: bytes, from: server, at: time)
            }
            note(answer)
            return answer
        }
    }

    /// Returns what is said of the days from `first` to `last`, at most a page of them, as far as the service lists
    /// them. Throws `APODFailure`, what the request threw, or `Cancelled`.
    func answers(from first: CalendarDay, through last: CalendarDay) throws -> [CalendarDay: DayResult] {
        try asking("\(first) to \(last)", isPage: true) {
            let bytes = try fetch(address(from: first, through: last), day: nil)
            let time = clock.now()
            let answers = try telling(bytes) {
                try ServiceAnswer.days(in: bytes, from: first, through: last, of: server, at: time)
            }
            for answer in answers.values { note(answer) }
            return answers
        }
    }

    /// Returns what the new service says of that many of the days that it has published last, at most a page of them, in
    /// descending order. Throws `APODFailure`, what the request threw, or `Cancelled`.
    func newestAnswers(_ count: Int) throws -> [DayResult] {
        try asking("the newest \(count == 1 ? "picture" : "\(count) pictures")", isPage: true) {
            let bytes = try fetch(address(ofNewest: count), day: nil)
            let time = clock.now()
            // The service knows better than a slow clock which days have come.
            let answers = try telling(bytes) {
                try ServiceAnswer.days(
                    in: bytes, from: PublishedDays.first, through: PublishedDays.last, of: server, at: time)
            }
            for answer in answers.values { note(answer) }
            return Array(answers.values.sorted { $0.day > $1.day }.prefix(count))
        }
    }

    /// Makes a request unless the service is down, and learns from it whether it is.
    private func asking<Answer>(_ what: String, isPage: Bool, _ ask: () throws -> Answer) throws -> Answer {
        if let reason = outage.reason { throw reason }
        do {
            log.detail("asking \(server.name) for \(what)")
            let answer = try ask()
            outage.end()
            return answer
        } catch {
            let failure = Support.failure(of: error)
            if failure is Cancelled { throw failure }
            if let failure = failure as? APODFailure, failure.isAboutDay {
                outage.end()
            } else if !(isPage && Self.isOfPage(failure)), let count = outage.add(failure) {
                log.warning("\(server.name) has failed \(count) times in a row; it is not asked again in this run")
            }
            throw failure
        }
    }

    /// Returns whether a page may have failed because of a single day in it: the service answered, but with a fault of
    /// its own or with something that can't be read. The old one answers 500 for a range with one bad day.
    static func mayBeOneDays(_ failure: any Failure) -> Bool {
        switch failure {
        case APODFailure.failing, APODFailure.badAnswer, APODFailure.refused, FetchFailure.tooLarge: true
        default: false
        }
    }

    /// Returns whether a page's failure says nothing yet of the service: its days may be well but for one.
    private static func isOfPage(_ failure: any Failure) -> Bool {
        if case APODFailure.failing(_, let status, _, _) = failure { return status == 500 }
        return mayBeOneDays(failure)
    }

    private func fetch(_ url: WebURL, day: CalendarDay?) throws -> [UInt8] {
        let headers = [HTTPHeader("Accept", "application/json", crossesOrigins: true)]
        do {
            // What stands before the service answers in its place when it is away, now and then with 200.
            return try http.data(
                HTTPRequest(
                    url: url, headers: headers, cleartextOrigins: [base.origin], byteLimit: Self.byteLimit),
                isPassingFault: \.isOfGateway
            ).1
        } catch let failure as FetchFailure {
            if let answer = failure.answer { note(answer.body) }
            let newest = PublishedDays.newest(at: clock.now())
            throw ErrorAnswer.failure(for: failure, from: server, day: day, newest: newest) ?? failure
        }
    }

    // MARK: Words

    /// Reads a body; logs how it begins if it can't be used.
    private func telling<T>(_ bytes: [UInt8], _ read: () throws -> T) throws -> T {
        do { return try read() } catch {
            note(bytes)
            throw error
        }
    }

    private func note(_ answer: DayResult) {
        if case .failed(APODFailure.badAnswer) = answer.outcome, let object = answer.raw { note(object) }
    }

    private func note(_ bytes: [UInt8]) {
        log.detail(
            "\(server.name) answered\(AnswerBody.excerpt(bytes).map { ": \($0)" } ?? " nothing")")
    }
}
