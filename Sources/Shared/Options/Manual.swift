import Support

/// What a manual page says beside the tool's commands and options.
public struct ManualFacts: Sendable {
    /// Lines of the help about exit statuses.
    public let exitStatus: String
    /// Environment variables that no option has, with what each does.
    public let variables: [(name: String, summary: String)]
    /// Files, with what each is.
    public let files: [(path: String, summary: String)]
    /// Other pages: `img-cache 1`.
    public let seeAlso: [String]
    /// `November 22, 2026`.
    public let date: String

    public init(
        exitStatus: String, variables: [(name: String, summary: String)], files: [(path: String, summary: String)],
        seeAlso: [String], date: String
    ) {
        self.exitStatus = exitStatus
        self.variables = variables
        self.files = files
        self.seeAlso = seeAlso
        self.date = date
    }
}

extension Command {
    /// A line of a page that stands for the sections which are written by hand.
    public static let manualPlace = ".\\\" SECTIONS"

    /// The tool's manual page, in the language of mdoc(7).
    public func manual(_ facts: ManualFacts) -> String {
        var page = ManualPage()
        page.request("Dd \(facts.date)")
        page.request("Dt \(name.uppercased()) 1")
        page.request("Os apod-tools")
        page.section("NAME")
        page.request("Nm \(name)")
        page.request("Nd \(ManualPage.escaped(summary.prefix(1).lowercased() + summary.dropFirst().dropLast()))")
        page.section("SYNOPSIS")
        for form in visibleSubcommands.isEmpty || run != nil ? [operands] : [] {
            page.request("Nm")
            page.request("Op Ar option ...")
            page.operands(form)
        }
        if !visibleSubcommands.isEmpty {
            page.request("Nm")
            page.request("Ar command")
            page.request("Op Ar option ...")
            page.request("Op Ar argument ...")
        }
        page.section("DESCRIPTION")
        page.blocks(details)
        if !visibleSubcommands.isEmpty {
            page.section("COMMANDS")
            page.list { page in
                for command in visibleSubcommands { page.command(command, named: [command.name]) }
            }
        }
        page.section("OPTIONS")
        page.text(
            """
            Options may stand anywhere on the line, before the command too. A value follows its option or an equals \
            sign; the last value counts. Behind -- all words are arguments.
            """)
        // Those of single commands stand there.
        for group in OptionGroup.allCases where group != .own || run != nil {
            let members = (group == .own ? typedOptions : uniqueOptions).filter { $0.group == group && $0.isTyped }
            if members.isEmpty { continue }
            page.subsection(group.title)
            page.list { page in for option in members { page.option(option) } }
        }
        page.list { page in
            page.request("It Fl h , Fl -help")
            page.text("Show help: in short, or in full.")
            page.request("It Fl -version")
            page.text("Show the version, and those of the libraries in use.")
        }
        page.line(Self.manualPlace)
        page.environment(uniqueOptions, facts)
        if !facts.files.isEmpty {
            page.section("FILES")
            page.list { page in
                for (path, summary) in facts.files {
                    page.request("It Pa \(ManualPage.escaped(path))")
                    page.text(summary)
                }
            }
        }
        page.section("EXIT STATUS")
        page.text(facts.exitStatus.split(separator: "\n").joined(separator: " "))
        page.section("EXAMPLES")
        page.examples(examples)
        page.section("SEE ALSO")
        for (index, other) in facts.seeAlso.enumerated() {
            page.request("Xr \(other)\(index == facts.seeAlso.count - 1 ? "" : " ,")")
        }
        return page.source
    }

    /// All options of the tool that can be typed, each once, in the order of their first command.
    var uniqueOptions: [AnyOption] {
        var seen: Set<ObjectIdentifier> = []
        return allOptions.filter { seen.insert(ObjectIdentifier($0)).inserted }
    }
}

/// A page in the language of mdoc(7) as it grows. What it is given are plain words: it does the escaping.
struct ManualPage {
    private(set) var source = ""

    mutating func line(_ line: String) { source += line + "\n" }

    mutating func request(_ request: String) { line(".\(request)") }

    mutating func section(_ title: String) { request("Sh \(title)") }

    mutating func subsection(_ title: String) { request("Ss \(title.prefix(1) + title.dropFirst().lowercased())") }

    mutating func list(_ body: (inout ManualPage) -> Void) {
        request("Bl -tag -width Ds")
        body(&self)
        request("El")
    }

    /// A text's characters that mean something to roff.
    static func escaped(_ text: some StringProtocol) -> String {
        var result = ""
        for character in text {
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "'" where result.isEmpty, "." where result.isEmpty: result += "\\&\(character)"
            case "\u{27}": result += "\\(aq"
            case "`": continue
            default: result.append(character)
            }
        }
        return result
    }

    /// Sentences, each on lines of its own as mandoc(1) wants them.
    mutating func text(_ words: String) {
        var sentence: [Substring] = []
        func ends(_ word: Substring) -> Bool {
            let word = word.last == ")" ? word.dropLast() : word
            return word.last == "." || word.last == "?" || word.last == "!"
        }
        for word in words.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
            sentence.append(word)
            if ends(word) {
                flush(sentence)
                sentence = []
            }
        }
        if !sentence.isEmpty { flush(sentence) }
    }

    private mutating func flush(_ sentence: [Substring]) {
        for line in TerminalText.wrapped(sentence.joined(separator: " "), toColumns: 76) {
            self.line(Self.escaped(line))
        }
    }

    /// Paragraphs; lines that begin with a blank stand as they are.
    mutating func blocks(_ details: String) {
        for (index, block) in HelpPage.blocks(details).enumerated() {
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

    mutating func examples(_ examples: [String]) { if !examples.isEmpty { literal(examples) } }

    mutating func operands(_ operands: Command.Operands) {
        if operands.name.isEmpty { return }
        let name = Self.escaped(operands.name.lowercased()) + (operands.atMost > 1 ? " ..." : "")
        request(operands.atLeast > 0 ? "Ar \(name)" : "Op Ar \(name)")
    }

    mutating func command(_ command: Command, named path: [String]) {
        if command.run == nil {
            for next in command.visibleSubcommands { self.command(next, named: path + [next.name]) }
            return
        }
        let name = command.operands.name.lowercased()
        let count = command.operands.atMost > 1 ? " ..." : ""
        let operands = name.isEmpty ? "" : command.operands.atLeast > 0 ? " Ar \(name)\(count)" : " Op Ar \(name)\(count)"
        request("It Cm \(path.joined(separator: " "))\(operands)")
        text(command.summary)
        if !command.details.isEmpty {
            request("Pp")
            blocks(command.details)
        }
        let own = command.typedOptions.filter { $0.group == .own }
        if !own.isEmpty {
            list { page in for option in own { page.option(option) } }
        }
        let groups = OptionGroup.allCases.filter { group in
            group != .own && command.typedOptions.contains { $0.group == group }
        }
        if !groups.isEmpty {
            request("Pp")
            text("Takes options about " + groups.map { $0.title.lowercased() }.joined(separator: ", ") + ".")
        }
        examples(command.examples)
    }

    mutating func option(_ option: AnyOption) {
        var names: [String] = option.short.map { ["Fl \($0)"] } ?? []
        names += option.spellings.map { "Fl -\(Self.escaped($0))" }
        var value = ""
        switch option.form {
        case .flag, .none: break
        case .value(let name): value = " Ar \(Self.escaped(name.lowercased()))"
        case .optionalValue(let name, _): value = " Op Ar \(Self.escaped(name.lowercased()))"
        case .pair(let first, let second):
            value = " Ar \(Self.escaped(first.lowercased())) Ar \(Self.escaped(second.lowercased()))"
        }
        request("It \(names.joined(separator: " , "))\(value)")
        text(option.summary)
        if !option.manual.isEmpty { text(option.manual) }
        if !option.standard.isEmpty { text("The default is \(option.standard).") }
        var places: [String] = []
        if let variable = option.variable { places.append("the variable \(variable)") }
        if let field = option.field { places.append("the field \(field) of the configuration file") }
        if !places.isEmpty { text("Also set by \(places.joined(separator: ", and by ")).") }
    }

    mutating func environment(_ options: [AnyOption], _ facts: ManualFacts) {
        let rows = options.compactMap { option in option.variable.map { ($0, option.summary) } } + facts.variables
        if rows.isEmpty { return }
        section("ENVIRONMENT")
        list { page in
            for (name, summary) in rows {
                page.request("It Ev \(name)")
                page.text(summary)
            }
        }
    }
}
