extension XMPPacket {
    /// Returns the packet for an upright copy of the picture in another size, or nil if the XML is malformed. Removes
    /// properties that no longer apply: sizes, the list of appended files (a gain map, a movie), gain map parameters,
    /// and colour spaces if the copy has been converted to sRGB.
    public func ofCopy(isSRGB: Bool) -> XMPPacket? {
        let names = Self.sizes + (isSRGB ? Self.colourSpaces : [])
        return blanked { name in
            names.contains { name.elementsEqual($0.utf8) }
                || Self.appendedPrefixes.contains { name.starts(with: "\($0):".utf8) }
        }?.upright
    }

    private static let sizes = [
        "tiff:ImageWidth", "tiff:ImageLength", "exif:PixelXDimension", "exif:PixelYDimension",
    ]
    private static let colourSpaces = ["photoshop:ICCProfile", "exif:ColorSpace"]
    /// The prefixes of properties for gain maps and appended files, as Adobe, Apple and Google write them.
    private static let appendedPrefixes = ["hdrgm", "HDRGainMap", "Container", "GContainer"]

    /// Calls `goes` with the name of each element and attribute, and with `prefix:` for the declaration of a prefix.
    /// Replaces these parts by spaces if the result is true. Returns nil if a tag or a replaced element is incomplete.
    /// Linear.
    private func blanked(_ goes: (ArraySlice<UInt8>) -> Bool) -> XMPPacket? {
        var result = bytes
        func blank(_ range: Range<Int>) {
            for place in range { result[place] = UInt8(ascii: " ") }
        }
        var place = bytes.startIndex
        while let start = bytes[place...].firstIndex(of: UInt8(ascii: "<")) {
            guard let tag = Tag(bytes, at: start) else { return nil }
            place = tag.end
            guard goes(bytes[tag.name]) else {
                for attribute in tag.attributes where goes(Self.declared(bytes[attribute.name])) {
                    blank(attribute.whole)
                }
                continue
            }
            guard tag.opens else {
                blank(start..<tag.end)
                continue
            }
            // Find the end tag. Elements of the same name may be nested.
            var depth = 1
            while depth > 0 {
                guard let next = bytes[place...].firstIndex(of: UInt8(ascii: "<")), let inner = Tag(bytes, at: next)
                else { return nil }
                place = inner.end
                if bytes[inner.name] == bytes[tag.name] { depth += inner.closes ? -1 : inner.opens ? 1 : 0 }
            }
            blank(start..<place)
        }
        return XMPPacket(result)
    }

    /// Returns the name of an attribute, or `prefix:` for a declaration `xmlns:prefix`.
    private static func declared(_ name: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        name.starts(with: "xmlns:".utf8) ? name.dropFirst(6) + [UInt8(ascii: ":")] : name
    }

    /// A tag, comment, literal text or instruction between angle brackets.
    private struct Tag {
        let name: Range<Int>
        /// The offset after its `>`.
        let end: Int
        /// `closes`: whether this is an end tag. `opens`: whether this is a start tag that needs an end tag.
        let closes: Bool, opens: Bool
        private(set) var attributes: [(name: Range<Int>, whole: Range<Int>)] = []

        /// - Parameter start: the offset of its `<`.
        init?(_ bytes: [UInt8], at start: Int) {
            var place = start + 1
            closes = place < bytes.count && bytes[place] == UInt8(ascii: "/")
            if closes { place += 1 }
            func word() -> Range<Int> {
                let begin = place
                while place < bytes.count, !" \t\r\n=<>/\"'".utf8.contains(bytes[place]) { place += 1 }
                return begin..<place
            }
            name = word()
            // A comment or a literal text may contain any characters except its end mark.
            for (mark, endMark) in [("!--", "-->"), ("![CDATA[", "]]>")]
            where bytes[(start + 1)...].starts(with: mark.utf8) {
                place = start + 1 + mark.utf8.count
                while place + 2 < bytes.count, !bytes[place..<place + 3].elementsEqual(endMark.utf8) { place += 1 }
                guard place + 2 < bytes.count else { return nil }
                (opens, end) = (false, place + 3)
                return
            }
            var attribute: Range<Int>?
            while place < bytes.count, bytes[place] != UInt8(ascii: ">") {
                let byte = bytes[place]
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                    guard let quote = bytes[(place + 1)...].firstIndex(of: byte) else { return nil }
                    place = quote + 1
                    if let name = attribute { attributes.append((name, name.lowerBound..<place)) }
                    attribute = nil
                } else {
                    let found = word()
                    if found.isEmpty { place += 1 } else { attribute = found }
                }
            }
            guard place < bytes.count else { return nil }
            opens = !closes && bytes[place - 1] != UInt8(ascii: "/")
            end = place + 1
        }
    }
}
