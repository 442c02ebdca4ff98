/// Words that somebody looks for in titles and explanations. Neither case nor accents count, and each stands for all
/// words that begin with it.
public struct SearchWords: Sendable, Equatable {
    /// As they were typed.
    public let text: String
    private let words: [[UInt8]]

    /// Nil if there is no word in the text.
    public init?(_ text: String) {
        self.text = text
        words = Self.folded(text).split(separator: UInt8(ascii: " ")).map { Array($0) }
        if words.isEmpty { return nil }
    }

    /// Returns whether all of the words stand in the texts. Cost: O(n) in their length, for each word.
    func areIn(_ texts: String...) -> Bool {
        let text = Self.folded(texts.joined(separator: " "))
        return words.allSatisfy { Self.begins($0, aWordOf: text) }
    }

    private static func begins(_ word: [UInt8], aWordOf text: [UInt8]) -> Bool {
        // What begins with a sign, such as "(M31", may stand anywhere.
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

    /// Returns the text in small letters without accents, with blanks for what is no letter or number beyond ASCII.
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
            switch properties.generalCategory {
            case .nonspacingMark: continue
            default:
                if scalar == "\u{2019}" {
                    result.append(UInt8(ascii: "'"))
                } else if !properties.isAlphabetic, properties.numericType == nil {
                    // Quotation marks, dashes and the like part words.
                    result.append(UInt8(ascii: " "))
                } else if let letter = latinLetter(properties.name) {
                    result.append(letter)
                } else {
                    result += properties.lowercaseMapping.utf8
                }
            }
        }
        return result
    }

    /// Returns the letter of `LATIN SMALL LETTER E WITH ACUTE`; nil for what is no Latin letter with something to it.
    private static func latinLetter(_ name: String?) -> UInt8? {
        guard let name, name.hasPrefix("LATIN ") else { return nil }
        let words = name.split(separator: " ")
        guard words.count > 4, words[2] == "LETTER", words[4] == "WITH", words[3].utf8.count == 1 else { return nil }
        return words[3].utf8.first.map { $0 | 0x20 }
    }
}
