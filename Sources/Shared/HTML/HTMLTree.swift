import CGumbo
import Libc

/// HTML taken apart by the rules that browsers follow (gumbo's HTML5 parser), so that unclosed tags, capitals, odd
/// quotes and stray ampersands mean here what they mean to a reader of NASA's page.
enum HTMLTree {
    /// More than this is not parsed: a day's page has about 12 KB.
    static let byteLimit = 64 << 10
    /// Nor is anything with more tags: a day's page has about 150. The parser repeats formatting that is left open in
    /// every later paragraph, up to (tags / 2)² nodes, and frees the tree by recursion.
    static let tagLimit = 1000
    /// Nor is anything with more attributes in all tags together: a day's page has about 130. The parser compares each
    /// attribute with all earlier ones of its tag, and repeats those of formatting that is left open with it: 64 KB of
    /// tags alone would take 2.3 s and 1.3 GB. At both limits the worst case measured takes 0.2 s, 180 MB and less
    /// than 128 KB of stack.
    static let attributeLimit = 1000

    /// What a text is to a parser: a page, or part of one, such as a caption.
    enum Kind { case page, fragment }

    /// Tells `visitor` of everything in the HTML, in document order. Returns false, having told nothing, if the HTML is
    /// over the limits.
    ///
    /// Unsafe pointers: gumbo's tree points into the bytes and lives only within this call; a visitor copies what it
    /// keeps.
    static func visit(
        _ bytes: UnsafeBufferPointer<UInt8>, as kind: Kind, _ visitor: inout some HTMLVisitor
    ) -> Bool {
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

    /// What is still to be visited: a node, or the end of an element whose children have been pushed above it.
    private enum Pending {
        case node(UnsafePointer<GumboNode>)
        case close(GumboTag)
    }

    /// A loop with a stack of its own, since the tree may be as deep as the tag limit.
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

/// Is told of HTML step by step, in document order.
protocol HTMLVisitor {
    /// An element begins.
    mutating func open(_ tag: GumboTag, _ attributes: TagAttributes)
    mutating func close(_ tag: GumboTag)
    /// Text with its references decoded and white space as it stands in the source.
    mutating func text(_ text: UnsafeBufferPointer<UInt8>)
}
