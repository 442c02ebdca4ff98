/// Cleans text from NASA's pages for a single field of a record.
public enum PlainText {
    /// Replaces each run of white space, including no-break spaces, by a blank, and trims the ends. Removes invisible
    /// characters: controls, soft hyphens, zero-width blanks, byte-order marks and directional controls.
    public static func folded(_ text: String) -> String {
        var text = text
        if text.withUTF8({ $0.endOfFoldedASCII(from: 0) == $0.count }) { return text }
        return text.withUTF8(folded)
    }

    /// - Parameter bytes: valid UTF-8.
    public static func folded(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var owesBlank = false
        var isInFlag = false
        var place = 0
        while place < bytes.count {
            let start = place
            place = bytes.endOfFoldedASCII(from: start)
            if place > start {
                if owesBlank, !result.isEmpty { result.append(UInt8(ascii: " ")) }
                owesBlank = false
                isInFlag = false
                result += bytes[start..<place]
                continue
            }
            let scalar = bytes.scalar(at: &place)
            if scalar.isWhiteSpace {
                owesBlank = true
                isInFlag = false
                continue
            }
            // In flag emoji, tag characters spell the region. Elsewhere, they could hide text.
            let isTag = (0xE0000...0xE007F).contains(scalar.value)
            if isTag ? !isInFlag : isInvisible(scalar) { continue }
            isInFlag = isTag || scalar == "\u{1F3F4}"
            if owesBlank, !result.isEmpty { result.append(UInt8(ascii: " ")) }
            owesBlank = false
            switch scalar.value {
            case 0x91...0x97: result += punctuation[Int(scalar.value) - 0x91].utf8
            default: result += bytes[start..<place]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns whether to remove a character. Returns false for joiners, which some scripts and emoji need, and for the
    /// controls that represent punctuation of Windows-1252.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isUnseen && !scalar.isJoiner && !(0x91...0x97).contains(scalar.value)
    }

    /// The punctuation that replaces the controls 0x91 to 0x97. These controls result from decoding Windows-1252 as
    /// Latin-1 (WHATWG Encoding, index windows-1252).
    private static let punctuation = [
        "\u{2018}", "\u{2019}", "\u{201C}", "\u{201D}", "\u{2022}", "\u{2013}", "\u{2014}",
    ]
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the end of a run of visible ASCII characters with single blanks between words. Most texts consist of a
    /// single run.
    fileprivate func endOfFoldedASCII(from start: Int) -> Int {
        var place = start
        while place < count {
            if self[place] &- 0x21 < 0x5E {
                place += 1
            } else if self[place] == 0x20, place > start, place + 1 < count, self[place + 1] &- 0x21 < 0x5E {
                place += 2
            } else {
                break
            }
        }
        return place
    }

    /// Returns the code point at `place` in valid UTF-8, and advances `place`.
    public func scalar(at place: inout Int) -> Unicode.Scalar {
        let lead = self[place]
        place += 1
        if lead < 0x80 { return Unicode.Scalar(lead) }
        let more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3
        var value = UInt32(lead) & (0x3F >> UInt32(more))
        for _ in 0..<more where place < count {
            value = value << 6 | UInt32(self[place] & 0x3F)
            place += 1
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}

extension Unicode.Scalar {
    /// Whether the scalar has the Unicode property `White_Space` (PropList.txt).
    public var isWhiteSpace: Bool {
        switch value {
        case 0x20, 0x09...0x0D, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
        default: false
        }
    }
}
