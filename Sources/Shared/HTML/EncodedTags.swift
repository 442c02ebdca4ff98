import Articles

/// Decodes tags that were encoded once too often in the HTML (`&lt;b&gt;`, `&amp;lt;b&amp;gt;`), and would therefore be
/// visible in the text.
enum EncodedTags {
    /// Decodes these tags in linear time. Does not decode a less-than sign that begins no tag, or a start tag whose end
    /// tag is required but missing.
    static func decoded(in html: String) -> String {
        guard html.utf8.contains(UInt8(ascii: "&")) else { return html }
        var html = html
        return html.withUTF8 { bytes in
            let tags = all(in: bytes)
            guard !tags.isEmpty else { return nil }
            var result: [UInt8] = []
            var place = 0
            for tag in tags {
                result += bytes[place..<tag.range.lowerBound]
                result += tag.source
                place = tag.range.upperBound
            }
            return String(decoding: result + bytes[place...], as: UTF8.self)
        } ?? html
    }

    private struct Tag {
        /// The range of the encoded tag.
        let range: Range<Int>
        let name: Substring
        let isEnd: Bool
        /// The decoded tag.
        let source: String.UTF8View
    }

    /// The maximum length of a tag in bytes. A longer tag cannot contain a useful address.
    private static let longest = 2048

    /// Returns the tags that need no end tag, all end tags, and the start tags that have an end tag, in order.
    private static func all(in bytes: UnsafeBufferPointer<UInt8>) -> [Tag] {
        var tags: [Tag] = []
        var place = 0
        while place < bytes.count {
            guard bytes[place] == UInt8(ascii: "&"), let tag = tag(in: bytes, at: place) else {
                place += 1
                continue
            }
            tags.append(tag)
            place = tag.range.upperBound
        }
        var closed: [Substring: Int] = [:]
        return tags.reversed().filter { tag in
            if alone.contains(tag.name) { return true }
            let count = closed[tag.name] ?? 0
            closed[tag.name] = tag.isEnd ? count + 1 : max(0, count - 1)
            return tag.isEnd || count > 0
        }.reversed()
    }

    private static let alone: Set<Substring> = ["br", "p", "hr", "img", "li"]
    private static let paired: Set<Substring> = [
        "a", "b", "strong", "i", "em", "u", "span", "font", "sup", "sub", "div", "center", "ul", "ol", "small", "big",
    ]

    private static func tag(in bytes: UnsafeBufferPointer<UInt8>, at start: Int) -> Tag? {
        guard let inner = sign("lt", "60", "3c", in: bytes, at: start) else { return nil }
        let limit = min(bytes.count, inner + longest)
        var end = inner
        var next: Int?
        while end < limit {
            if bytes[end] == UInt8(ascii: "<") || sign("lt", "60", "3c", in: bytes, at: end) != nil { return nil }
            next = bytes[end] == UInt8(ascii: ">") ? end + 1 : sign("gt", "62", "3e", in: bytes, at: end)
            if next != nil { break }
            end += 1
        }
        guard let next else { return nil }
        let words = PlainText.decoded(String(decoding: bytes[inner..<end], as: UTF8.self))
        let isEnd = words.utf8.first == UInt8(ascii: "/")
        let rest = isEnd ? words.dropFirst() : words[...]
        let name = Substring(rest.prefix { $0.isASCII && $0.isLetter }.lowercased())
        let attributes = rest.dropFirst(name.utf8.count)
        guard alone.contains(name) || paired.contains(name), isTagEnd(attributes, isEnd: isEnd) else { return nil }
        return Tag(range: start..<next, name: name, isEnd: isEnd, source: "<\(words)>".utf8)
    }

    /// Returns whether the text after a name is the rest of a tag: whether it is empty, or consists of attributes with
    /// values. Other text belongs to a sentence that contains a less-than sign.
    private static func isTagEnd(_ text: Substring, isEnd: Bool) -> Bool {
        let rest = text.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "/") }
        if rest.isEmpty { return true }
        guard !isEnd, rest.count < text.utf8.count else { return false }
        return Array(rest).withUnsafeBufferPointer { bytes in
            var scanner = TagScanner(bytes: bytes, place: 0)
            while let attribute = scanner.nextAttribute() {
                let name = bytes[attribute.name]
                guard attribute.value != nil, name.allSatisfy({ $0.isASCIILetter || $0 == UInt8(ascii: "-") }) else {
                    return false
                }
            }
            return scanner.next == nil
        }
    }

    /// Returns the end of the character reference for an angle bracket, whose ampersand may have been encoded several
    /// times. Returns nil if there is no such reference at `start`.
    private static func sign(
        _ name: String, _ decimal: String, _ hexadecimal: String, in bytes: UnsafeBufferPointer<UInt8>, at start: Int
    ) -> Int? {
        guard bytes[start] == UInt8(ascii: "&") else { return nil }
        var place = start + 1
        func has(_ word: String) -> Bool {
            let end = place + word.utf8.count
            return end <= bytes.count && bytes[place..<end].lazy.map(\.lowercased).elementsEqual(word.utf8)
        }
        while has("amp;"), place < start + 16 { place += 4 }
        for word in [name + ";", "#\(decimal);", "#0\(decimal);", "#x\(hexadecimal);"] where has(word) {
            return place + word.utf8.count
        }
        return nil
    }
}
