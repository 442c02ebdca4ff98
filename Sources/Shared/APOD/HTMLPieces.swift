import CGumbo

/// One step through a piece of HTML, in document order.
enum HTMLPiece: Equatable {
    /// An element begins. Names are in small letters; of an attribute that stands twice the first counts.
    case open(String, [String: String])
    case close(String)
    /// Text with its entities decoded, white space as it stands in the source.
    case text(String)
}

/// HTML taken apart by the rules that browsers follow (gumbo's HTML5 parser), so that unclosed tags, capitals, odd
/// quotes and stray ampersands mean here what they mean to a reader of NASA's page.
enum HTMLPieces {
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

    /// Part of a page, such as a caption. Nil if it is over the limits.
    static func fragment(_ html: String) -> [HTMLPiece]? { parse(html, isFragment: true) }

    /// A whole page. Nil if it is over the limits.
    static func page(_ html: String) -> [HTMLPiece]? { parse(html, isFragment: false) }

    /// Unsafe pointers: gumbo's tree points into the string's bytes and lives only within this call; all that leaves it
    /// are copies.
    private static func parse(_ html: String, isFragment: Bool) -> [HTMLPiece]? {
        var html = html
        return html.withUTF8 { bytes in
            guard bytes.count <= byteLimit, bytes.lazy.filter({ $0 == UInt8(ascii: "<") }).count <= tagLimit,
                HTMLAttributes.count(in: bytes, atMost: attributeLimit) != nil
            else { return nil }
            guard let base = bytes.baseAddress, !bytes.isEmpty else { return [] }
            return base.withMemoryRebound(to: CChar.self, capacity: bytes.count) { characters in
                guard let output = apod_gumbo_parse(characters, bytes.count, isFragment) else { return nil }
                defer { apod_gumbo_free(output) }
                return walk(from: output.pointee.root)
            }
        }
    }

    /// What is still to be visited: a node, or the end of an element whose children have been pushed above it.
    private enum Pending {
        case node(UnsafePointer<GumboNode>)
        case close(String)
    }

    /// A loop with a stack of its own, since the tree may be as deep as the tag limit.
    private static func walk(from root: UnsafePointer<GumboNode>?) -> [HTMLPiece] {
        var pieces: [HTMLPiece] = []
        var pending: [Pending] = root.map { [.node($0)] } ?? []
        while let next = pending.popLast() {
            switch next {
            case .close(let name): pieces.append(.close(name))
            case .node(let node):
                switch node.pointee.type {
                case GUMBO_NODE_TEXT, GUMBO_NODE_WHITESPACE, GUMBO_NODE_CDATA:
                    if let text = node.pointee.v.text.text { pieces.append(.text(String(cString: text))) }
                case GUMBO_NODE_ELEMENT:
                    let element = node.pointee.v.element
                    let name = gumbo_normalized_tagname(element.tag).map { String(cString: $0) } ?? ""
                    pieces.append(.open(name, attributes(of: element)))
                    pending.append(.close(name))
                    for child in nodes(element.children).reversed() { pending.append(.node(child)) }
                default: break
                }
            }
        }
        return pieces
    }

    private static func nodes(_ vector: GumboVector) -> [UnsafePointer<GumboNode>] {
        (0..<Int(vector.length)).compactMap { index in
            vector.data[index].map { UnsafePointer($0.assumingMemoryBound(to: GumboNode.self)) }
        }
    }

    private static func attributes(of element: GumboElement) -> [String: String] {
        var result: [String: String] = [:]
        for index in 0..<Int(element.attributes.length) {
            guard let pointer = element.attributes.data[index]?.assumingMemoryBound(to: GumboAttribute.self),
                let name = pointer.pointee.name, let value = pointer.pointee.value
            else { continue }
            let key = String(cString: name)
            if result[key] == nil { result[key] = String(cString: value) }
        }
        return result
    }
}
