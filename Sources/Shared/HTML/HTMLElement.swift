import CGumbo

/// An element of a page.
public struct HTMLElement: Sendable, Equatable {
    /// The tag name in lower case.
    public let name: String
    /// The attributes by name in lower case. Of duplicate attributes, only the first is included.
    public let attributes: [String: String]
    /// The target of the link that contains the element.
    public let link: String?

    /// Returns the elements with these names, which must be lower-case HTML names, in document order; nil if the page
    /// exceeds the parser's limits (64 KB, 1000 tags, 1000 attributes).
    public static func all(_ names: [String], inPage html: String) -> [HTMLElement]? {
        var list = ElementList(tags: names.map { gumbo_tag_enum($0) })
        var html = html
        return html.withUTF8 { HTMLTree.visit($0, as: .page, &list) } ? list.elements : nil
    }
}

/// Collects elements with certain tags.
private struct ElementList: HTMLVisitor {
    let tags: [GumboTag]
    var elements: [HTMLElement] = []
    /// The targets of the open links, innermost last.
    var links: [String?] = []

    mutating func open(_ tag: GumboTag, _ attributes: TagAttributes) {
        if tag == GUMBO_TAG_A { links.append(attributes["href"]) }
        guard tags.contains(tag), let name = gumbo_normalized_tagname(tag) else { return }
        elements.append(
            HTMLElement(
                name: String(cString: name), attributes: attributes.dictionary, link: links.last.flatMap { $0 }))
    }

    mutating func close(_ tag: GumboTag) { if tag == GUMBO_TAG_A { links.removeLast() } }

    func text(_ text: UnsafeBufferPointer<UInt8>) {}
}
