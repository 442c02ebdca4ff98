/// Plain text on one line, and the links in it.
public struct LinkedText: Sendable, Equatable {
    /// A part of the text that leads somewhere.
    public struct Link: Sendable, Equatable {
        /// Offsets in the text's UTF-8.
        public let range: Range<Int>
        public let address: String

        public init(range: Range<Int>, address: String) {
            self.range = range
            self.address = address
        }
    }

    public private(set) var text: String
    /// In the order of the text, none within another and none empty.
    public private(set) var links: [Link] = []

    public init(_ text: String) { self.text = text }

    /// Takes the links that fit: in order, between the text's characters, apart from each other.
    public init(_ text: String, links: [Link]) {
        self.text = text
        for link in links {
            guard link.range.lowerBound >= self.links.last?.range.upperBound ?? 0, !link.range.isEmpty,
                Self.isBorder(link.range.lowerBound, of: text), Self.isBorder(link.range.upperBound, of: text)
            else { continue }
            self.links.append(link)
        }
    }

    private static func isBorder(_ offset: Int, of text: String) -> Bool {
        guard offset <= text.utf8.count else { return false }
        let index = text.utf8.index(text.startIndex, offsetBy: offset)
        // A byte that goes on with a character begins with the bits 10.
        return index == text.endIndex || text.utf8[index] & 0xC0 != 0x80
    }

    /// The text cut at the links: parts that lead nowhere, and those that do.
    public var parts: [(text: String, address: String?)] {
        var parts: [(text: String, address: String?)] = []
        var place = 0
        for link in links {
            if link.range.lowerBound > place { parts.append((slice(place..<link.range.lowerBound), nil)) }
            parts.append((slice(link.range), link.address))
            place = link.range.upperBound
        }
        if place < text.utf8.count { parts.append((slice(place..<text.utf8.count), nil)) }
        return parts
    }

    private func slice(_ range: Range<Int>) -> String {
        let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        return String(text[start..<text.utf8.index(start, offsetBy: range.count)])
    }

    /// Returns a part of the text with its links, without blanks at its ends.
    ///
    /// - Parameter range: offsets in the text's UTF-8, between its characters.
    public subscript(_ range: Range<Int>) -> LinkedText {
        var (start, end) = (range.lowerBound, range.upperBound)
        let bytes = Array(text.utf8)
        while start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
        while end > start, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
        var result = LinkedText(slice(start..<end))
        for link in links {
            let (first, last) = (max(link.range.lowerBound, start), min(link.range.upperBound, end))
            guard first < last else { continue }
            result.links.append(Link(range: first - start..<last - start, address: link.address))
        }
        return result
    }

    public var trimmed: LinkedText { self[0..<text.utf8.count] }

    /// Returns the same with other addresses; where there is none, without the link.
    public func mapLinks(_ address: (String) -> String?) -> LinkedText {
        var result = LinkedText(text)
        result.links = links.compactMap { link in address(link.address).map { Link(range: link.range, address: $0) } }
        return result
    }

    /// Adds folded text, whose blanks at its ends stay outside of its link; one between two parts is enough.
    public mutating func append(_ folded: Substring.UTF8View, link: String?) {
        var bytes = folded
        guard !bytes.isEmpty else { return }
        let leads = bytes.first == UInt8(ascii: " ")
        if leads { bytes = bytes.dropFirst() }
        let trails = bytes.last == UInt8(ascii: " ")
        if trails { bytes = bytes.dropLast() }
        func addBlank() {
            if !text.isEmpty, text.utf8.last != UInt8(ascii: " ") { text += " " }
        }
        if leads { addBlank() }
        let start = text.utf8.count
        text += String(decoding: bytes, as: UTF8.self)
        if let link, text.utf8.count > start {
            links.append(Link(range: start..<text.utf8.count, address: link))
        }
        if trails { addBlank() }
    }
}
