import Records
import Support

/// Reads the body of an answer with status 200, whatever it turns out to be.
enum ServiceAnswer {
    /// Returns what is said of the day that was asked for, with NASA's own object. Throws `APODFailure` if the body is
    /// no object, or another day's.
    ///
    /// - Parameter time: when the answer came.
    static func day(
        _ day: CalendarDay, in bytes: [UInt8], from service: Service, at time: Timestamp
    ) throws(APODFailure) -> DayResult {
        guard try begins(bytes, service) == UInt8(ascii: "{") else { throw .badAnswer(.arrayForObject, service) }
        guard let answer = try records(in: bytes, service).first else { throw .badAnswer(.notJSON, service) }
        // Before anything else: what is wrong with another day's answer doesn't matter.
        let answered = try AnswerFields(object: answer, service: service).day()
        guard answered == day else { throw .wrongDay(asked: day, answered: answered, service) }
        return result(of: day, answer, service, at: time)
    }

    /// Returns what is said of the days from `first` to `last`, as far as they are there. Objects about other days, or
    /// without a date, are passed over: both services ignore questions that they don't understand. Throws `APODFailure`
    /// if the body is no list of objects.
    static func days(
        in bytes: [UInt8], from first: CalendarDay, through last: CalendarDay, of service: Service, at time: Timestamp
    ) throws(APODFailure) -> [CalendarDay: DayResult] {
        guard try begins(bytes, service) == UInt8(ascii: "[") else { throw .badAnswer(.objectForArray, service) }
        var days: [CalendarDay: DayResult] = [:]
        for answer in try records(in: bytes, service) {
            let fields = AnswerFields(object: answer, service: service)
            guard let day = try? fields.day(), first <= day, day <= last else { continue }
            // Of a day that stands there twice, a picture counts before what is no picture.
            if days[day]?.picture != nil { continue }
            days[day] = result(of: day, answer, service, at: time)
        }
        return days
    }

    private static func result(
        of day: CalendarDay, _ answer: Record, _ service: Service, at time: Timestamp
    ) -> DayResult {
        let outcome: DayResult.Outcome
        do throws(APODFailure) {
            outcome = .picture(try picture(from: answer, service))
        } catch {
            outcome = .failed(error)
        }
        return DayResult(day: day, outcome: outcome, fetchedAt: time, raw: answer.line)
    }

    private static func picture(from answer: Record, _ service: Service) throws(APODFailure) -> Picture {
        switch service {
        case .science: try ScienceAnswer.picture(from: answer)
        case .api: try LegacyAnswer.picture(from: answer)
        }
    }

    /// Returns the first byte of the JSON value: a brace or a bracket.
    private static func begins(_ bytes: [UInt8], _ service: Service) throws(APODFailure) -> UInt8 {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        switch rest.first(where: { $0 > 0x20 }) {
        case let byte? where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["): return byte
        case UInt8(ascii: "<"): throw .badAnswer(.html, service)
        case nil: throw .badAnswer(.empty, service)
        default:
            if AnswerBody.isProxyError(bytes) {
                throw .failing(service, status: 200, said: AnswerBody.excerpt(bytes, withoutKey: nil))
            }
            throw .badAnswer(.notJSON, service)
        }
    }

    private static func records(in bytes: [UInt8], _ service: Service) throws(APODFailure) -> [Record] {
        let reader = RecordReader(bytes: bytes)
        var records: [Record] = []
        do {
            while let item = try reader.next() {
                switch item {
                case .job(let job): records.append(job.record)
                case .bad(let failure, _): throw failure
                }
                if records.count > mostObjects { break }
            }
        } catch {
            switch (error as? LineFailure)?.reason {
            case InputFailure.unfinished?: throw .badAnswer(.truncated, service)
            case InputFailure.notJSON(.encoding)?: throw .badAnswer(.notUTF8, service)
            case InputFailure.notJSON(.depth)?: throw .badAnswer(.tooDeep, service)
            case InputFailure.notAnObject?: throw .badAnswer(.notObjects, service)
            default: throw .badAnswer(.notJSON, service)
            }
        }
        guard records.count <= mostObjects else { throw .badAnswer(.tooMany, service) }
        return records
    }

    /// A month has 31 days, and a service that ignores what it was asked lists a hundred. Millions of empty objects
    /// would take twenty times the memory that they take as text.
    private static let mostObjects = 1000
}
