/// Searches titles and explanations for words, ignoring case and accents. A search word matches every word that begins
/// with it.
public struct SearchWords: Sendable, Equatable {
    /// The words as the user typed them.
    public let text: String
    private let words: [[UInt8]]

    /// Returns nil if the text has no words.
    public init?(_ text: String) {
        self.text = text
        words = Self.folded(text).split(separator: UInt8(ascii: " ")).map { Array($0) }
        if words.isEmpty { return nil }
    }

    /// Returns whether all words occur in the texts. Cost: O(n) in the length of the texts, for each word.
    func areIn(_ texts: String...) -> Bool {
        let text = Self.folded(texts.joined(separator: " "))
        return words.allSatisfy { Self.begins($0, aWordOf: text) }
    }

    private static func begins(_ word: [UInt8], aWordOf text: [UInt8]) -> Bool {
        // A search word that begins with punctuation, such as "(M31", matches at any position.
        let isFree = !isOfWord(word[0])
        var place = 0
        while place + word.count <= text.count {
            if text[place] == word[0], isFree || place == 0 || !isOfWord(text[place - 1]),
                text[place..<place + word.count].elementsEqual(word)
            {
                return true
            }
            place += 1
        }
        return false
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || byte &- UInt8(ascii: "a") < 26 || byte &- UInt8(ascii: "0") < 10
    }

    /// Returns the text in lower case without accents. Non-ASCII characters other than letters and numbers become
    /// blanks.
    static func folded(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                result.append(byte < 0x20 ? UInt8(ascii: " ") : byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte)
                continue
            }
            let properties = scalar.properties
            if properties.generalCategory == .nonspacingMark { continue }
            if scalar == "\u{2019}" {
                result.append(UInt8(ascii: "'"))
            } else if !properties.isAlphabetic, properties.numericType == nil {
                // Quotation marks, dashes and similar characters separate words.
                result.append(UInt8(ascii: " "))
            } else if let letter = latinLetter(properties.name) {
                result.append(letter)
            } else {
                result += properties.lowercaseMapping.utf8
            }
        }
        return result
    }

    /// Returns the base letter in a name such as `LATIN SMALL LETTER E WITH ACUTE`. Returns nil for other names.
    private static func latinLetter(_ name: String?) -> UInt8? {
        guard let name, name.hasPrefix("LATIN ") else { return nil }
        let words = name.split(separator: " ")
        guard words.count > 4, words[2] == "LETTER", words[4] == "WITH", words[3].utf8.count == 1 else { return nil }
        return words[3].utf8.first.map { $0 | 0x20 }
    }
}
