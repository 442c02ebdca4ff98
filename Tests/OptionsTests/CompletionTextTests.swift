import Support
import TestSupport
import Testing

@testable import Options

extension AnyOption {
    fileprivate static let nasty = Option.word(
        "nasty", "ONE", of: ["plain", "with space", "$(touch pwned)", "it's"],
        summary: "It's \"quoted\" [or not]: `touch pwned`, $(touch pwned) and 100 % \\n.")
    fileprivate static let other = Option.flag("never", short: "n", summary: "Don't.")
}

/// What a shell makes of texts that mean something to it.
struct CompletionTextTests {
    private static let tool = Command(
        "tool", summary: "Do things.", operands: .init("IT'S [A]:FILE", "Files.", completion: .files),
        options: { [[.nasty, .other]] }
    ) { _ in 0 }
    private static let parent = Command(
        "tool", summary: "Do things.",
        subcommands: [
            Command("put", summary: "It's a `put`: [$HOME].", options: { [[.nasty]] }) { _ in 0 },
            Command("hidden", summary: "Is not told of.", isHidden: true) { _ in 0 },
        ])

    private func offers(_ shell: CompletingShell, _ tool: Command, _ line: String) throws -> [CompletingShell.Offer] {
        let home = try ToolHome()
        let folder = try home.folder.makeFolder("scripts")
        for (name, text) in [
            ("tool.bash", tool.bashCompletion), ("_tool", tool.zshCompletion), ("tool.fish", tool.fishCompletion),
        ] { try home.folder.write("scripts/\(name)", text) }
        let offers = try shell.offers([line], scripts: folder, in: home)
        #expect(TemporaryFolder.names(in: home.work).isEmpty, "a text was run")
        return try #require(offers.first)
    }

    @Test(arguments: CompletingShell.allCases.filter(\.isPresent))
    func summariesAreShownAsTheyAre(shell: CompletingShell) throws {
        let offers = try offers(shell, Self.tool, "tool --n")
        #expect(Set(offers.map(\.word)) == ["--nasty", "--never"])
        if shell == .bash { return }
        let nasty = try #require(offers.first { $0.word == "--nasty" })
        #expect(nasty.description.hasSuffix(AnyOption.nasty.summary), "\(nasty.description)")
    }

    @Test(arguments: CompletingShell.allCases.filter(\.isPresent))
    func valuesAreOfferedAsTheyAre(shell: CompletingShell) throws {
        let offers = try offers(shell, Self.tool, "tool --nasty ")
        #expect(Set(offers.map(\.word)) == ["plain", "with space", "$(touch pwned)", "it's"])
    }

    @Test(arguments: CompletingShell.allCases.filter(\.isPresent))
    func commandsAreOfferedWithTheirSummaries(shell: CompletingShell) throws {
        let offers = try offers(shell, Self.parent, "tool p")
        #expect(offers.map(\.word) == ["put"])
        if shell == .bash { return }
        #expect(offers.allSatisfy { $0.description.hasSuffix("It's a `put`: [$HOME].") }, "\(offers)")
    }

    @Test(arguments: CompletingShell.allCases.filter(\.isPresent))
    func hiddenCommandsAreNotOffered(shell: CompletingShell) throws {
        #expect(try !offers(shell, Self.parent, "tool ").contains { $0.word == "hidden" })
    }
}
