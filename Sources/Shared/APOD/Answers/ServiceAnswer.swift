import Records
import Support

/// Reads the body of an answer with status 200. Throws `APODFailure` if the body is not a JSON object or array of the
/// expected form.
enum ServiceAnswer {
    /// Returns the result for the requested day, including the service's JSON object. Also throws if the object is
    /// about another day.
    ///
    /// - Parameter time: when the answer arrived.
    static func day(
        _ day: CalendarDay, in bytes: [UInt8], from server: Server, at time: Timestamp
    ) throws(APODFailure) -> DayResult {
        guard try begins(bytes, server) == UInt8(ascii: "{") else { throw .badAnswer(.arrayForObject, server) }
        guard let answer = try records(in: bytes, server).first else { throw .badAnswer(.notJSON, server) }
        // Check the date first: if the answer is about another day, its other errors do not matter.
        let answered = try AnswerFields(object: answer, server: server).day()
        guard answered == day else { throw .wrongDay(asked: day, answered: answered, server) }
        return result(of: day, answer, server, at: time)
    }

    /// Returns the results from `first` to `last`. Skips objects about other days or without a date, since both
    /// services ignore queries that they do not understand.
    static func days(
        in bytes: [UInt8], from first: CalendarDay, through last: CalendarDay, of server: Server, at time: Timestamp
    ) throws(APODFailure) -> [CalendarDay: DayResult] {
        guard try begins(bytes, server) == UInt8(ascii: "[") else { throw .badAnswer(.objectForArray, server) }
        var days: [CalendarDay: DayResult] = [:]
        for answer in try records(in: bytes, server) {
            let fields = AnswerFields(object: answer, server: server)
            guard let day = try? fields.day(), first <= day, day <= last else { continue }
            // If a day is listed twice, prefer the object with a picture.
            if days[day]?.picture != nil { continue }
            days[day] = result(of: day, answer, server, at: time)
        }
        return days
    }

    private static func result(
        of day: CalendarDay, _ answer: Record, _ server: Server, at time: Timestamp
    ) -> DayResult {
        let outcome: DayResult.Outcome
        do throws(APODFailure) {
            switch server.service {
            case .science: outcome = .picture(try ScienceAnswer.picture(from: answer, server: server))
            case .api: outcome = .picture(try LegacyAnswer.picture(from: answer, server: server))
            }
        } catch {
            outcome = .failed(error)
        }
        return DayResult(day: day, outcome: outcome, fetchedAt: time, raw: answer.line)
    }

    /// Returns the first byte of the JSON value, which is an opening brace or bracket.
    private static func begins(_ bytes: [UInt8], _ server: Server) throws(APODFailure) -> UInt8 {
        var rest = bytes[...]
        if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
        switch rest.first(where: { $0 > 0x20 }) {
        case let byte? where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "["): return byte
        case UInt8(ascii: "<"): throw .badAnswer(.html, server)
        case nil: throw .badAnswer(.empty, server)
        default: throw .badAnswer(.notJSON, server)
        }
    }

    private static func records(in bytes: [UInt8], _ server: Server) throws(APODFailure) -> [Record] {
        do {
            let records = try Record.list(parsing: bytes, limit: mostObjects + 1)
            if records.count <= mostObjects { return records }
        } catch {
            switch (error as? LineFailure)?.reason {
            case InputFailure.unfinished?: throw .badAnswer(.truncated, server)
            case InputFailure.notJSON(.encoding)?: throw .badAnswer(.notUTF8, server)
            case InputFailure.notJSON(.depth)?: throw .badAnswer(.tooDeep, server)
            case InputFailure.notAnObject?: throw .badAnswer(.notObjects, server)
            default: throw .badAnswer(.notJSON, server)
            }
        }
        throw .badAnswer(.tooMany, server)
    }

    /// The maximum number of objects in a list. A month has 31 days, and a service that ignores the query lists a
    /// hundred days. Parsing millions of empty objects would take twenty times their size in memory.
    private static let mostObjects = 1000
}
