import ApodFetchTool
import Commands
import GIFCacheTool
import ImgCacheTool
import ImgDownsampleTool
import Support
import Testing

@testable import Options

/// The suggestions for unknown commands.
struct SuggestionTests {
    private static let tools = [Tool.apodFetch, .imgCache, .imgDownsample, .gifCache].map(\.command)
    /// Every command that has subcommands, with its path.
    private static let parents: [(command: Command, words: [String])] = tools.flatMap { tool in
        [(tool, [])] + tool.subcommands.filter { !$0.subcommands.isEmpty }.map { ($0, [$0.name]) }
    }
    /// The names and synonyms of all tools' commands, because a user may confuse the tools.
    private static let names = Set(
        parents.flatMap { $0.command.subcommands.flatMap { [$0.name] + $0.synonyms } }
            + ["clear", "reset", "sync", "empty", "flush", "gc", "prune", "purge", "trim"])

    @Test func destructiveCommandsAreMarked() {
        let found = Self.parents.flatMap { parent in
            parent.command.subcommands.filter(\.deletesUnnamed).map { "\(parent.command.name) \($0.name)" }
        }
        #expect(found.sorted() == ["img-cache clean", "scope purge"])
    }

    @Test func destructiveCommandsAreNeverSuggested() throws {
        for (parent, words) in Self.parents where parent.run == nil {
            let destructive = Set(parent.subcommands.filter(\.deletesUnnamed).map(\.name))
            for name in Self.names {
                for typed in Self.edits(of: name) where !parent.subcommands.contains(where: { $0.name == typed }) {
                    let failure = #expect(throws: UsageFailure.self) { try parent.request([typed]) }
                    let message = try #require(failure).message
                    let meant = message.split(separator: "did you mean ").dropFirst().first?.dropLast()
                    #expect(!destructive.contains(String(meant ?? "")), "\(words) \(typed): \(message)")
                }
            }
        }
    }

    @Test func typingErrorsAreAnsweredWithASuggestion() {
        for (typed, meant) in ["delete": "rm", "pt": "put", "lst": "ls", "verfy": "verify"] {
            let failure = #expect(throws: UsageFailure.self) { try Tool.imgCache.command.request([typed]) }
            #expect(failure?.message.hasSuffix("did you mean \(meant)?") == true)
        }
    }

    /// Returns a name, and all names that differ from it by a single insertion, deletion, replacement or transposition.
    private static func edits(of name: String) -> Set<String> {
        let letters = Array(name)
        var edits: Set = [name]
        for place in 0...letters.count {
            for letter in "abcdefghijklmnopqrstuvwxyz" {
                edits.insert(String(letters[..<place] + [letter] + letters[place...]))
                if place < letters.count {
                    edits.insert(String(letters[..<place] + [letter] + letters[(place + 1)...]))
                }
            }
            if place < letters.count { edits.insert(String(letters[..<place] + letters[(place + 1)...])) }
            if place + 1 < letters.count {
                var swapped = letters
                swapped.swapAt(place, place + 1)
                edits.insert(String(swapped))
            }
        }
        return edits.filter { !$0.isEmpty && !$0.hasPrefix("-") }
    }
}
