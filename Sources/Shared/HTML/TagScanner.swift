import Articles

/// Scans a single tag as an HTML tokenizer does (WHATWG HTML §13.2.5.6 and following). The rules do not depend on the
/// text before the tag.
struct TagScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The offset of the next byte. Initially, this is the byte after the tag's `<`.
    private(set) var place: Int

    /// Returns the number of attributes, or nil if there are more than `limit`.
    ///
    /// Counts the attributes of everything that looks like a tag, even in comments and scripts, which only a parser
    /// could recognise. The result is therefore never too low.
    static func countAttributes(in bytes: UnsafeBufferPointer<UInt8>, atMost limit: Int) -> Int? {
        var count = 0
        for start in bytes.indices where bytes[start] == UInt8(ascii: "<") {
            var tag = TagScanner(bytes: bytes, place: start + 1)
            guard tag.skipName() else { continue }
            while tag.nextAttribute() != nil {
                count += 1
                if count > limit { return nil }
            }
        }
        return count
    }

    /// The next byte, or nil at the end.
    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) { while let next, isSkipped(next) { place += 1 } }

    /// Skips the name of a start or end tag, including the slash of an end tag. Returns false if the name does not
    /// begin with a letter, because this is then not a tag.
    mutating func skipName() -> Bool {
        if next == UInt8(ascii: "/") { place += 1 }
        guard let letter = next, letter.isASCIILetter else { return false }
        skip { !Self.isBlank($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }
        return true
    }

    /// Returns the ranges of the next attribute's name and value, or nil at the end of the tag. The value is nil if the
    /// attribute has no equals sign.
    mutating func nextAttribute() -> (name: Range<Int>, value: Range<Int>?)? {
        skip { Self.isBlank($0) || $0 == UInt8(ascii: "/") }
        guard let first = next, first != UInt8(ascii: ">") else { return nil }
        let start = place
        // The first character is part of the name, even if it is an equals sign.
        place += 1
        skip { !Self.isBlank($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "=") }
        let name = start..<place
        skip(while: Self.isBlank)
        return (name, next == UInt8(ascii: "=") ? passValue() : nil)
    }

    private mutating func passValue() -> Range<Int> {
        place += 1
        skip(while: Self.isBlank)
        guard let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            let start = place
            skip { !Self.isBlank($0) && $0 != UInt8(ascii: ">") }
            return start..<place
        }
        place += 1
        let start = place
        skip { $0 != quote }
        let end = place
        place += 1
        return start..<end
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0C || byte == 0x0D
    }
}
