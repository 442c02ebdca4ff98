/// Counts the attributes of HTML without parsing it, by the rules of the tokenizer (WHATWG HTML §13.2.5.6 and on).
enum HTMLAttributes {
    /// Returns how many attributes there are, or nil if there are more than `limit`.
    ///
    /// Every place where a tag could begin counts, in comments and scripts too, since only a parser knows which of them
    /// are tags. What a tag consists of depends on nothing before it, so that the count is never too low.
    static func count(in bytes: UnsafeBufferPointer<UInt8>, atMost limit: Int) -> Int? {
        var count = 0
        for start in bytes.indices where bytes[start] == UInt8(ascii: "<") {
            var tag = Tag(bytes, at: start + 1)
            guard tag.skipName() else { continue }
            while tag.skipAttribute() {
                count += 1
                if count > limit { return nil }
            }
        }
        return count
    }

    /// A walk through one tag.
    private struct Tag {
        private let bytes: UnsafeBufferPointer<UInt8>
        private var place: Int

        init(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int) {
            self.bytes = bytes
            self.place = place
        }

        private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

        private mutating func skip(while isSkipped: (UInt8) -> Bool) {
            while let next, isSkipped(next) { place += 1 }
        }

        /// Returns whether a start or end tag begins here: a letter does it, behind a slash or not.
        mutating func skipName() -> Bool {
            if next == UInt8(ascii: "/") { place += 1 }
            guard let letter = next, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter | 0x20) else {
                return false
            }
            skip { !Self.isBlank($0) && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ">") }
            return true
        }

        /// Returns whether there was another attribute before the tag's end.
        mutating func skipAttribute() -> Bool {
            skip { Self.isBlank($0) || $0 == UInt8(ascii: "/") }
            guard let first = next, first != UInt8(ascii: ">") else { return false }
            // The first character belongs to the name, an equals sign too.
            place += 1
            skip { !Self.isBlank($0) && !"/>=".utf8.contains($0) }
            skip(while: Self.isBlank)
            if next == UInt8(ascii: "=") { skipValue() }
            return true
        }

        private mutating func skipValue() {
            place += 1
            skip(while: Self.isBlank)
            if let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                place += 1
                skip { $0 != quote }
                place += 1
            } else {
                skip { !Self.isBlank($0) && $0 != UInt8(ascii: ">") }
            }
        }

        private static func isBlank(_ byte: UInt8) -> Bool { " \t\n\u{C}\r".utf8.contains(byte) }
    }
}
