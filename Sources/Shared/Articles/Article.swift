import Records

/// The explanation of a picture, divided into paragraphs with links. The record field `explanation` contains its text
/// on one line.
public struct Article: Sendable, Equatable {
    /// The paragraphs, which are not empty. Their texts are folded (`PlainText.folded`).
    public let paragraphs: [LinkedText]

    public init(paragraphs: [LinkedText]) { self.paragraphs = paragraphs }

    public var text: String { paragraphs.map(\.text).joined(separator: " ") }

    /// Returns the fields that describe the structure of `text`: `paragraphs` (`start`, `end`) if there are several,
    /// and `marks` (`start`, `end`, `href`) if there are links. Offsets count bytes of UTF-8.
    public var layout: Record {
        var ranges: [JSON] = []
        var marks: [JSON] = []
        var start = 0
        for paragraph in paragraphs {
            let end = start + paragraph.text.utf8.count
            ranges.append(.object(["start": .integer(start), "end": .integer(end)]))
            for link in paragraph.links {
                marks.append(
                    .object([
                        "start": .integer(start + link.range.lowerBound),
                        "end": .integer(start + link.range.upperBound),
                        "href": .string(link.address),
                    ]))
            }
            start = end + 1
        }
        var layout = Record()
        layout.set([
            "paragraphs": ranges.count > 1 ? .array(ranges) : nil, "marks": marks.isEmpty ? nil : .array(marks),
        ])
        return layout
    }

    /// Creates an article from its text and its `layout`, which is stored in a record's field `apod`. Ignores ranges
    /// that do not fit the text. Each paragraph extends to the start of the next, so that no text is lost.
    public init(_ text: String, layout: Record) {
        let links = Self.ranges("marks", of: layout).compactMap { range, mark in
            mark.string("href").map { LinkedText.Link(range: range, address: $0) }
        }
        let whole = LinkedText(text, links: links)
        let bytes = Array(text.utf8)
        var starts = [0]
        for (range, _) in Self.ranges("paragraphs", of: layout)
        where range.lowerBound > starts[starts.count - 1] && range.lowerBound < bytes.count
            && bytes[range.lowerBound - 1] == UInt8(ascii: " ")
        {
            starts.append(range.lowerBound)
        }
        paragraphs = zip(starts, starts.dropFirst() + [bytes.count]).map { whole[$0..<$1] }
            .filter { !$0.text.isEmpty }
    }

    private static func ranges(_ field: FieldPath, of layout: Record) -> [(Range<Int>, Record)] {
        let elements = layout.raw(field).flatMap { try? Record.list(parsing: Array($0)) } ?? []
        return elements.compactMap { element in
            guard let start = element.integer("start"), let end = element.integer("end"), 0 <= start, start < end else {
                return nil
            }
            return (start..<end, element)
        }
    }
}
