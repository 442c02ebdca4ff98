/// Puts options with an unusual number of values into the form that ArgumentParser reads: one word each.
enum ArgumentRewriting {
    /// `--allow-private` alone means all: it takes the word behind it only where that can be its value, so that an
    /// address behind it stays an argument. `--header-for` and `--bearer-for` take two words, which become one with a
    /// blank between. `--date` alone means today.
    static func completed(_ arguments: [String]) -> [String] {
        var result: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            result.append(argument)
            if argument == "--" { return result + rest }
            if argument == "--allow-private" {
                let isFollowedByItsValue = rest.first.map(isAddressList) ?? false
                result.append(isFollowedByItsValue ? rest.removeFirst() : "1")
            } else if argument == "--date", rest.first?.hasPrefix("-") ?? true {
                result.append("today")
            } else if argument == "--header-for" || argument == "--bearer-for", let origin = rest.popFirst() {
                let isWhole = origin.contains(" ") || rest.isEmpty
                result.append(isWhole ? origin : "\(origin) \(rest.removeFirst())")
            }
        }
        return result
    }

    /// Whether the word can be meant as a list of address blocks, be it a wrong one, which must not pass as all of
    /// them. A word of nothing but letters and digits (`cafe`, `0001`) is a name unless it says all or none.
    private static func isAddressList(_ text: String) -> Bool {
        if text == "0" || text == "1" { return true }
        return text.contains { ".:/,".contains($0) } && text.first != "/"
            && text.allSatisfy { $0.isHexDigit || ".:/,".contains($0) }
    }
}
