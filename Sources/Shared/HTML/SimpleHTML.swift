import CGumbo

/// Reads the HTML of nearly all captions, thirty times as fast as a parser: text, the usual references, and well-nested
/// tags that mean the same wherever they stand.
///
/// What it reads it reads as `HTMLTree` does, which a test holds against it; anything else is left to the tree.
enum SimpleHTML {
    /// Tells `visitor` of everything in the HTML. Returns false if there is something in it that needs a parser; what
    /// `visitor` was told is worth nothing then.
    static func visit(_ bytes: UnsafeBufferPointer<UInt8>, _ visitor: inout some HTMLVisitor) -> Bool {
        guard bytes.count <= HTMLTree.byteLimit else { return false }
        var open: [GumboTag] = []
        var text: [UInt8] = []
        var tags = 0
        var place = 0
        func tell(_ visitor: inout some HTMLVisitor) {
            if text.isEmpty { return }
            text.withUnsafeBufferPointer { visitor.text($0) }
            text.removeAll(keepingCapacity: true)
        }
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "<"):
                tell(&visitor)
                tags += 1
                guard tags <= tagLimit, let tag = Tag(bytes, at: place) else { return false }
                place = tag.end
                if tag.isEnd {
                    guard open.popLast() == tag.name else { return false }
                    visitor.close(tag.name)
                } else {
                    guard tag.mayStand(within: open) else { return false }
                    visitor.open(tag.name, .source(tag.attributes))
                    if tag.name == GUMBO_TAG_BR { visitor.close(tag.name) } else { open.append(tag.name) }
                }
            case UInt8(ascii: "&"):
                guard let reference = reference(in: bytes, at: place) else { return false }
                text += reference.text
                place += reference.length
            // What the parser replaces, and the blocks with the rest of it.
            case 0..<0x09, 0x0B..<0x20, 0x7F, 0xEF...0xFF: return false
            case 0xC2 where bytes[place + 1] < 0xA0: return false
            default:
                let start = place
                repeat { place += 1 } while place < bytes.count && isPlain(bytes[place])
                text += bytes[start..<place]
            }
        }
        tell(&visitor)
        return open.isEmpty
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte &- 0x20 < 0x5F && byte != UInt8(ascii: "<") && byte != UInt8(ascii: "&")
    }

    /// So few that the tree would not refuse them.
    private static let tagLimit = 200
    private static let depthLimit = 8

    /// One tag of those that are read here.
    private struct Tag {
        let name: GumboTag
        let isEnd: Bool
        /// Stands behind the name.
        let attributes: TagScanner
        /// The first byte after it.
        let end: Int

        /// - Parameter place: the tag's `<`.
        init?(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) {
            var scanner = TagScanner(bytes: bytes, place: place + 1)
            guard scanner.skipName() else { return nil }
            isEnd = bytes[place + 1] == UInt8(ascii: "/")
            let start = place + (isEnd ? 2 : 1)
            name =
                bytes.baseAddress.map {
                    ($0 + start).withMemoryRebound(to: CChar.self, capacity: scanner.place - start) {
                        gumbo_tagn_enum($0, UInt32(scanner.place - start))
                    }
                } ?? GUMBO_TAG_UNKNOWN
            attributes = scanner
            var count = 0
            while count < 4, scanner.skipAttribute() { count += 1 }
            guard scanner.next == UInt8(ascii: ">") else { return nil }
            let isBreak = name == GUMBO_TAG_BR
            // `<a/>` begins a link; nobody writes it.
            guard isEnd ? count == 0 && !isBreak : isBreak || bytes[scanner.place - 1] != UInt8(ascii: "/"),
                !bytes[place + 1..<scanner.place].contains(UInt8(ascii: "<"))
            else { return nil }
            end = scanner.place + 1
        }

        /// Returns whether an element may begin within those that are open without closing or moving one of them.
        func mayStand(within open: [GumboTag]) -> Bool {
            guard open.count < depthLimit else { return false }
            switch name {
            case GUMBO_TAG_BR, GUMBO_TAG_B, GUMBO_TAG_STRONG, GUMBO_TAG_I, GUMBO_TAG_EM, GUMBO_TAG_U, GUMBO_TAG_SPAN,
                GUMBO_TAG_FONT, GUMBO_TAG_SUP, GUMBO_TAG_SUB:
                return true
            case GUMBO_TAG_A: return !open.contains(GUMBO_TAG_A)
            case GUMBO_TAG_P, GUMBO_TAG_DIV, GUMBO_TAG_CENTER: return !open.contains(GUMBO_TAG_P)
            default: return false
            }
        }
    }

    /// Returns the text of a reference of those that are frequent, or of an ampersand that begins none, and how many
    /// bytes it takes in the source; nil for others.
    static func reference(
        in bytes: UnsafeBufferPointer<UInt8>, at place: Int
    ) -> (text: String.UTF8View, length: Int)? {
        let rest = UnsafeBufferPointer(rebasing: bytes[(place + 1)..<min(place + 9, bytes.count)])
        guard let first = rest.first else { return nil }
        if first == UInt8(ascii: " ") { return ("&".utf8, 1) }
        guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = rest[..<end]
        if first == UInt8(ascii: "#") {
            let digits = name.dropFirst()
            guard !digits.isEmpty, digits.count <= 6, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else {
                return nil
            }
            let value = digits.reduce(0) { $0 * 10 + UInt32($1 - UInt8(ascii: "0")) }
            // Others mean something else, or nothing at all (WHATWG HTML §13.2.5.80).
            guard (0x20...0x7E).contains(value) || (0xA0..<0xD800).contains(value), let scalar = Unicode.Scalar(value)
            else { return nil }
            return (String(scalar).utf8, end + 2)
        }
        for (known, text) in named where name.elementsEqual(known.utf8) { return (text.utf8, end + 2) }
        return nil
    }

    private static let named: KeyValuePairs = [
        "amp": "&", "nbsp": "\u{A0}", "lt": "<", "gt": ">", "quot": "\"", "rsquo": "\u{2019}", "ndash": "\u{2013}",
    ]
}
