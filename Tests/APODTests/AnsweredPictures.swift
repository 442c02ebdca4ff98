import Records
import Support
import Testing

@testable import APOD

/// Shorthands for tests that need only the picture of an answer.
extension ServiceAnswer {
    static func picture(in bytes: [UInt8], of day: CalendarDay, from service: Service) throws(APODFailure) -> Picture {
        try ServiceAnswer.day(day, in: bytes, from: Server(service), at: time("2026-11-20")).get()
    }

    static func pictures(
        in bytes: [UInt8], from first: CalendarDay, through last: CalendarDay, of service: Service
    ) throws(APODFailure) -> [CalendarDay: Result<Picture, APODFailure>] {
        try ServiceAnswer.days(in: bytes, from: first, through: last, of: Server(service), at: time("2026-11-20"))
            .mapValues {
                day in
                Result { () throws(APODFailure) in try day.get() }
            }
    }
}

extension DayResult {

    /// Returns the picture or throws the `APODFailure`. Records an issue for any other failure.
    func get() throws(APODFailure) -> Picture {
        switch outcome {
        case .picture(let picture): return picture
        case .failed(let failure as APODFailure): throw failure
        case .failed(let failure):
            Issue.record("not an APODFailure: \(failure)")
            throw .noPicture(day)
        }
    }
}

extension Picture {
    func record(source: DayResult.Source = .network, fetchedAt: Timestamp) -> Record {
        DayResult(day: day, outcome: .picture(self), source: source, fetchedAt: fetchedAt).record
    }

    var title: String { fields.string("title") ?? "" }
    var explanation: String { fields.string("explanation") ?? "" }
    var url: String? { fields.string("url") }
    var hdurl: String? { fields.string("hdurl") }
    var copyright: String? { fields.string("copyright") }
    var thumbnailURL: String? { fields.string("thumbnail_url") }
    var permalink: String? { fields.string("permalink") }
    var credit: String? { fields.string("credit") }
    var alt: String? { fields.string("alt") }
}
