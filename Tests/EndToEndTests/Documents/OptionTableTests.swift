import Support
import TestSupport
import Testing

/// Rules for all options of all commands, read from their help.
@Suite struct OptionTableTests {
    /// An option's row in the help.
    private struct Row {
        let command: [String]
        let spellings: [String]
        /// The name of the value: `N`, `[DAY]`; empty for a flag.
        let value: String
        let words: String
    }

    private static let rows: [Row] = HelpTests.commands.flatMap { command -> [Row] in
        let lines = (try? run(command[0], command.dropFirst() + ["--help"]).lines) ?? []
        var rows: [Row] = []
        var index = 0
        while index < lines.count {
            defer { index += 1 }
            let line = lines[index]
            if line == "EXAMPLES" { break }
            guard line.hasPrefix("  -") else { continue }
            // The description follows after at least two spaces, or on the next lines.
            var parts = line.dropFirst(2).split(separator: "  ", maxSplits: 1).map(String.init)
            while index + 1 < lines.count, lines[index + 1].hasPrefix("      ") {
                index += 1
                parts.append(lines[index])
            }
            let words = parts.dropFirst().joined(separator: " ").split(separator: " ").joined(separator: " ")
            let spellings = parts[0].split(separator: ",").map { $0.split(separator: " ") }
            let value = spellings.last?.dropFirst().joined(separator: " ") ?? ""
            rows.append(Row(command: command, spellings: spellings.map { String($0[0]) }, value: value, words: words))
        }
        return rows
    }

    @Test func rowsOfTheOptionTableAreParsed() {
        #expect(Self.rows.count > 800)
        #expect(Self.rows.contains { $0.spellings == ["-j", "--jobs"] && $0.value == "N" })
        #expect(Self.rows.contains { $0.spellings == ["--ttl"] && $0.value == "TIME|DATE" })
    }

    @Test func optionNamesOfACommandAreUnique() {
        for command in HelpTests.commands {
            let names = Self.rows.filter { $0.command == command }.flatMap(\.spellings)
            #expect(Set(names).count == names.count, "\(command): \(names.sorted())")
        }
    }

    @Test func everyOptionIsDescribedByASentence() {
        for row in Self.rows {
            let sentence = row.words.prefix { $0 != "[" }.split(separator: " ").joined(separator: " ")
            #expect(sentence.count > 8 && sentence.last == ".", "\(row.command) \(row.spellings): \(row.words)")
        }
    }

    /// An option has the same meaning in every tool. This test checks that it takes a value in all commands or in none.
    @Test func optionTakesAValueInAllCommandsOrInNone() {
        var forms: [String: Bool] = [:]
        for row in Self.rows {
            for name in row.spellings {
                #expect(forms[name] ?? row.value.isEmpty == row.value.isEmpty, "\(row.command) \(name)")
                forms[name] = row.value.isEmpty
            }
        }
    }

    @Test func everyOptionIsUsedByATest() throws {
        let files = try ToolHome().run(
            "/usr/bin/find",
            ["\(Corpus.packageRoot)/Tests/EndToEndTests", "\(Corpus.packageRoot)/Tests/Cases", "-type", "f"]
        ).expect(0).lines
        var texts = ""
        for file in files { texts += (try? TestFile.text(file)) ?? "" }
        let names = Set(Self.rows.flatMap(\.spellings)).filter { $0.hasPrefix("--") }
        let missing = names.filter { name in
            !["\"", " ", "=", "\n", "]"].contains { texts.contains("\(name)\($0)") }
        }
        #expect(missing.isEmpty, "no test uses \(missing.sorted())")
    }

    @Test(arguments: ["apod-fetch", "img-cache", "img-downsample", "gif-cache"])
    func programsDoNotLinkFoundation(_ tool: String) throws {
        let program = try TestFile.bytes(Tools.path(tool))
        #expect(!Self.contains(program, "FoundationEssentials"))
        let sources = try ToolHome().run(
            "/usr/bin/find", ["\(Corpus.packageRoot)/Sources", "-name", "*.swift"]
        ).expect(0).lines
        #expect(sources.count > 100)
        for source in sources { #expect(try !TestFile.text(source).contains("import Foundation"), "\(source)") }
        let package = try TestFile.text("\(Corpus.packageRoot)/Package.swift")
        #expect(!package.contains(".package("), "the package depends on another package")
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        var rest = bytes[...]
        while let start = rest.firstIndex(of: wanted[0]) {
            if rest[start...].starts(with: wanted) { return true }
            rest = rest[(start + 1)...]
        }
        return false
    }
}
