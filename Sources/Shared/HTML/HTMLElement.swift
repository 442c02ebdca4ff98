import CGumbo

/// An element of a page, such as a picture or a player.
public struct HTMLElement: Sendable, Equatable {
    /// In small letters.
    public let name: String
    /// Names are in small letters. Of an attribute that stands twice the first counts.
    public let attributes: [String: String]
    /// Where the link that the element stands in leads to.
    public let link: String?

    /// Returns the elements of these names in a page, in document order, or nil if the page is over the parser's limits
    /// (64 KB, 1000 tags, 1000 attributes).
    ///
    /// - Parameter names: names that HTML has, in small letters.
    public static func all(_ names: [String], inPage html: String) -> [HTMLElement]? {
        var list = ElementList(tags: names.map { gumbo_tag_enum($0) })
        var html = html
        return html.withUTF8 { HTMLTree.visit($0, as: .page, &list) } ? list.elements : nil
    }
}

/// Collects elements of some tags.
private struct ElementList: HTMLVisitor {
    let tags: [GumboTag]
    var elements: [HTMLElement] = []
    /// The addresses of the links that are open, the innermost last.
    var links: [String?] = []

    mutating func open(_ tag: GumboTag, _ attributes: TagAttributes) {
        if tag == GUMBO_TAG_A { links.append(attributes["href"]) }
        guard tags.contains(tag), let name = gumbo_normalized_tagname(tag) else { return }
        elements.append(
            HTMLElement(
                name: String(cString: name), attributes: attributes.dictionary, link: links.last.flatMap { $0 }))
    }

    mutating func close(_ tag: GumboTag) {
        if tag == GUMBO_TAG_A { links.removeLast() }
    }

    func text(_ text: UnsafeBufferPointer<UInt8>) {}
}
