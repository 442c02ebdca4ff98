/// Recognises random text, such as tokens and digests.
enum RandomText {
    /// The minimum number of letters and digits. Shorter random text resembles words and numbers.
    static let shortest = 16

    /// Whether a word of the text looks random, or all words together. A word is a run of ASCII letters and digits.
    ///
    /// Random text has at least 16 letters and digits, and satisfies one of these rules:
    /// * All characters are hexadecimal, at least two of them letters and three of them digits.
    /// * The score is more than half of the number of adjacent pairs. A pair of letters that is rare in English scores
    ///   1, a change between letter and digit 1.5. Random letters and digits score 0.9 per pair, English 0.1.
    ///
    /// Numbers and dates never look random.
    static func isIn(_ text: some Collection<UInt8>) -> Bool {
        let words = text.split { !$0.isDigit && !$0.isLetter }
        if words.contains(where: { isRandom([$0]) }) { return true }
        return words.count > 1 && isRandom(words)
    }

    private static func isRandom(_ words: [some Collection<UInt8>]) -> Bool {
        guard words.reduce(0, { $0 + $1.count }) >= shortest else { return false }
        var (letters, digits, isHexadecimal) = (0, 0, true)
        var (pairs, rare, changes) = (0, 0, 0)
        for word in words {
            var before: UInt8?
            for byte in word {
                if byte.isDigit { digits += 1 } else { letters += 1 }
                isHexadecimal = isHexadecimal && byte.hexDigitValue != nil
                if let before {
                    pairs += 1
                    if before.isDigit != byte.isDigit {
                        changes += 1
                    } else if !byte.isDigit, !isCommon[pair(before, byte)] {
                        rare += 1
                    }
                }
                before = byte
            }
        }
        return isHexadecimal && letters >= 2 && digits >= 3 || 2 * rare + 3 * changes > pairs
    }

    private static func pair(_ a: UInt8, _ b: UInt8) -> Int { Int((a | 0x20) - 0x61) * 26 + Int((b | 0x20) - 0x61) }

    /// Whether a pair of letters is common: 205 pairs, after Norvig, "English Letter Frequency Counts" (2012).
    private static let isCommon: [Bool] = {
        let pairs = """
            th he in er an re on at en nd ti es or te of ed is it al ar st to nt ng se ha as ou io le ve co me \
            de hi ri ro ic ne ea ra ce li ch ll be ma si om ur ca el ta la ns di fo ho pe ec pr no ct us ac ot \
            il tr ly nc et ut ss so rs un lo wa ge ie wh ee wi em ad ol rt po we na ul ni ts mo ow pa im mi ai \
            sh ir su id os iv ia am fi ci vi pl ig tu ev ld ry mp fe bl ab gh ty op wo sa ay ex ke fr oo av ag \
            if ap gr od bo sp rd do uc bu ei ov by rm ep tt oc fa ef cu rn sc gi da yo cr cl du ga qu ue ff ba \
            ey ls va um pp ua up lu go ht ru ug ds lt pi rc rr eg au ck ew mu br bi pt ak pu ui rg ib tl ny ki \
            rk ys ob mm fu ph og
            """
        var result = [Bool](repeating: false, count: 26 * 26)
        for name in pairs.utf8.split(separator: UInt8(ascii: " ")) {
            result[pair(name.first!, name[name.index(after: name.startIndex)])] = true
        }
        return result
    }()
}
