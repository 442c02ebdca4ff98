import Articles
import HTML
import Records
import Support

/// The fields of NASA's object for one day, as either service writes it.
struct AnswerFields {
    let object: Record
    /// Who gave it.
    let server: Server

    /// A day's page has about 12 KB. What is longer would not be read as HTML either.
    private static let byteLimit = 64 << 10

    /// Returns the day that the object is about. Throws `APODFailure` if its `date` is none.
    func day() throws(APODFailure) -> CalendarDay {
        guard let day = CalendarDay(PlainText.folded(try text("date"))) else { throw bad(.wrongType(field: "date")) }
        return day
    }

    /// Returns the text of a field. Throws `APODFailure` if it holds none, or a longer one than any field does.
    func text(_ name: String) throws(APODFailure) -> String {
        guard let text = try optionalText(name) else {
            throw bad(object.has(name) ? .wrongType(field: name) : .missing(field: name))
        }
        return text
    }

    /// Returns the text of a field, or nil if it holds none. Throws `APODFailure` if it is longer than any field is.
    func optionalText(_ name: String) throws(APODFailure) -> String? {
        guard let text = FieldPath(name).flatMap({ object.string($0) }) else { return nil }
        guard text.utf8.count <= Self.byteLimit else { throw bad(.tangledHTML(field: name)) }
        return text
    }

    /// Returns a field's HTML as lines of plain text. Throws `APODFailure` if it is over the parser's limits.
    func lines(ofHTML html: String, in name: String) throws(APODFailure) -> [String] {
        guard let lines = PlainText.lines(ofHTML: html) else { throw bad(.tangledHTML(field: name)) }
        return lines
    }

    /// Returns a field's HTML as lines of text with links. Throws `APODFailure` if it is over the parser's limits.
    ///
    /// - Parameter base: the page's own address, for relative references.
    func linkedLines(ofHTML html: String, in name: String, base: MediaAddress?) throws(APODFailure) -> [LinkedText] {
        guard let lines = PlainText.linkedLines(ofHTML: html) else { throw bad(.tangledHTML(field: name)) }
        return lines.map { line in line.mapLinks { MediaAddress($0, base: base)?.text } }
    }

    /// Returns a field's HTML as lines of plain text, or nil if it holds no text. Throws `APODFailure` if it is over
    /// the limits.
    func optionalLines(_ name: String) throws(APODFailure) -> [String]? {
        guard let html = try optionalText(name) else { return nil }
        return try lines(ofHTML: html, in: name)
    }

    /// Returns the explanation; an empty text if NASA says null, as a picture without words is better than none. Throws
    /// `APODFailure` if it is missing, no text, or longer than any is.
    func explanation() throws(APODFailure) -> String {
        if object.raw("explanation")?.elementsEqual("null".utf8) == true { return "" }
        return try text("explanation")
    }

    /// What is wrong with the answer.
    func bad(_ fault: APODFailure.BadAnswer) -> APODFailure { .badAnswer(fault, server) }
}
