import Support

/// The failures of fetching the picture of a day. Failures of the network are `FetchFailure`, and failures of the
/// command line are `UsageFailure`.
enum APODFailure: Failure, Equatable {
    /// A record or line of the input has no valid day.
    case badDate(reason: String)
    case noPicture(CalendarDay)
    case notPublished(CalendarDay)
    /// None of the newest days has a picture.
    case nothingRecent(from: CalendarDay, through: CalendarDay)
    case standIn(StandIn, CalendarDay, Server)
    case wrongDay(asked: CalendarDay, answered: CalendarDay, Server)
    case badAnswer(BadAnswer, Server)
    /// A permanent refusal, with the service's message.
    case refused(Server, status: Int, said: String?)
    /// Status 401 or 403.
    case forbidden(Server, status: Int)
    /// Status 429, after all retries.
    case rateLimited(Server, limitPerHour: Int?, retryAfterSeconds: Int?)
    /// Status 408 or 5xx, after all retries, with the service's message.
    case failing(Server, status: Int, said: String?, attempts: Int = 1)

    enum StandIn: String, Sendable {
        /// NASA's logo, or a generic still that its sites show for news or by default (`MediaAddress.isStandIn`).
        case placeholder
        /// The answer has no address: the picture was lost when NASA's site moved.
        case nothing
    }

    enum BadAnswer: Sendable, Equatable {
        case empty
        case notJSON
        /// JSON that ends early.
        case truncated
        case notUTF8
        case tooDeep
        /// A list with elements that are not objects.
        case notObjects
        /// A list with far more objects than requested.
        case tooMany
        /// A web page, which a gateway or captive portal may send.
        case html
        case arrayForObject
        case objectForArray
        case missing(field: String)
        case wrongType(field: String)
        case tangledHTML(field: String)
    }

    var code: String {
        switch self {
        case .badDate: "bad-date"
        case .noPicture, .nothingRecent: "no-picture"
        case .notPublished: "not-published"
        case .standIn: "stand-in"
        case .wrongDay: "wrong-date"
        case .badAnswer: "bad-answer"
        case .refused: "refused"
        case .forbidden: "forbidden"
        case .rateLimited: "rate-limited"
        case .failing: "server-error"
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .noPicture, .nothingRecent, .standIn, .refused: .unavailable
        case .badDate, .wrongDay, .badAnswer: .data
        case .forbidden: .notAllowed
        case .notPublished, .rateLimited, .failing: .temporary
        }
    }

    var message: String {
        switch self {
        case .badDate(let reason): reason
        case .noPicture(let day):
            "there is no picture of the day for \(day); use --fallback-previous for the latest earlier image"
        case .notPublished(let day):
            "the picture of \(day) is not published yet; try again after 00:05 US Eastern time, when NASA"
                + " usually publishes, or use --date today for the newest picture"
        case .nothingRecent(let first, let last):
            "there is no picture of the day from \(first) to \(last), and NASA has not published any since; try again"
                + " later, or use --date with an earlier day"
        case .standIn(.placeholder, let day, let server) where server.service == .api:
            "\(server.name) returned NASA's logo or another stand-in instead of the picture of \(day)"
                + "; set APOD_TOOLS_SERVICE=science"
        case .standIn(.placeholder, let day, let server):
            "\(server.name) returned a stand-in for the picture of \(day), which may have been lost when the site"
                + " moved; use --fallback-previous for the latest earlier image"
        case .standIn(.nothing, let day, let server):
            "\(server.name) has the text of \(day) but no picture, which may have been lost when the site moved"
                + "; use --fallback-previous for the latest earlier image"
        case .wrongDay(let asked, let answered, let server):
            "\(server.name) returned \(answered) instead of \(asked); check the service's address"
        case .badAnswer(let fault, let server):
            "\(server.name) returned an invalid answer: \(fault.words)"
                + "; check the service's address, or try again later (-v shows the beginning of the answer)"
        case .refused(let server, let status, let said):
            "\(server.name) rejected the request with status \(status)\(Self.quoted(said))"
        case .forbidden(let server, let status):
            "\(server.name) refused access (status \(status)) and may block this network; try another network"
        case .rateLimited(let server, let limit, let seconds):
            "\(server.name): too many requests\(limit.map { " (limit \($0) an hour)" } ?? "")"
                + "; try again\(seconds.map { " in \(Self.span(seconds: $0))" } ?? " later")"
        case .failing(let server, 200, let said, let attempts):
            "\(server.name) cannot be reached behind its proxy\(Self.quoted(said)); try again later"
                + Self.asked(attempts)
        case .failing(let server, let status, let said, let attempts):
            "\(server.name) failed with status \(status)\(Self.quoted(said)); try again later\(Self.asked(attempts))"
        }
    }

    private static func quoted(_ said: String?) -> String { said.map { ": \"\($0)\"" } ?? "" }

    private static func asked(_ attempts: Int) -> String { attempts > 1 ? " (tried \(attempts) times)" : "" }

    private static func span(seconds: Int) -> String {
        switch seconds {
        case 1: "1 second"
        case ..<120: "\(seconds) seconds"
        default: "\(seconds / 60 + (seconds % 60 == 0 ? 0 : 1)) minutes"
        }
    }

    /// Whether the service reports that the day has no picture, or that the picture is not published yet.
    var isAbsence: Bool {
        switch self {
        case .noPicture, .notPublished: true
        default: false
        }
    }

    /// Whether the failure concerns the day, and may be cached. Other failures, such as a refusal, concern the service.
    var isAboutDay: Bool { if case .standIn = self { true } else { isAbsence } }
}

extension APODFailure.BadAnswer {
    /// Whether the whole answer is unusable, rather than a single field. Such an answer probably does not come from the
    /// service.
    var isOfWholeAnswer: Bool {
        switch self {
        case .missing, .wrongType, .tangledHTML: false
        default: true
        }
    }

    var words: String {
        switch self {
        case .empty: "it is empty"
        case .notJSON: "it is not JSON"
        case .truncated: "it is incomplete"
        case .notUTF8: "its text is not UTF-8"
        case .tooDeep: "it is nested too deeply"
        case .notObjects: "its items are not objects"
        case .tooMany: "it contains far more items than requested"
        case .html: "it is a web page, not JSON"
        case .arrayForObject: "it is an array instead of an object"
        case .objectForArray: "it is an object instead of an array"
        case .missing(let field): "it has no \(field)"
        case .wrongType(let field): "its \(field) has an invalid value"
        case .tangledHTML(let field): "its \(field) is too long or contains HTML that is too complex"
        }
    }
}
