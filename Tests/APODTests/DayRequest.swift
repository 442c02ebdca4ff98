import Support

@testable import APOD

/// The days that a test requests, as a function from the time of the client's clock to a plan.
struct DayRequest: Sendable {
    let plan: @Sendable (Timestamp) throws -> DayPlan

    static let newest = named([.today])

    static func day(_ day: CalendarDay) -> DayRequest { named([.day(day)]) }

    static func named(_ days: [NamedDays]) -> DayRequest { DayRequest { try .named(days, at: $0) } }

    static func last(_ count: Int) -> DayRequest { DayRequest { try .last(count, at: $0) } }

    static func range(start: CalendarDay, end: CalendarDay?) -> DayRequest {
        range(from: .day(start), through: end.map(NamedDays.day))
    }

    static func range(from start: NamedDays, through end: NamedDays?) -> DayRequest {
        DayRequest { try .range(from: start, through: end, at: $0) }
    }

    static func random(_ count: Int, seed: UInt64) -> DayRequest {
        DayRequest { try .random(count, seed: seed, at: $0) }
    }
}
