import CGumbo

/// An element of an HTML page.
public struct HTMLElement: Sendable, Equatable {
    /// The tag name in lower case.
    public let name: String
    /// The values of the attributes, by names in lower case. If an attribute occurs several times, contains the first
    /// value.
    public let attributes: [String: String]
    /// The target of the link that contains the element, or nil.
    public let link: String?

    /// Returns the elements with these names in document order. The names must be HTML names in lower case. Returns nil
    /// if the page exceeds the parser's limits (64 KB, 1000 tags, 1000 attributes).
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
