import Records
import Support

@testable import APOD

/// Answers and records as most tests want to see them: the picture alone.
extension Answer {
    static func picture(in bytes: [UInt8], of day: CalendarDay, from service: Service) throws(APODFailure) -> Picture {
        try Answer.day(day, in: bytes, from: service).outcome.get()
    }

    static func pictures(
        in bytes: [UInt8], from first: CalendarDay, through last: CalendarDay, of service: Service
    ) throws(APODFailure) -> [CalendarDay: Result<Picture, APODFailure>] {
        try Answer.days(in: bytes, from: first, through: last, of: service).mapValues(\.outcome)
    }
}

extension Picture {
    func record(source: Source = .network, fetchedAt: Timestamp) -> Record {
        DayResult(day: day, outcome: .picture(PictureRecord(self)), source: source, fetchedAt: fetchedAt).record
    }
}
