import Articles
import Records
import Support

/// The data files of the search, which a page loads on demand.
///
/// * `data/search.js`: the days of all numbers, and the texts of the latest pictures
/// * `data/words-0.js` to `data/words-63.js`: the numbers of the pictures that contain a word
/// * `data/rows-0.js`, …: the title and the thumbnail of 64 numbers
///
/// A picture keeps its number (`Place.number`) while others are added or removed. To add a picture, not every file of
/// words may be rewritten, so they lag behind: file `k` lists the numbers below the latest number that equals `k`
/// modulo 64, and the search reads the texts of later pictures, at most 63. Each addition changes `search.js`, one
/// file of rows, and one file of words.
struct SearchIndex: Sendable {
    static let shardCount = 64
    private static let rowsPerFile = 64

    private var rows: [Int: [JSON]] = [:]
    private var days: [JSON] = []
    private var recent: [JSON.Member] = []
    private var shards: [[String: Postings]] = []
    /// The keys of words that are not ASCII. Scripts find the words that equal a search without accents by these.
    private var foreignKeys: Set<String> = []

    init(_ site: Site) {
        let order = site.places.indices.sorted { site.places[$0].number < site.places[$1].number }
        let next = (order.last.map { site.places[$0].number } ?? 0) + 1
        let isSharded = next > Self.shardCount
        let bounds = (0..<Self.shardCount).map { next - (next - $0) % Self.shardCount }
        if isSharded { shards = Array(repeating: [:], count: Self.shardCount) }
        var days = Runs()
        for index in order {
            let (place, number) = (site.places[index], site.places[index].number)
            days.add(number, place.day?.daysSince1970 ?? Self.undated)
            rows[number / Self.rowsPerFile, default: []].append(site.row(index))
            let text = site.searchedText(of: place)
            if !isSharded || number > next - Self.shardCount {
                recent.append(JSON.Member("\(number)", .string(text)))
            }
            if isSharded {
                SearchWords.forEach(in: text) { word in add(word, number, bounds) }
            }
        }
        self.days = days.values
    }

    /// Sorts pictures without a date behind all others.
    private static let undated = -10_000_000

    private mutating func add(_ word: String, _ number: Int, _ bounds: [Int]) {
        add(key: SearchWords.key(of: word), word, number, bounds)
        // Searches of a single letter read a word of this letter, not the files of all words that begin with it.
        let letter = Substring(word.unicodeScalars.prefix(1))
        if letter != word { add(key: letter, String(letter), number, bounds) }
    }

    private mutating func add(key: Substring, _ word: String, _ number: Int, _ bounds: [Int]) {
        let shard = SearchWords.shard(of: key)
        guard number < bounds[shard] else { return }
        if shards[shard][word, default: Postings()].add(number), !key.utf8.allSatisfy({ $0 < 0x80 }) {
            foreignKeys.insert(String(key))
        }
    }

    /// The paths and the contents of the files.
    var files: [(path: String, text: String)] {
        let search = JSON.object([
            "shards": .integer(shards.count), "days": .array(days),
            "keys": .array(foreignKeys.sorted().map { .string($0) }), "recent": .object(recent),
        ])
        let rows = rows.map { number, rows in ("rows-\(number)", JSON.array(rows)) }
        let words = shards.enumerated().map { number, words in
            let members = words.map { JSON.Member($0.key, .string($0.value.text)) }.sorted { $0.name < $1.name }
            return ("words-\(number)", JSON.object(members))
        }
        return ([("search", search)] + rows + words).map { ("data/\($0.0).js", Site.script($0.0, $0.1)) }
    }
}

/// A list of ascending numbers as printable text: the gaps between them, in base 45 from the lowest digit. Digits with
/// 45 added are followed by another digit.
private struct Postings {
    private var last = 0
    private var bytes: [UInt8] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds a number, unless it is the last. Returns whether it is the first.
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

    /// Returns the character of a digit: `#` to `~`, without `<` and `\`, which scripts and JSON escape.
    private static func character(_ digit: Int) -> UInt8 {
        var code = UInt8(digit) + UInt8(ascii: "#")
        if code >= UInt8(ascii: "<") { code += 1 }
        if code >= UInt8(ascii: "\\") { code += 1 }
        return code
    }
}

/// Numbers and their days as runs of equal steps: step of the number, step of the day, length.
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

/// The words of a text. Scripts remove accents; here, words keep them, since Swift's library has no decomposition.
enum SearchWords {
    /// Calls `body` with each word of a text, in lower case: letters, digits and marks.
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

    /// Returns the part of a word that selects its file: the first two characters, or the first if it is not ASCII.
    static func key(of word: String) -> Substring {
        let scalars = word.unicodeScalars
        return Substring(scalars.prefix(scalars.first?.isASCII == true ? 2 : 1))
    }

    /// Returns the number of a key's file.
    static func shard(of key: Substring) -> Int {
        key.utf16.reduce(0) { ($0 * 31 + Int($1)) % SearchIndex.shardCount }
    }
}
