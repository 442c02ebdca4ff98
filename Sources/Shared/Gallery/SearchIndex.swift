import Articles
import Records
import Support

/// The data files of the search. A page loads them on demand.
///
/// * `data/search.js`: the day of each picture, by number, and the texts of the latest pictures
/// * `data/words-0.js` to `data/words-63.js`: the numbers of the pictures that contain a word
/// * `data/rows-0.js`, …: the titles and the thumbnails of the pictures with 64 successive numbers
///
/// The number of a picture (`GalleryItem.number`) does not change if other pictures are added or removed. Adding a
/// picture must not rewrite all files of words, so each file is updated only with every 64th picture: file `k` contains
/// the numbers below the latest number that equals `k` modulo 64. For later pictures, at most 63, the search reads the
/// texts in `search.js`. Each addition changes `search.js`, one file of rows, and one file of words.
struct SearchIndex: Sendable {
    static let shardCount = 64
    private static let rowsPerFile = 64

    private var rows: [Int: [JSON]] = [:]
    private var days: [JSON] = []
    private var recent: [JSON.Member] = []
    /// The words of each file, or nil if the file is unchanged.
    private var shards: [[String: Postings]?] = []
    /// The keys of words that are not ASCII. The script needs these keys to find words with accents if the search text
    /// has no accents.
    private var foreignKeys: Set<String> = []

    /// - Parameter before: the site whose files the folder contains, or nil to create all files. Unchanged files of
    ///   words are not created.
    init(_ site: Site, since before: Site? = nil) {
        let order = site.items.indices.sorted { site.items[$0].number < site.items[$1].number }
        let next = (order.last.map { site.items[$0].number } ?? 0) + 1
        let isSharded = next > Self.shardCount
        let bounds = Self.bounds(next)
        if isSharded {
            let old = before.flatMap { Self.bounds(of: $0, ifKeptBy: site, order) }
            shards = bounds.indices.map { bounds[$0] == old?[$0] ? nil : [:] }
        }
        var days = Runs()
        for index in order {
            let (item, number) = (site.items[index], site.items[index].number)
            days.add(number, item.day?.daysSince1970 ?? Self.undated)
            rows[number / Self.rowsPerFile, default: []].append(site.row(index))
            let text = site.searchedText(of: item)
            if !isSharded || number > next - Self.shardCount {
                recent.append(JSON.Member("\(number)", .string(text)))
            }
            if isSharded {
                SearchWords.forEach(in: text) { word in add(word, number, bounds) }
            }
        }
        self.days = days.values
    }

    /// Returns the bound of each file of words: the file contains the numbers below it.
    private static func bounds(_ next: Int) -> [Int] { (0..<shardCount).map { next - (next - $0) % shardCount } }

    /// Returns the bounds of an earlier site, or nil if it has no files of words, or if the later site has other texts
    /// below these bounds.
    ///
    /// - Parameter order: the indices of the later site's items by their numbers.
    private static func bounds(of before: Site, ifKeptBy site: Site, _ order: [Int]) -> [Int]? {
        let old = before.items.sorted { $0.number < $1.number }
        guard let last = old.last?.number, last >= shardCount, order.count >= old.count else { return nil }
        let isKept = zip(old, order).allSatisfy { item, index in
            let new = site.items[index]
            return new.number == item.number
                && (new.record == item.record || site.searchedText(of: new) == before.searchedText(of: item))
        }
        guard isKept, order.dropFirst(old.count).allSatisfy({ site.items[$0].number > last }) else { return nil }
        return bounds(last + 1)
    }

    /// The day of pictures without a date. It sorts them after all other pictures.
    private static let undated = -10_000_000

    private mutating func add(_ word: String, _ number: Int, _ bounds: [Int]) {
        add(key: SearchWords.key(of: word), word, number, bounds)
        // Add the first letter as a word, so that a search for a single letter does not read the files of all words
        // that begin with it.
        let letter = Substring(word.unicodeScalars.prefix(1))
        if letter != word { add(key: letter, String(letter), number, bounds) }
    }

    private mutating func add(key: Substring, _ word: String, _ number: Int, _ bounds: [Int]) {
        let shard = SearchWords.shard(of: key)
        guard number < bounds[shard] else { return }
        let isFirst = shards[shard]?[word, default: Postings()].add(number) ?? true
        if isFirst, !key.utf8.allSatisfy({ $0 < 0x80 }) {
            foreignKeys.insert(String(key))
        }
    }

    static var wordFiles: [String] { (0..<shardCount).map { "data/words-\($0).js" } }

    /// The paths of the files that are the same as before.
    var unchanged: [String] { zip(Self.wordFiles, shards).filter { $1 == nil }.map(\.0) }

    /// The paths and contents of the files, except for unchanged files.
    var files: [(path: String, text: String)] {
        let search = JSON.object([
            "shards": .integer(shards.count), "days": .array(days),
            "keys": .array(foreignKeys.sorted().map { .string($0) }), "recent": .object(recent),
        ])
        let rows = rows.map { number, rows in ("rows-\(number)", JSON.array(rows)) }
        let words = shards.enumerated().compactMap { number, words -> (String, JSON)? in
            guard let words else { return nil }
            let members = words.map { JSON.Member($0.key, .string($0.value.text)) }.sorted { $0.name < $1.name }
            return ("words-\(number)", JSON.object(members))
        }
        return ([("search", search)] + rows + words).map { ("data/\($0.0).js", Site.script($0.0, $0.1)) }
    }
}

/// A list of ascending numbers as printable text. The text contains the gaps between the numbers in base 45, with the
/// lowest digit first. 45 is added to each digit that is followed by another digit of the same number.
private struct Postings {
    private var last = 0
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds a number, unless it equals the last number. Returns whether the number is the first of the list.
    mutating func add(_ number: Int) -> Bool {
        guard number != last else { return false }
        let isFirst = bytes.isEmpty
        var gap = number - last - 1
        while gap >= 45 {
            bytes.append(Self.character(45 + gap % 45))
            gap /= 45
        }
        bytes.append(Self.character(gap))
        last = number
        return isFirst
    }

    /// Returns the character of a digit. The characters are `#` to `~`, except for `<` and `\`, which would be escaped
    /// in scripts and JSON.
    private static func character(_ digit: Int) -> UInt8 {
        var code = UInt8(digit) + UInt8(ascii: "#")
        if code >= UInt8(ascii: "<") { code += 1 }
        if code >= UInt8(ascii: "\\") { code += 1 }
        return code
    }
}

/// Encodes numbers and their days as runs in which both increase by constant steps. A run consists of the step of the
/// number, the step of the day, and the length.
private struct Runs {
    private var runs: [(step: Int, days: Int, count: Int)] = []
    private var last = (number: 0, day: 0)

    mutating func add(_ number: Int, _ day: Int) {
        let (step, days) = (number - last.number, day - last.day)
        last = (number, day)
        if let run = runs.last, run.step == step, run.days == days {
            runs[runs.count - 1].count += 1
        } else {
            runs.append((step, days, 1))
        }
    }

    var values: [JSON] { runs.flatMap { [.integer($0.step), .integer($0.days), .integer($0.count)] } }
}

/// Divides texts into words. The words keep their accents, because Swift's standard library cannot decompose
/// characters. The search script removes the accents.
enum SearchWords {
    /// Calls `body` with each word of a text, in lower case. A word consists of letters, digits and marks.
    static func forEach(in text: String, _ body: (String) -> Void) {
        var word: [UInt8] = []
        var isASCII = true
        func end() {
            guard !word.isEmpty else { return }
            let text = String(decoding: word, as: UTF8.self)
            body(isASCII ? text : text.lowercased())
            word.removeAll(keepingCapacity: true)
            isASCII = true
        }
        for scalar in text.unicodeScalars {
            if scalar.isASCII {
                let byte = UInt8(truncatingIfNeeded: scalar.value)
                guard byte.isASCIIAlphanumeric else {
                    end()
                    continue
                }
                word.append((0x41...0x5A).contains(byte) ? byte | 0x20 : byte)
            } else if isPartOfWord(scalar) {
                isASCII = false
                word += Array(String(scalar).utf8)
            } else {
                end()
            }
        }
        end()
    }

    private static func isPartOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            true
        default: false
        }
    }

    /// Returns the part of a word that determines its file: the first two characters, or only the first if it is not
    /// ASCII.
    static func key(of word: String) -> Substring {
        let scalars = word.unicodeScalars
        return Substring(scalars.prefix(scalars.first?.isASCII == true ? 2 : 1))
    }

    /// Returns the number of the file that contains the words with a key.
    static func shard(of key: Substring) -> Int {
        key.utf16.reduce(0) { ($0 * 31 + Int($1)) % SearchIndex.shardCount }
    }
}
