/// A line of plain text with links.
public struct LinkedText: Sendable, Equatable {
    public struct Link: Sendable, Equatable {
        /// Byte offsets in the UTF-8 text.
        public let range: Range<Int>
        public let address: String

        public init(range: Range<Int>, address: String) {
            self.range = range
            self.address = address
        }
    }

    public private(set) var text: String
    /// The links, in the order of the text. They are not empty and do not overlap.
    public private(set) var links: [Link] = []

    public init(_ text: String) { self.text = text }

    /// Ignores links that overlap, are out of order, or begin or end within a character.
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
        // Continuation bytes begin with the bits 10.
        return index == text.endIndex || text.utf8[index] & 0xC0 != 0x80
    }

    /// The text, divided at the beginning and end of each link. `address` is nil for text outside links.
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

    /// Returns a part of the text with its links, without surrounding blanks. The range contains offsets of bytes,
    /// which must be at character boundaries.
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

    /// Replaces the address of each link by the result of `address`. Removes the link if the result is nil.
    public func mapLinks(_ address: (String) -> String?) -> LinkedText {
        var result = LinkedText(text)
        result.links = links.compactMap { link in address(link.address).map { Link(range: link.range, address: $0) } }
        return result
    }

    /// Appends folded text, optionally as a link. The link excludes surrounding blanks, and adjacent blanks are merged.
    public mutating func append(_ folded: Substring.UTF8View, link: String?) {
        var bytes = folded
        guard !bytes.isEmpty else { return }
        let leads = bytes.first == UInt8(ascii: " ")
        if leads { bytes = bytes.dropFirst() }
        let trails = bytes.last == UInt8(ascii: " ")
        if trails { bytes = bytes.dropLast() }
        func addBlank() { if !text.isEmpty, text.utf8.last != UInt8(ascii: " ") { text += " " } }
        if leads { addBlank() }
        let start = text.utf8.count
        text += String(decoding: bytes, as: UTF8.self)
        if let link, text.utf8.count > start { links.append(Link(range: start..<text.utf8.count, address: link)) }
        if trails { addBlank() }
    }
}
