import Articles

extension PlainText {
    /// Returns the visible text as folded, non-empty lines, or nil if the HTML exceeds the parser's limits (64 KB, 1000
    /// tags, 1000 attributes).
    ///
    /// Only tags begin a new line. A line break in the source is treated as a blank.
    public static func lines(ofHTML html: String) -> [String]? { lines(ofHTML: html, keepingLinks: false)?.map(\.text) }

    /// Returns the same lines as `lines(ofHTML:)`, with their links. Addresses are not resolved.
    public static func linkedLines(ofHTML html: String) -> [LinkedText]? { lines(ofHTML: html, keepingLinks: true) }

    private static func lines(ofHTML html: String, keepingLinks keepsLinks: Bool) -> [LinkedText]? {
        guard html.utf8.contains(where: { $0 == UInt8(ascii: "<") || $0 == UInt8(ascii: "&") }) else {
            let line = folded(html)
            return line.isEmpty ? [] : [LinkedText(line)]
        }
        guard html.utf8.count <= HTMLTree.byteLimit else { return nil }
        var html = EncodedTags.decoded(in: html)
        return html.withUTF8 { bytes in
            var lines = TextLines(keepsLinks: keepsLinks)
            return HTMLTree.visit(bytes, as: .fragment, &lines) ? lines.finished() : nil
        }
    }

    public static func line(ofHTML html: String) -> String? { lines(ofHTML: html)?.joined(separator: " ") }

    /// Folds plain text to one line. Removes remaining tags and decodes remaining character references.
    public static func line(ofText text: String) -> String {
        let text = text.utf8.count <= HTMLTree.byteLimit ? EncodedTags.decoded(in: text) : text
        if holdsTags(text), let line = line(ofHTML: text) { return line }
        return decoded(folded(text))
    }

    /// Returns whether the text contains an end tag or a `<br>`. Other angle brackets do not prove that the text
    /// contains tags.
    private static func holdsTags(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "<")) else { return false }
        return text.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            if rest.first == UInt8(ascii: "/") { return rest.dropFirst().first?.isASCIILetter ?? false }
            return rest.prefix(2).map(\.lowercased).elementsEqual("br".utf8)
                && !(rest.dropFirst(2).first?.isASCIILetter ?? false)
        }
    }

    /// Decodes remaining character references in folded text (`&eacute;`, `&#8217;`), because some pages were encoded
    /// several times. Ignores references without a semicolon.
    static func decoded(_ text: String) -> String {
        var text = text
        for _ in 0..<3 where holdsReference(text) {
            // Escape less-than signs, so that the parser finds only text and character references.
            var escaped = text.split(separator: "<", omittingEmptySubsequences: false).joined(separator: "&lt;")
            var whole = WholeText()
            guard escaped.withUTF8({ HTMLTree.visit($0, as: .fragment, &whole) }) else { return text }
            let next = folded(whole.text)
            if next == text { break }
            text = next
        }
        return text
    }

    private static func holdsReference(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { text in
            text.indices.contains { start in
                guard text[start] == UInt8(ascii: "&") else { return false }
                let rest = text[(start + 1)...]
                let name = rest.prefix(33).prefix { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "#") }
                return name.count >= 2 && rest.dropFirst(name.count).first == UInt8(ascii: ";")
            }
        }
    }
}

extension LinkedText {
    /// Folds and decodes a part of the source, and appends it.
    mutating func append(_ source: Slice<UnsafeBufferPointer<UInt8>>, link: String?) {
        // Folding would remove blanks at the ends. A letter at each end preserves them.
        let framed = Array("x".utf8) + source + Array("x".utf8)
        let decoded = PlainText.decoded(framed.withUnsafeBufferPointer { PlainText.folded($0) })
        append(decoded.utf8.dropFirst().dropLast(), link: link)
    }
}
