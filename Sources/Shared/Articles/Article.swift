/// An explanation as paragraphs with links, for formats that show them. A record's `explanation` is its text on one line.
public struct Article: Sendable, Equatable {
    /// None of them empty; all text folded.
    public let paragraphs: [LinkedText]

    public init(paragraphs: [LinkedText]) { self.paragraphs = paragraphs }

    public var text: String { paragraphs.map(\.text).joined(separator: " ") }

    // MARK: Marks

    /// Where in `text` paragraphs begin and what links where, as lines: an offset in UTF-8 for each paragraph but the
    /// first, and `START END ADDRESS` for each link. Nil for a single paragraph without links.
    ///
    /// Words stand once, in the text; this is what it lacks.
    public var marks: String? {
        var lines: [String] = []
        var start = 0
        for paragraph in paragraphs {
            if start > 0 { lines.append("\(start)") }
            for link in paragraph.links {
                lines.append("\(start + link.range.lowerBound) \(start + link.range.upperBound) \(link.address)")
            }
            start += paragraph.text.utf8.count + 1
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    /// Puts both together again. Marks that don't fit the text are passed over.
    public init(_ text: String, marks: String?) {
        var borders: [Int] = []
        var links: [LinkedText.Link] = []
        for line in (marks ?? "").split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 2)
            let numbers = parts.prefix(2).compactMap { Int($0) }
            if parts.count == 1, let border = numbers.first, border > borders.last ?? 0 {
                borders.append(border)
            } else if parts.count == 3, numbers.count == 2, 0 <= numbers[0], numbers[0] < numbers[1] {
                links.append(LinkedText.Link(range: numbers[0]..<numbers[1], address: String(parts[2])))
            }
        }
        let whole = LinkedText(text, links: links)
        let bytes = Array(text.utf8)
        borders.removeAll { $0 >= bytes.count || bytes[$0 - 1] != UInt8(ascii: " ") }
        paragraphs = zip([0] + borders, borders + [bytes.count]).map { whole[$0..<$1] }.filter { !$0.text.isEmpty }
    }
}
