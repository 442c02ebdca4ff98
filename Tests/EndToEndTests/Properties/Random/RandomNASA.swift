import Records
import Support
import TestSupport

/// A local server with both of NASA's services, for random days and their pictures.
final class RandomNASA: Sendable {
    /// A request with its correct response.
    struct Exchange {
        let request: LoopbackRequest
        /// The number of earlier requests.
        let number: Int
        let response: LoopbackResponse
        let connection: LoopbackConnection

        func answer() throws { try connection.send(response, to: request) }
    }

    private struct State {
        var days: [CalendarDay: RandomDay] = [:]
        var targets: [String] = []
    }

    private let state = Monitor(State())
    private let server: LoopbackServer

    /// - Parameter answer: handles each request; by default answers correctly.
    init(answer: @escaping @Sendable (Exchange) throws -> Void = { try $0.answer() }) throws {
        server = try LoopbackServer { [state] request, connection in
            let (number, days) = state.update { state in
                state.targets.append(request.target)
                return (state.targets.count - 1, state.days)
            }
            let response = Self.response(to: request, days)
            try answer(Exchange(request: request, number: number, response: response, connection: connection))
        }
    }

    /// `http://127.0.0.1:PORT`.
    var site: String { server.address }

    /// The path and query of each request, in order.
    var targets: [String] { state.withLock { $0.targets } }

    /// The settings that direct a tool only to these services.
    var environment: [String: String] {
        [
            "APOD_SCIENCE_URL": "\(site)/science", "APOD_API_URL": "\(site)/api",
            "APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8",
        ]
    }

    /// A new home with an empty cache.
    func home() throws -> ToolHome { try ToolHome(environment: environment) }

    /// Stops listening.
    func stop() { server.stop() }

    // MARK: Days

    /// Adds a day and returns it.
    @discardableResult
    func add(_ day: CalendarDay, medium: RandomDay.Medium? = nil, _ random: inout SeededRandom) -> RandomDay {
        let day = RandomDay(day, site: site, medium: medium, &random)
        state.withLock { $0.days[day.day] = day }
        return day
    }

    /// Adds `count` consecutive days without a gap, and returns them.
    func addRange(_ count: Int, medium: RandomDay.Medium? = nil, _ random: inout SeededRandom) -> [RandomDay] {
        let first = Self.anyDay(&random, before: 40)
        return (0..<count).map { add(first.advanced(by: $0), medium: medium, &random) }
    }

    /// A random day of the archive. The `count` days after it all have a picture.
    static func anyDay(_ random: inout SeededRandom, before count: Int = 0) -> CalendarDay {
        let range = (CalendarDay("1995-06-20")?.daysSince1970 ?? 0)...(CalendarDay("2026-09-01")?.daysSince1970 ?? 0)
        let silent = CalendarDay("2020-06-10")?.daysSince1970 ?? 0
        let number = random.number(range)
        return CalendarDay(daysSince1970: (number...number + count).contains(silent) ? number - count - 1 : number)
    }

    // MARK: Answers

    private static func response(to request: LoopbackRequest, _ days: [CalendarDay: RandomDay]) -> LoopbackResponse {
        let path = request.path.split(separator: "/").map(String.init)
        switch path.first {
        case "science": return science(request, path.dropFirst().first, days)
        case "api": return api(request, days)
        case "pictures", "stills": return picture(request.path)
        // A GIF of an exercise, for gif-cache.
        case "image": return picture("\(request.target).gif")
        default: return .text("nothing here", status: 404)
        }
    }

    /// A small picture that depends on the path.
    static func picture(_ path: String) -> LoopbackResponse {
        let drawn = DrawnPicture.noise(9, 7, seed: SeededRandom.hash(path.utf8))
        return path.hasSuffix(".gif") ? .bytes(drawn.gif(), type: "image/gif") : .bytes(drawn.png(), type: "image/png")
    }

    private static func science(
        _ request: LoopbackRequest, _ name: String?, _ days: [CalendarDay: RandomDay]
    ) -> LoopbackResponse {
        if let name {
            guard let day = sixDigits(name).flatMap({ days[$0] }) else {
                return .json(#"{"code":"apod_basic_not_found","message":"none","data":{"status":404}}"#, status: 404)
            }
            return .json(day.scienceText)
        }
        let first = request.field("date_from").flatMap(sixDigits) ?? CalendarDay(daysSince1970: 0)
        let last = request.field("date_to").flatMap(sixDigits) ?? CalendarDay(daysSince1970: 100_000)
        let count = min(request.field("per_page").flatMap { Int($0) } ?? 25, 25)
        let listed = days.values.filter { first <= $0.day && $0.day <= last }
        // Newest first. A request beyond the last page returns the first page.
        return list(listed.sorted { $0.day > $1.day }.prefix(count).map(\.scienceText))
    }

    private static func api(_ request: LoopbackRequest, _ days: [CalendarDay: RandomDay]) -> LoopbackResponse {
        if let date = request.field("date") {
            guard let day = CalendarDay(date).flatMap({ days[$0] }) else { return missing(date) }
            return .json(day.apiText)
        }
        guard let first = request.field("start_date").flatMap({ CalendarDay($0) }),
            let last = request.field("end_date").flatMap({ CalendarDay($0) }), first <= last
        else { return .json(#"{"code":400,"msg":"Bad Request: incorrect field","service_version":"v1"}"#, status: 400) }
        let listed = days.values.filter { first <= $0.day && $0.day <= last }
        return list(listed.sorted { $0.day < $1.day }.map(\.apiText))
    }

    private static func missing(_ date: String) -> LoopbackResponse {
        .json(#"{"code":404,"msg":"No data available for date: \#(date)","service_version":"v1"}"#, status: 404)
    }

    private static func list(_ objects: [String]) -> LoopbackResponse {
        .json("[" + objects.joined(separator: ",") + "]")
    }

    private static func sixDigits(_ text: String) -> CalendarDay? {
        guard text.utf8.count == 6, let number = Int(text) else { return nil }
        let year = number / 10_000
        return CalendarDay(year: year < 95 ? 2000 + year : 1900 + year, month: number / 100 % 100, day: number % 100)
    }
}
