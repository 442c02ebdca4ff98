import Support

@testable import APOD

/// Requests as tests mean them: by days of the calendar.
extension DayRequest {
    static var newest: DayRequest { .named([.today]) }

    static func day(_ day: CalendarDay) -> DayRequest { .named([.day(day)]) }

    static func range(start: CalendarDay, end: CalendarDay?) -> DayRequest {
        .range(from: .day(start), through: end.map(NamedDays.day))
    }
}
