import Support
import TestSupport
import Testing

/// `scripts/mutate` needs hours. These tests check only that each patch applies and that the tests it names exist.
struct MutantTests {
    private static let folder = "\(Corpus.packageRoot)/Tests/Mutants"
    private static let names = TemporaryFolder.names(in: folder).filter { $0.hasSuffix(".patch") }

    @Test func everyMutantApplies() throws {
        guard TestFile.exists("/usr/bin/git") else { return }
        let home = try ToolHome()
        for name in Self.names {
            let check = try home.shell(
                "cd '\(Corpus.packageRoot)' && git -c safe.directory='*' apply --check 'Tests/Mutants/\(name)'")
            #expect(check.status == 0, "\(name): \(check.stderr)")
        }
    }

    /// `swift test --filter` takes a regular expression, so a mutant may name a test by a prefix.
    @Test func everyMutantNamesATest() throws {
        var declarations: [String: [Substring]] = [:]
        func declared(in target: String) throws -> [Substring] {
            if let known = declarations[target] { return known }
            let pattern = "(struct|class|enum|extension|func) [A-Za-z0-9_]+"
            let found = try run("/bin/grep", ["-rhoE", pattern, "\(Corpus.packageRoot)/Tests/\(target)"]).expect(0)
            let words = found.lines.compactMap { $0.split(separator: " ").last }
            declarations[target] = words
            return words
        }
        for name in Self.names {
            let text = try TestFile.text("\(Self.folder)/\(name)")
            let line = try #require(text.split(separator: "\n").first, "\(name)")
            // The line consists of the word `test`, the target, the suite and the tests.
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.dropFirst()
            let target = try String(#require(words.first, "\(name)"))
            for word in words.dropFirst() {
                let isDeclared = try declared(in: target).contains { $0.hasPrefix(word) }
                #expect(isDeclared, "\(name): \(target) declares no test or suite named \(word)")
            }
        }
    }
}
