import Support
import TestSupport
import Testing

@testable import Options

extension AnyOption {
    fileprivate static let size = Option.number(
        "side", short: "s", .sizes, as: "WxH", in: 1...9, of: "pixels", field: "side", summary: "The side."
    ).defaulting(to: 5)
    fileprivate static let theme = Option.word(
        "theme", "THEME", .sizes, of: ["light", "dark"], variable: "THEME", summary: "The colours.")
    fileprivate static let quiet = Option.flag("quiet", .messages, summary: "Print less.")
    fileprivate static let loud = Option.flag("loud", .messages, summary: "Print more.")
    fileprivate static let off = Option.flag(
        "no-fence", .messages, means: false, field: "fence", summary: "Do without * and <.")
    fileprivate static let unseen = Option<String>(
        "unseen", form: .none, expected: "a text", group: .own, field: "unseen", summary: "A | only in the file."
    ) { $0 }
}

/// Manual pages in mdoc(7) format.
struct ManualTextTests {
    private static let facts = ManualFacts(
        exitStatus: "0 done", settings: [], variables: [(["HOME"], "Home.")], files: [("~/x", "A file.")],
        seeAlso: ["ls 1", "cat 1"], date: "May 1, 2026")
    private static let tool = Command(
        "tool", summary: "Do things.", details: "First.\n\nSecond -- `code`.",
        subcommands: [
            Command(
                "put", summary: "Put.", operands: .init("FILE", "Files."),
                options: { [[.size, .theme, .quiet, .loud]] }
            ) { _ in 0 },
            Command(
                "get", summary: "Get.", operands: .init("FILE", "A file.", atLeast: 1, atMost: 1),
                options: { [[.quiet, .loud]] }
            ) { _ in 0 },
            Command("list", summary: "List.", options: { [[.quiet]] }) { _ in 0 },
        ])

    private var page: [Substring] { Self.tool.manual(Self.facts).split(separator: "\n") }

    /// The lines between a request and the next request of the same kind.
    private func part(_ request: String) -> [Substring] {
        let kind = request.prefix(3)
        return Array(page.drop { $0 != request }.dropFirst().prefix { !$0.hasPrefix(kind) && !$0.hasPrefix(".Sh") })
    }

    @Test func sectionsHaveTheOrderOfMdoc() {
        #expect(
            page.filter { $0.hasPrefix(".Sh") }.map { $0.dropFirst(4) } == [
                "NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "OPTIONS", "ENVIRONMENT", "FILES", "EXIT STATUS",
                "EXAMPLES", "SEE ALSO",
            ])
        #expect(page[2] == ".Os")
        #expect(page.contains { $0 == ManualPage.place })
    }

    @Test func descriptionIsEscapedAndSplitIntoParagraphs() {
        #expect(part(".Sh DESCRIPTION") == ["First.", ".Pp", "Second \\-\\- \\fBcode\\fP."])
    }

    @Test func optionHasItsRangeDefaultFieldAndVariable() {
        #expect(
            part(".It Fl s , Fl -side Ar WxH") == [
                "The side.", "It takes pixels from 1 to 9.", "The default is 5.", "(configuration: \\fBside\\fP)",
            ])
        #expect(
            part(".It Fl -theme Ar theme").starts(with: [
                "The colours.", "The values are \\fBlight\\fP and \\fBdark\\fP.", "(environment: \\fBTHEME\\fP)",
            ]))
    }

    @Test func optionsOfSomeCommandsNameTheseCommands() {
        #expect(part(".Ss Size and shape").first == "For \\fBput\\fP.")
        #expect(!part(".Ss Messages and settings").isEmpty)
        #expect(
            part(".It Fl -loud").contains("For \\fBput\\fP and \\fBget\\fP.")
                || page.contains("For \\fBput\\fP and \\fBget\\fP, unless an option says otherwise."))
        #expect(part(".It Cm put Op Ar file ...").contains(".Sx Size and shape , Messages and settings ."))
        #expect(page.contains(".It Cm get Ar file"))
    }

    @Test func roffRequestsAreEscaped() {
        #expect(ManualPage.escaped(".x") == "\\&.x")
        #expect(ManualPage.escaped("it's a \\ `-`") == "it\\(aqs a \\e \\(ga\\-\\(ga")
        var page = ManualPage("x", section: 1, date: "")
        let head = page.source
        page.text("One * and ? word. " + String(repeating: "word ", count: 40))
        let lines = page.source.dropFirst(head.count).split(separator: "\n")
        #expect(lines[0] == "One * and ?\\& word." && lines.count == 4)
        #expect(lines.allSatisfy { $0.utf8.count <= 80 })
        page.text("One. Two (three.) Four")
        #expect(page.source.hasSuffix("\nOne.\nTwo (three.)\nFour\n"))
    }

    @Test func settingsTableListsOptionVariableFieldAndDefault() {
        let table = [AnyOption.size, .theme, .unseen, .off].settingsTable.split(separator: "\n")
        #expect(table.count == 6)
        #expect(table[2] == "| The side. | `--side` | `APOD_TOOLS_SIDE` | `side` | 5 |")
        #expect(table[3] == "| The colours. | `--theme` | `THEME` | | |")
        #expect(
            table[5] == "| Do without \\* and \\<. (`false`) | `--no-fence` | `APOD_TOOLS_FENCE` | `fence` | true |")
        #expect(table[4] == "| A \\| only in the file. | | `APOD_TOOLS_UNSEEN` | `unseen` | |")
    }

    @Test func configurationManualListsEveryField() {
        let page = [AnyOption.size, .theme, .unseen, .off].settingsManual(Self.facts).split(separator: "\n")
        #expect(page.filter { $0.hasPrefix(".It Cm") } == [".It Cm side", ".It Cm unseen", ".It Cm fence"])
        #expect(page.contains("The values are \\fBfalse\\fP and \\fBtrue\\fP; the default is \\fBtrue\\fP."))
    }
}
