import Articles
import HTML
import Records
import Support

/// The fields of the JSON object that a service returns for one day.
///
/// Methods throw `APODFailure` if a required field is missing or has the wrong type, or if a field exceeds a limit.
struct AnswerFields {
    let object: Record
    let server: Server

    /// The maximum length of a field's text in bytes, which is also the limit of the HTML parser. A day's page has
    /// about 12 KB.
    private static let byteLimit = 64 << 10

    func day() throws(APODFailure) -> CalendarDay {
        guard let day = CalendarDay(PlainText.folded(try text("date"))) else { throw bad(.wrongType(field: "date")) }
        return day
    }

    func text(_ name: String) throws(APODFailure) -> String {
        guard let text = try optionalText(name) else {
            throw bad(object.has(name) ? .wrongType(field: name) : .missing(field: name))
        }
        return text
    }

    /// Returns the text of a field, or nil if the field is missing or not a string.
    func optionalText(_ name: String) throws(APODFailure) -> String? {
        guard let text = FieldPath(name).flatMap({ object.string($0) }) else { return nil }
        guard text.utf8.count <= Self.byteLimit else { throw bad(.tangledHTML(field: name)) }
        return text
    }

    /// Converts the HTML of a field to lines of plain text.
    func lines(ofHTML html: String, in name: String) throws(APODFailure) -> [String] {
        guard let lines = PlainText.lines(ofHTML: html) else { throw bad(.tangledHTML(field: name)) }
        return lines
    }

    /// Returns lines of text with links. Relative links are resolved against `base`, the address of the page.
    func linkedLines(ofHTML html: String, in name: String, base: MediaAddress?) throws(APODFailure) -> [LinkedText] {
        guard let lines = PlainText.linkedLines(ofHTML: html) else { throw bad(.tangledHTML(field: name)) }
        return lines.map { line in line.mapLinks { MediaAddress($0, base: base)?.text } }
    }

    /// Returns the lines of plain text in a field, or nil if the field is missing or not a string.
    func optionalLines(_ name: String) throws(APODFailure) -> [String]? {
        guard let html = try optionalText(name) else { return nil }
        return try lines(ofHTML: html, in: name)
    }

    /// Returns the explanation, or an empty text if the field is null, because a picture without an explanation is
    /// still useful.
    func explanation() throws(APODFailure) -> String {
        if object.raw("explanation")?.elementsEqual("null".utf8) == true { return "" }
        return try text("explanation")
    }

    func bad(_ fault: APODFailure.BadAnswer) -> APODFailure { .badAnswer(fault, server) }
}
