import Support

/// Writes a manual page in mdoc(7) format. The input is plain text, in which back quotes become bold print; special
/// characters are escaped.
struct ManualPage {
    /// The line that `scripts/docs` replaces by the hand-written sections.
    static let place = ".\\\" SECTIONS"

    private(set) var source = ""

    init(_ name: String, section: Int, date: String) {
        request("Dd \(date)")
        request("Dt \(name.uppercased()) \(section)")
        request("Os")
    }

    mutating func line(_ line: String) { source += line + "\n" }

    mutating func request(_ request: String) { line(".\(request)") }

    mutating func section(_ title: String) { request("Sh \(title)") }

    mutating func subsection(_ title: String) { request("Ss \(title.sentenceCase)") }

    mutating func list(_ body: (inout ManualPage) -> Void) {
        request("Bl -tag -width Ds")
        body(&self)
        request("El")
    }

    /// Adds text. Begins each sentence on a new line; mandoc(1) warns otherwise.
    mutating func text(_ words: String) {
        var line = ""
        for word in Self.marked(words).split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            let word = Self.escaped(word)
            if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > 78 {
                self.line(line)
                line = ""
            }
            line += line.isEmpty ? word : " " + word
            if Self.endsSentence(word) {
                self.line(line)
                line = ""
            }
        }
        if !line.isEmpty { self.line(line) }
    }

    /// Adds paragraphs. A paragraph that begins with a space is not wrapped.
    mutating func blocks(_ details: String) {
        for (index, block) in Command.blocks(of: details).enumerated() {
            if block.hasPrefix(" ") {
                literal(block.split(separator: "\n").map { String($0.dropFirst(2)) })
            } else {
                if index > 0 { request("Pp") }
                text(block)
            }
        }
    }

    mutating func literal(_ lines: [String]) {
        request("Bd -literal -offset indent")
        for line in lines { self.line(Self.escaped(line)) }
        request("Ed")
    }

    mutating func operands(_ operands: Command.Operands) { if let words = Self.operands(operands) { request(words) } }

    /// Returns the macros for the operands of a command, or nil without operands.
    static func operands(_ operands: Command.Operands) -> String? {
        // A dash is a literal, not the name of a value.
        if operands.name == "-" { return "Op Cm \\-" }
        if operands.name.isEmpty { return nil }
        let name = argument(operands.name) + (operands.atMost > 1 ? " ..." : "")
        return operands.atLeast > 0 ? "Ar \(name)" : "Op Ar \(name)"
    }

    /// Returns the name of a value as manuals write it: `file` for `FILE`, but `WxH` unchanged.
    static func argument(_ name: String) -> String {
        escaped(name.contains(where: \.isLowercase) ? name : name.lowercased())
    }

    /// Replaces each pair of back quotes by `bold` and `roman`.
    private static func marked(_ text: String) -> String {
        let pieces = text.split(separator: "`", omittingEmptySubsequences: false)
        if pieces.count % 2 == 0 { return text }
        return pieces.enumerated().map { index, piece in
            index == 0 ? String(piece) : (index % 2 == 1 ? bold : roman) + piece
        }.joined()
    }

    /// Placeholders for font changes, which `escaped` replaces by roff escapes. No text contains these control
    /// characters.
    private static let bold = "\u{1}"
    private static let roman = "\u{2}"

    /// Escapes the characters of a word or line that are special in roff.
    static func escaped(_ text: some StringProtocol) -> String {
        // At the end of a line, roff would treat a separate question or exclamation mark as the end of a sentence.
        if text == "?" || text == "!" { return "\(text)\\&" }
        var result = ""
        for character in text {
            switch character {
            case "\u{1}": result += "\\fB"
            case "\u{2}": result += "\\fP"
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "." where result.isEmpty: result += "\\&."
            case "\u{27}": result += "\\(aq"
            case "`": result += "\\(ga"
            default: result.append(character)
            }
        }
        return result
    }

    /// Returns whether an escaped word ends a sentence.
    private static func endsSentence(_ word: String) -> Bool {
        var word = word[...]
        while word.hasSuffix("\\fP") { word = word.dropLast(3) }
        if word.hasSuffix(")") { word = word.dropLast() }
        return word.hasSuffix(".") || word.hasSuffix("?") || word.hasSuffix("!")
    }
}
