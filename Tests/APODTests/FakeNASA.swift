import Fetch
import HTTP
import Records
import Support
import Testing

@testable import APOD

/// A transport that answers for both services in memory, and records every request.
final class FakeNASA: HTTPTransport {
    /// A parsed request.
    enum Ask: Hashable {
        case day(Service, CalendarDay)
        case page(Service, CalendarDay, CalendarDay)
        /// The given number of newest days, which only the new service can list.
        case newest(Int)

        var service: Service {
            switch self {
            case .day(let service, _), .page(let service, _, _): service
            case .newest: .science
            }
        }
    }

    enum Reply {
        case ok([UInt8])
        case status(Int, String, [HTTPHeaders.Field] = [])
        case failure(any Failure)

        static func ok(_ text: String) -> Reply { .ok(Array(text.utf8)) }
    }

    static let notFound = Reply.status(404, #"{"code":"apod_basic_not_found","message":"none","data":{"status":404}}"#)
    static let scienceBase = "https://science.example.org/wp-json/apod-basic"
    static let apiBase = "https://api.example.org/planetary/apod"

    static func base(of service: Service) -> String { service == .api ? apiBase : scienceBase }

    private let handler: @Sendable (Ask) -> Reply
    private let requests = Monitor<[HTTPRequest]>([])

    init(_ handler: @escaping @Sendable (Ask) -> Reply) { self.handler = handler }

    /// All requests so far, in order.
    var sent: [HTTPRequest] { requests.withLock { $0 } }
    var asked: [Ask] { sent.compactMap(Self.ask) }

    func exchange(
        _ request: HTTPRequest, interruption: Interruption, receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        requests.withLock { $0.append(request) }
        guard let ask = Self.ask(request) else {
            Issue.record("neither service has the address \(request.url)")
            throw FetchFailure.nameNotResolved(url: request.url)
        }
        switch handler(ask) {
        case .failure(let failure): throw failure
        case .ok(let bytes): return try send(200, [], bytes, request, receive)
        case .status(let status, let text, let fields):
            return try send(status, fields, Array(text.utf8), request, receive)
        }
    }

    private func send(
        _ status: Int, _ fields: [HTTPHeaders.Field], _ bytes: [UInt8], _ request: HTTPRequest,
        _ receive: (HTTPEvent) throws -> Void
    ) throws -> HTTPResponse {
        let response = HTTPResponse(status: status, headers: HTTPHeaders(fields), url: request.url)
        try receive(.head(response))
        try bytes.withUnsafeBytes { try receive(.body($0)) }
        return response
    }

    private static func ask(_ request: HTTPRequest) -> Ask? {
        let halves = request.url.description.split(separator: "?", maxSplits: 1)
        let address = String(halves[0])
        var items: [String: String] = [:]
        for item in (halves.count > 1 ? halves[1] : "").split(separator: "&") {
            let parts = item.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { items[String(parts[0])] = String(parts[1]) }
        }
        if address == apiBase, items["thumbs"] == "true" {
            if let day = items["date"].flatMap(CalendarDay.init) { return .day(.api, day) }
            guard let first = items["start_date"].flatMap(CalendarDay.init),
                let last = items["end_date"].flatMap(CalendarDay.init)
            else { return nil }
            return .page(.api, first, last)
        }
        if address == scienceBase, items["date_from"] == nil, items["page"] == "1" {
            return items["per_page"].flatMap { Int($0) }.map { .newest($0) }
        }
        if address == scienceBase, items["per_page"] == "25", items["page"] == "1" {
            guard let first = items["date_from"].flatMap(sixDigits), let last = items["date_to"].flatMap(sixDigits)
            else {
                return nil
            }
            return .page(.science, first, last)
        }
        guard address.hasPrefix(scienceBase + "/") else { return nil }
        return sixDigits(String(address.dropFirst(scienceBase.count + 1))).map { .day(.science, $0) }
    }

    private static func sixDigits(_ text: String) -> CalendarDay? {
        guard text.utf8.count == 6, let number = Int(text) else { return nil }
        let year = number / 10_000
        return CalendarDay(year: year >= 95 ? 1900 + year : 2000 + year, month: number / 100 % 100, day: number % 100)
    }

    // MARK: Services

    /// Creates services with a picture for every day up to `newest`, except the days that never had a picture. `except`
    /// overrides answers.
    static func complete(through newest: String, except: @escaping @Sendable (Ask) -> Reply? = { _ in nil }) -> FakeNASA
    {
        let newest = day(newest)
        return FakeNASA { ask in except(ask) ?? archive(ask, newest: newest) }
    }

    static func archive(_ ask: Ask, newest: CalendarDay, without missing: Set<CalendarDay> = []) -> Reply {
        func exists(_ day: CalendarDay) -> Bool {
            day <= newest && !PublishedDays.gaps.contains(day) && !missing.contains(day)
        }
        switch ask {
        case .day(.science, let day): return exists(day) ? .ok(scienceAnswer(day.description).line) : notFound
        case .day(.api, let day):
            return exists(day)
                ? .ok(legacyAnswer(day.description).line)
                : .status(404, #"{"code":404,"msg":"No data available for date: \#(day)","service_version":"v1"}"#)
        case .page(let service, let first, let last):
            let days = (first.daysSince1970...last.daysSince1970).map(CalendarDay.init(daysSince1970:)).filter(exists)
            return service == .science
                ? .ok(list(days.reversed().map { scienceAnswer($0.description) }))
                : .ok(list(days.map { legacyAnswer($0.description) }))
        case .newest(let count):
            let days = (0...).lazy.map { newest.advanced(by: -$0) }.filter(exists).prefix(count)
            return .ok(list(days.map { scienceAnswer($0.description) }))
        }
    }

    /// Returns a client of these services. Its clock shows `today` in UTC, by default noon.
    func client(
        _ choice: ServiceChoice = .auto, today: String = "2026-11-20", hour: Int = 12, minute: Int = 0,
        hasClassic: Bool = true, options: PictureOptions = PictureOptions(), store: DayCache? = nil,
        jobs: Int = 1, log: Log = .silent, interruption: Interruption = Interruption()
    ) throws -> APODClient {
        let now = time(today, hour, minute)
        let clock = Clock { now }
        return APODClient(
            choice: choice, options: options, science: try WebURL(Self.scienceBase),
            api: hasClassic ? try WebURL(Self.apiBase) : nil,
            http: HTTPClient(
                transport: self, retries: RetrySchedule(retries: 0), interruption: interruption, clock: clock,
                sleep: { _ in }),
            caches: store?.caches ?? DayCache.nowhere, jobs: jobs, interruption: interruption, clock: clock, log: log)
    }
}

/// Parses a day in a handler, which cannot record an issue.
private func day(_ text: String) -> CalendarDay { CalendarDay(text) ?? PublishedDays.first }

extension PictureSequence {
    /// Returns all remaining results.
    func rest() throws -> [DayResult] {
        var results: [DayResult] = []
        while let result = try next() { results.append(result) }
        return results
    }
}

extension APODClient {
    /// Returns the pictures of a request, planned at the client's time.
    func pictures(_ request: DayRequest) throws -> PictureSequence {
        pictures(try request.plan(clock.now()))
    }

    func results(_ request: DayRequest) throws -> [DayResult] {
        let sequence = try pictures(request)
        return try sequence.rest()
    }
}

extension DayResult {
    /// Returns the picture's record, or `{"date":…,"error":{…}}`.
    func record(tool: String) -> Record {
        var record = record
        if let failure { record.setError(failure, tool: tool) }
        return record
    }
}

/// Records logged lines.
final class Lines: Sendable {
    private let lines = Monitor<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    var log: Log {
        Log(tool: "apod-fetch", threshold: .detail, write: { [self] line in lines.withLock { $0.append(line) } })
    }
}
