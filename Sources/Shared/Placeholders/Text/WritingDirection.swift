/// The order in which text of both directions is drawn: Unicode's bidirectional algorithm (UAX #9) for one paragraph
/// without explicit marks, which `MessageText` drops.
enum WritingDirection {
    private enum Kind { case left, right, number, neutral }

    /// Whether the text begins with a letter that is written from right to left (UAX #9, P2 and P3).
    static func isRightToLeft(_ text: some Sequence<Unicode.Scalar>) -> Bool {
        for scalar in text {
            switch kind(scalar) {
            case .right: return true
            case .left: return false
            case .number, .neutral: break
            }
        }
        return false
    }

    /// How deep each character is embedded: even numbers run to the right, odd ones to the left.
    static func levels(_ text: [Unicode.Scalar], isRightToLeft base: Bool) -> [UInt8] {
        var kinds = text.map(kind)
        // Marks go with their letter (W1).
        for index in kinds.indices.dropFirst() where isMark(text[index]) { kinds[index] = kinds[index - 1] }
        // A sign between digits, or before and behind them, belongs to the number (W4, W5).
        for index in kinds.indices where kinds[index] == .neutral && numberSigns.contains(text[index]) {
            let isBehind = index > 0 && kinds[index - 1] == .number
            let isBefore = index + 1 < kinds.count && kinds[index + 1] == .number
            if isBehind && isBefore || (isBehind || isBefore) && numberAffixes.contains(text[index]) {
                kinds[index] = .number
            }
        }
        // Numbers among letters that run to the right are like them (W7).
        var letters: Kind = base ? .right : .left
        for index in kinds.indices {
            switch kinds[index] {
            case .left, .right: letters = kinds[index]
            case .number where letters == .left: kinds[index] = .left
            case .number, .neutral: break
            }
        }
        resolveBrackets(text, &kinds, base: base ? .right : .left)
        resolveNeutrals(&kinds, base: base ? .right : .left)
        return kinds.map { kind in
            switch kind {
            case .left: base ? 2 : 0
            case .number: 2
            case .right, .neutral: 1
            }
        }
    }

    /// Pairs of brackets take the direction of the paragraph if anything within does, else that of what is within and
    /// before them, so that both run alike (N0).
    private static func resolveBrackets(_ text: [Unicode.Scalar], _ kinds: inout [Kind], base: Kind) {
        for (open, close) in bracketPairs(text) {
            let within = kinds[(open + 1)..<close].filter { $0 != .neutral }.map(direction)
            guard let inner = within.contains(base) ? base : within.first else { continue }
            let before = kinds[..<open].last { $0 != .neutral }.map(direction) ?? base
            let resolved = inner == base || before != inner ? base : inner
            kinds[open] = resolved
            kinds[close] = resolved
        }
    }

    /// The places of brackets that belong together, in the order in which they open (BD16).
    private static func bracketPairs(_ text: [Unicode.Scalar]) -> [(open: Int, close: Int)] {
        var pairs: [(open: Int, close: Int)] = []
        var waiting: [(close: Unicode.Scalar, place: Int)] = []
        for (place, scalar) in text.enumerated() {
            if let close = brackets[scalar] {
                // As many as the algorithm wants to be kept.
                if waiting.count == 63 { break }
                waiting.append((close, place))
            } else if let match = waiting.lastIndex(where: { $0.close == scalar }) {
                pairs.append((waiting[match].place, place))
                waiting.removeSubrange(match...)
            }
        }
        return pairs.sorted { $0.open < $1.open }
    }

    private static let brackets: [Unicode.Scalar: Unicode.Scalar] = [
        "(": ")", "[": "]", "{": "}", "（": "）", "［": "］", "「": "」", "『": "』", "【": "】", "〈": "〉", "《": "》",
    ]

    /// Numbers count as running to the left here (N0, N1), unless they are like the letters around them.
    private static func direction(_ kind: Kind) -> Kind { kind == .left ? .left : .right }

    /// Neutral characters take the direction that both sides have, else that of the paragraph (N1, N2).
    private static func resolveNeutrals(_ kinds: inout [Kind], base: Kind) {
        var index = 0
        while index < kinds.count {
            guard kinds[index] == .neutral else {
                index += 1
                continue
            }
            let end = kinds[index...].firstIndex { $0 != .neutral } ?? kinds.count
            let before = index > 0 ? direction(kinds[index - 1]) : base
            let after = end < kinds.count ? direction(kinds[end]) : base
            for place in index..<end { kinds[place] = before == after ? before : base }
            index = end
        }
    }

    /// The places of what has these levels, from left to right (L2).
    static func visualOrder(_ levels: [UInt8]) -> [Int] {
        var order = Array(levels.indices)
        guard let highest = levels.max(), let lowestOdd = levels.filter({ $0 % 2 == 1 }).min() else { return order }
        for level in stride(from: highest, through: lowestOdd, by: -1) {
            var start = 0
            while start < order.count {
                guard levels[order[start]] >= level else {
                    start += 1
                    continue
                }
                var end = start
                while end < order.count, levels[order[end]] >= level { end += 1 }
                order[start..<end].reverse()
                start = end
            }
        }
        return order
    }

    private static let numberAffixes: Set<Unicode.Scalar> = ["+", "-", "%", "#", "$", "€", "£", "¥", "°"]
    private static let numberSigns = numberAffixes.union([".", ",", ":", "/"])

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        let category = scalar.properties.generalCategory
        return category == .nonspacingMark || category == .enclosingMark || scalar.value == 0x200D
    }

    private static func kind(_ scalar: Unicode.Scalar) -> Kind {
        switch scalar.value {
        case 0x30...0x39, 0x0660...0x0669, 0x06F0...0x06F9: return .number
        // Arabic punctuation that is neutral.
        case 0x060C, 0x066A...0x066C: return .neutral
        // The blocks of Hebrew, Arabic, Syriac, Thaana, N'Ko, Samaritan, Mandaic and of ancient scripts, their
        // presentation forms, Adlam and Rohingya.
        case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFE, 0x10800...0x10FFF, 0x1E800...0x1EFFF: return .right
        default: break
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .spacingMark,
            .letterNumber:
            return .left
        default: return .neutral
        }
    }
}
