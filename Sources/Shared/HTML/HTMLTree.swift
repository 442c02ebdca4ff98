import CGumbo
import Libc

/// Parses HTML by the rules of browsers (gumbo's HTML5 parser), so unclosed tags, capitals, odd quotes and stray
/// ampersands mean the same as in a browser that shows NASA's pages.
enum HTMLTree {
    /// The largest HTML in bytes. A day's page has about 12 KB.
    static let byteLimit = 64 << 10
    /// The largest number of tags. A day's page has about 150. The parser repeats open formatting elements in every
    /// later paragraph, up to (tags / 2)² nodes, and frees the tree recursively.
    static let tagLimit = 1000
    /// The largest number of attributes of all tags together. A day's page has about 130. The parser compares each
    /// attribute with all earlier attributes of its tag, and copies the attributes of repeated formatting elements: 64
    /// KB of tags alone would take 2.3 s and 1.3 GB. At both limits the worst measured case takes 0.2 s, 180 MB and
    /// less than 128 KB of stack.
    static let attributeLimit = 1000

    /// A page, or a part of a page, such as a caption.
    enum Kind { case page, fragment }

    /// Calls `visitor` for all parts of the HTML in document order. Returns false without a call if the HTML exceeds
    /// the limits.
    ///
    /// Unsafe pointers: gumbo's tree points into the bytes and is freed at the end of this call, so visitors must copy
    /// texts.
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

    /// A node to visit, or the end of an element, whose children are above this entry on the stack.
    private enum Pending {
        case node(UnsafePointer<GumboNode>)
        case close(GumboTag)
    }

    /// Uses an explicit stack, since the tree may be as deep as the tag limit.
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

/// Receives the parts of HTML in document order.
protocol HTMLVisitor {
    mutating func open(_ tag: GumboTag, _ attributes: TagAttributes)
    mutating func close(_ tag: GumboTag)
    /// Text with decoded references and original white space.
    mutating func text(_ text: UnsafeBufferPointer<UInt8>)
}
