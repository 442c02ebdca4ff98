import Testing

@testable import Commands

@Suite struct QuickWordsTests {
    private func read(_ text: String) -> QuickWords? {
        QuickWords(
            text.split(separator: " ").map(String.init), commands: ["put", "get"], options: ["--print", "--scope"])
    }

    @Test func wordsAndValuesAreTakenApart() throws {
        let line = try #require(read("put a --print path - b --scope me"))
        #expect(line.command == "put" && line.words == ["a", "-", "b"])
        #expect(line["--print"] == "path" && line["--scope"] == "me" && line["--other"] == nil)
    }

    @Test(arguments: [
        "", "ls a", "--print path put a", "put --print", "put --print --scope", "put --print a --print b",
        "put --other x", "put -v", "put --print=path", "put -- a",
    ])
    func anyOtherLineIsLeftToTheParser(_ text: String) {
        #expect(read(text) == nil)
    }
}
