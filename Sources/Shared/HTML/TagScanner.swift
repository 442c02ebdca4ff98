import Articles

/// A walk through one tag of HTML without parsing the page, by the rules of the tokenizer (WHATWG HTML §13.2.5.6 and
/// on). What a tag consists of depends on nothing before it.
struct TagScanner {
    let bytes: UnsafeBufferPointer<UInt8>
    /// The first byte that has not been passed; at first the one after the tag's `<`.
    private(set) var place: Int

    /// Returns how many attributes there are, or nil if there are more than `limit`.
    ///
    /// Every place where a tag could begin counts, in comments and scripts too, since only a parser knows which of them
    /// are tags. So the count is never too low.
    static func countAttributes(in bytes: UnsafeBufferPointer<UInt8>, atMost limit: Int) -> Int? {
        var count = 0
        for start in bytes.indices where bytes[start] == UInt8(ascii: "<") {
            var tag = TagScanner(bytes: bytes, place: start + 1)
            guard tag.skipName() else { continue }
            while tag.skipAttribute() {
                count += 1
                if count > limit { return nil }
            }
        }
        return count
    }

    /// The byte at `place`; nil at the end.
    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while let next, isSkipped(next) { place += 1 }
    }

    /// Passes the name, and returns whether a start or end tag begins here: with a letter, or a slash and a letter.
    mutating func skipName() -> Bool {
        if next == UInt8(ascii: "/") { place += 1 }
        guard let letter = next, letter.isASCIILetter else { return false }
        skip { !Self.isBlank($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }
        return true
    }

    /// Passes another attribute, and returns whether there was one before the tag's end.
    mutating func skipAttribute() -> Bool { nextAttribute() != nil }

    /// Passes another attribute, and returns where its name and its value stand; nil if the tag ends. The value is nil
    /// without an equals sign.
    mutating func nextAttribute() -> (name: Range<Int>, value: Range<Int>?)? {
        skip { Self.isBlank($0) || $0 == UInt8(ascii: "/") }
        guard let first = next, first != UInt8(ascii: ">") else { return nil }
        let start = place
        // The first character belongs to the name, even if it is an equals sign.
        place += 1
        skip {
            !Self.isBlank($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "=")
        }
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
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0C, 0x0D: true
        default: false
        }
    }
}
