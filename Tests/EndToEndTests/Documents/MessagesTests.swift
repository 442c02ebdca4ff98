import Support
import TestSupport
import Testing

/// The tests repeat the words of every failure, so that a change of a message is deliberate.
@Suite struct MessagesTests {
    private static let root = Corpus.packageRoot

    @Test func testsContainTheWordsOfEveryFailure() throws {
        let cases = Self.files(below: "\(Self.root)/Tests/Cases")
        let swift = Self.files(below: "\(Self.root)/Tests").filter { $0.hasSuffix(".swift") }
        let tests = Self.joined(try (cases + swift).map { try TestFile.text($0) }.joined(separator: "\n"))
        for file in Self.files(below: "\(Self.root)/Sources") where file.hasSuffix(".swift") {
            let text = try TestFile.text(file)
            guard text.contains(text: "var message: String") else { continue }
            for phrase in Self.phrases(in: text) {
                let isTested = tests.contains(text: phrase)
                #expect(isTested, "\(file): no test contains the words \"\(phrase)\"")
            }
        }
    }

    @Test func phrasesAreTheFixedWordsOfLiterals() {
        let line = #"case .a(let x): "the file \(x) is not there; try" + " it again or use \"one two three four\"""#
        #expect(Self.phrases(in: line) == ["is not there", "it again or use", "one two three four"])
        #expect(Self.phrases(in: "/// \"not a literal at all\"") == [])
        #expect(Self.joined("\"a b\"\n    + \" c\" \"d \\\n    e\"") == "\"a b c\" \"d e\"")
    }

    /// All files, in no particular order.
    private static func files(below folder: String) -> [String] {
        TemporaryFolder.names(in: folder).flatMap { name -> [String] in
            let path = "\(folder)/\(name)"
            let inner = files(below: path)
            return inner.isEmpty ? [path] : inner
        }
    }

    /// Joins literals that are added, and lines of a literal that end in a backslash.
    private static func joined(_ text: String) -> String {
        var result: [UInt8] = []
        let bytes = Array(text.utf8)
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A }
        /// Returns the first place from `place` that is not white space.
        func behindBlanks(_ place: Int) -> Int { bytes[place...].firstIndex { !isBlank($0) } ?? bytes.count }
        var place = 0
        while place < bytes.count {
            defer { place += 1 }
            guard bytes[place] == 0x5C || bytes[place] == 0x22 else {
                result.append(bytes[place])
                continue
            }
            let next = behindBlanks(place + 1)
            if bytes[place...].starts(with: [0x5C, 0x0A]) {
                place = next - 1
            } else if bytes[place] == 0x22, next < bytes.count, bytes[next] == 0x2B,
                case let quote = behindBlanks(next + 1), quote < bytes.count, bytes[quote] == 0x22
            {
                place = quote
            } else {
                result.append(bytes[place])
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the parts of a file's literals that have at least three words, without interpolations.
    private static func phrases(in text: String) -> [String] {
        text.split(separator: "\n").flatMap { line -> [String] in
            let line = String(line.drop { $0 == " " })
            if line.hasPrefix("//") { return [] }
            let literals = line.replacing(text: "\\\"", with: ":").split(
                separator: "\"", omittingEmptySubsequences: false)
            return literals.enumerated().filter { $0.offset % 2 == 1 }.flatMap { _, literal in
                literal.split { "\\():;{}".contains($0) }.filter { part in
                    part.split(separator: " ").count { $0.first?.isLetter == true } >= 3
                }.map { $0.split(separator: " ").joined(separator: " ") }
            }
        }
    }
}
