import Records
import Support
import Testing

@testable import Gallery

/// Searches the files of a search index as the script of the gallery does, but does not remove accents.
private struct SearchReader {
    private let files: [String: Record]
    private let rows: [String: String]

    init(_ files: [String: String]) throws {
        let values = files.map { path, text in
            let start = text.utf8.firstIndex(of: UInt8(ascii: ","))!
            let value = text.utf8[text.utf8.index(after: start)...].dropLast(3)
            return (path, Array(value))
        }
        self.files = try Dictionary(
            uniqueKeysWithValues: values.filter { $0.1.first == UInt8(ascii: "{") }.map {
                ($0, try Record(parsing: $1))
            })
        rows = Dictionary(
            uniqueKeysWithValues: values.filter { $0.1.first == UInt8(ascii: "[") }
                .map { ($0, String(decoding: $1, as: UTF8.self)) })
    }

    func numbers(of letters: String) throws -> Set<Int> {
        let search = try #require(files["data/search.js"])
        var found: Set<Int> = []
        let recent = try Record(parsing: #require(search.raw("recent")))
        for name in recent.names {
            let text = recent.string(FieldPath(stringLiteral: name)) ?? ""
            SearchWords.forEach(in: text) { if $0.hasPrefix(letters) { found.insert(Int(name)!) } }
        }
        let shards = try #require(search.integer("shards"))
        guard shards > 0 else { return found }
        let key = letters.prefix(2)
        let keys = Set(
            [key] + search.strings("keys").map { $0[...] }.filter { letters.hasPrefix($0) || $0.hasPrefix(key) })
        for shard in Set(keys.map(SearchWords.shard)) {
            let words = try #require(files["data/words-\(shard).js"])
            for word in words.names where word.hasPrefix(letters) {
                Self.add(words.string(FieldPath(stringLiteral: word)) ?? "", to: &found)
            }
        }
        return found
    }

    private static func add(_ list: String, to found: inout Set<Int>) {
        var (number, gap, scale) = (0, 0, 1)
        for code in list.utf8 {
            let digit = Int(code) - 35 - (code > 60 ? 1 : 0) - (code > 92 ? 1 : 0)
            gap += digit % 45 * scale
            scale *= 45
            if digit < 45 {
                number += gap + 1
                found.insert(number)
                (gap, scale) = (0, 1)
            }
        }
    }
}

@Suite struct SearchIndexTests {
    /// A gallery that grows when a test adds pictures.
    private struct Growing {
        var items = GalleryItems()
        let settings = GallerySettings(title: "Sky", theme: .auto, pageSize: 100)

        mutating func add(_ day: CalendarDay, _ title: String) throws {
            let name = "\(day) \(title)"
            let words = try record(#"{"title":"\#(title)","date":"\#(day)"}"#)
            items.add(try GalleryItem(key: String(SHA256.hex(of: name).prefix(32)), record: words, day: day))
        }

        var site: Site { Site(items, settings) }

        var files: [String: String] { get throws { try SearchIndex(site).files } }
    }

    private static let first = CalendarDay("2020-01-01")!

    /// Returns a title with a word that only this picture has, and a word that every seventh picture has.
    private func title(_ number: Int) -> String { "w\(number)x sky\(number % 7)" }

    @Test func everyWordIsFoundWhileTheGalleryGrows() throws {
        var gallery = Growing()
        for number in 1...130 {
            try gallery.add(Self.first.advanced(by: number), title(number))
            guard [1, 2, 63, 64, 65, 66, 127, 128, 129].contains(number) else { continue }
            let reader = try SearchReader(gallery.files)
            for other in 1...number { #expect(try reader.numbers(of: "w\(other)x") == [other]) }
            #expect(try reader.numbers(of: "sky3") == Set((1...number).filter { $0 % 7 == 3 }))
            #expect(try reader.numbers(of: "s") == Set(1...number))
            #expect(try reader.numbers(of: "absent").isEmpty)
        }
    }

    @Test func newPictureChangesAtMostThreeFiles() throws {
        var gallery = Growing()
        for number in 1...100 { try gallery.add(Self.first.advanced(by: 2 * number), title(number)) }
        var (before, siteBefore) = (try gallery.files, gallery.site)
        // Alternately adds a newest day and a day in the middle.
        for number in 101...164 {
            let day = number % 2 == 0 ? 2 * number : 2 * (number - 60) + 1
            try gallery.add(Self.first.advanced(by: day), title(number))
            let after = try gallery.files
            let index = try SearchIndex(gallery.site, since: siteBefore) { path in
                Site.object(ofScript: Array(before[path, default: ""].utf8))
            }
            siteBefore = gallery.site
            let written = try index.files
            #expect(written.count <= 3 && index.unchanged.count + written.count == after.count)
            let kept = index.unchanged.map { ($0, before[$0] ?? "") }
            #expect(written.merging(kept) { $1 } == after)
            #expect(after.filter { before[$0.key] != $0.value }.count <= 3 && after.count >= before.count)
            before = after
        }
    }

    @Test func damagedFilesOfTheSearchAreMadeAgain() throws {
        var gallery = Growing()
        // The last picture changes the file of the words that begin with "sk".
        let shard = SearchWords.shard(of: "sk")
        let last = 3 * SearchIndex.shardCount + shard - 1
        for number in 1..<last { try gallery.add(Self.first.advanced(by: number), title(number)) }
        let (before, siteBefore) = (try gallery.files, gallery.site)
        try gallery.add(Self.first.advanced(by: last), title(last))
        let after = try gallery.files
        let changed = "data/words-\(shard).js"
        #expect(before[changed] != after[changed])
        for (path, text) in [
            (changed, ""), (changed, "galleryData(\"words-1\",{\"w1x\":\"~~~~~~~~~~~~~~#\"});\n"),
            (changed, "galleryData(\"words-1\",{\"w1x\":\"<\"});\n"),
            (changed, "galleryData(\"words-1\",{\"w1x\":1});\n"), ("data/search.js", "galleryData(\"search\",{"),
        ] {
            var damaged = before
            damaged[path] = text
            let index = try SearchIndex(gallery.site, since: siteBefore) { path in
                Site.object(ofScript: Array(damaged[path, default: ""].utf8))
            }
            #expect(try index.files.allSatisfy { after[$0] == $1 }, "\(text)")
            #expect(try index.files[changed] != nil)
        }
    }

    @Test func removingAPictureDoesNotChangeTheNumbersOfOthers() throws {
        var gallery = Growing()
        for number in 1...100 { try gallery.add(Self.first.advanced(by: number), title(number)) }
        let removed = gallery.items.items[40].key
        gallery.items.keep { $0.key != removed }
        let reader = try SearchReader(gallery.files)
        #expect(try reader.numbers(of: "w41x").isEmpty && reader.numbers(of: "w42x") == [42])
        try gallery.add(Self.first, "later")
        #expect(gallery.items.items.last?.number == 101)
    }

    @Test func numbersOfPlacesAreUnique() throws {
        var collection = GalleryItems()
        for (name, number) in [("a", 7), ("b", 0), ("c", 7), ("d", 3)] {
            var new = try item("2024-02-03", name)
            new.number = number
            collection.add(new)
        }
        #expect(collection.items.map(\.number) == [7, 8, 9, 3])
        let line = #"{"gallery":{"key":"0123456789abcdef0123456789abcdef","id":"","number":99999999999}}"#
        #expect(try items(written: [line]).map(\.number) == [1])
    }

    @Test func keysOfNonASCIIWordsAreListed() throws {
        var gallery = Growing()
        for number in 1...70 { try gallery.add(Self.first.advanced(by: number), "Éclipse Zürich Fête 空") }
        let search = try #require(try gallery.files["data/search.js"])
        #expect(search.contains(text: #""keys":["fê","zü","é","空"]"#))
        #expect(try SearchReader(gallery.files).numbers(of: "éclipse").count == 70)
    }

    @Test func wordsAreLettersDigitsAndMarks() {
        var words: [String] = []
        SearchWords.forEach(in: "The M31’s e\u{301}toile, ÉCLIPSE (2024-02-03)… 5½ 空の") { words.append($0) }
        #expect(words == ["the", "m31", "s", "e\u{301}toile", "éclipse", "2024", "02", "03", "5½", "空の"])
    }

    @Test func onlyFilesOfAGalleryAreRecognised() {
        for path in [
            "pages/2024-02.html", "pages/2024-02.13.html", "pages/undated.html", "data/search-1.js", "data/words-63.js",
            "data/names-f.js", "data/days.js",
        ] { #expect(GalleryFolder.isWritten(path), "\(path)") }
        for path in ["pages/about.html", "pages/2024-13.html", "data/own.js", "data/search-1.js.map", "data/x-1.js"] {
            #expect(!GalleryFolder.isWritten(path), "\(path)")
        }
    }
}
