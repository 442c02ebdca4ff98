import CGumbo
import Libc

/// Parses HTML with gumbo, a parser that follows the HTML5 standard. Unclosed tags, capitals, odd quotes and stray
/// ampersands in NASA's pages therefore have the same meaning as in a browser.
enum HTMLTree {
    /// The maximum size of the HTML in bytes. A day's page has about 12 KB.
    static let byteLimit = 64 << 10
    /// The maximum number of tags. A day's page has about 150. The parser repeats open formatting elements in every
    /// later paragraph, which may create (tags / 2)² nodes, and it frees the tree recursively.
    static let tagLimit = 1000
    /// The maximum total number of attributes. A day's page has about 130. The parser compares each attribute with all
    /// earlier attributes of its tag, and copies the attributes of repeated formatting elements. Without this limit, 64
    /// KB of tags could take 2.3 s and 1.3 GB. With all three limits, the worst measured case takes 0.2 s, 180 MB and
    /// less than 128 KB of stack.
    static let attributeLimit = 1000

    /// A page, or a part of a page, such as a caption.
    enum Kind { case page, fragment }

    /// Calls `visitor` for all parts of the HTML in document order. Returns false without calling it if the HTML
    /// exceeds the limits.
    ///
    /// Unsafe pointers: gumbo's tree contains pointers into the bytes, and is freed at the end of this call, so a
    /// visitor must copy the texts that it needs.
    static func visit(_ bytes: UnsafeBufferPointer<UInt8>, as kind: Kind, _ visitor: inout some HTMLVisitor) -> Bool {
        guard bytes.count <= byteLimit, bytes.count(where: { $0 == UInt8(ascii: "<") }) <= tagLimit,
            TagScanner.countAttributes(in: bytes, atMost: attributeLimit) != nil
        else { return false }
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return true }
        return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
            guard let output = apod_gumbo_parse(characters, bytes.count, kind == .fragment) else { return false }
            defer { apod_gumbo_free(output) }
            walk(from: output.pointee.root, &visitor)
            return true
        }
    }

    /// An entry of the stack: a node to visit, or the end of an element, whose children are above it.
    private enum Pending {
        case node(UnsafePointer<GumboNode>)
        case close(GumboTag)
    }

    /// Uses an explicit stack instead of recursion, because the depth of the tree may equal the tag limit.
    private static func walk(from root: UnsafePointer<GumboNode>?, _ visitor: inout some HTMLVisitor) {
        var pending: [Pending] = root.map { [.node($0)] } ?? []
        while let next = pending.popLast() {
            switch next {
            case .close(let tag): visitor.close(tag)
            case .node(let node):
                switch node.pointee.type {
                case GUMBO_NODE_TEXT, GUMBO_NODE_WHITESPACE, GUMBO_NODE_CDATA:
                    guard let text = node.pointee.v.text.text else { continue }
                    let length = strlen(text)
                    text.withMemoryRebound(to: UInt8.self, capacity: length) {
                        visitor.text(UnsafeBufferPointer(start: $0, count: length))
                    }
                case GUMBO_NODE_ELEMENT:
                    let element = node.pointee.v.element
                    visitor.open(element.tag, TagAttributes(element.attributes))
                    pending.append(.close(element.tag))
                    for index in (0..<Int(element.children.length)).reversed() {
                        guard let child = element.children.data[index] else { continue }
                        pending.append(.node(UnsafePointer(child.assumingMemoryBound(to: GumboNode.self))))
                    }
                default: break
                }
            }
        }
    }
}

/// Receives the parts of an HTML document in document order.
protocol HTMLVisitor {
    mutating func open(_ tag: GumboTag, _ attributes: TagAttributes)
    mutating func close(_ tag: GumboTag)
    /// Receives text in which character references are decoded. White space is unchanged.
    mutating func text(_ text: UnsafeBufferPointer<UInt8>)
}
