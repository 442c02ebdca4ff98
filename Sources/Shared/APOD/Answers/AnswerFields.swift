import HTML
import Records
import Support

/// The fields that both services' answers must have.
enum AnswerFields {
    /// A day's page has about 12 KB. What is longer would not be read as HTML either.
    private static let byteLimit = 64 << 10

    /// Returns the day that an answer is about. Throws `APODFailure` if its `date` is none.
    static func day(of answer: Record, service: Service) throws(APODFailure) -> CalendarDay {
        let text = try text(of: answer, "date", service: service)
        guard let day = CalendarDay(PlainText.folded(text)) else {
            throw .badAnswer(.wrongType(field: "date"), service)
        }
        return day
    }

    /// Returns the text of a field. Throws `APODFailure` if it holds none, or a longer one than any field does.
    static func text(of answer: Record, _ name: String, service: Service) throws(APODFailure) -> String {
        guard answer.has(name) else { throw .badAnswer(.missing(field: name), service) }
        guard let text = try optionalText(of: answer, name, service: service) else {
            throw .badAnswer(.wrongType(field: name), service)
        }
        return text
    }

    /// Returns the text of a field, or nil if it holds none. Throws `APODFailure` if it is longer than any field is.
    static func optionalText(of answer: Record, _ name: String, service: Service) throws(APODFailure) -> String? {
        guard let text = FieldPath(name).flatMap({ answer.string($0) }) else { return nil }
        guard text.utf8.count <= byteLimit else { throw .badAnswer(.tangledHTML(field: name), service) }
        return text
    }
}
