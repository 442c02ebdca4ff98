import Articles
import Records
import Support

/// The data files of the search. A page loads them on demand.
///
/// * `data/search.js`: the day of each picture, by number, and the texts of the latest pictures
/// * `data/words-0.js` to `data/words-63.js`: for each word, the numbers of the pictures that contain it; a hash of the
///   word's first characters selects the file
/// * `data/rows-0.js`, …: the titles and the thumbnails of the pictures with 64 successive numbers
///
/// The number of a picture (`GalleryItem.number`) does not change if other pictures are added or removed. Adding a
/// picture must not rewrite all files of words, so each picture updates only one of them. File `k` covers the
/// numbers below a bound: the greatest number that equals `k` modulo 64 and is at most the next free number. For the
/// pictures beyond the bound, at most 63, the search reads the texts in `search.js`. Adding a picture changes
/// `search.js`, one file of rows, and one file of words, which gains the words of the pictures since its last update.
struct SearchIndex {
    static let shardCount = 64
    private static let rowsPerFile = 64

    private let site: Site
    /// The indices in `site` of the pictures of each changed file of rows.
    private var rows: [Int: [Int]]
    private var days: [JSON] = []
    private var recent: [JSON.Member] = []
    /// The words of each file, or nil if the file is unchanged.
    private var shards: [[String: Postings]?] = []
    /// The keys of words that are not ASCII. The script needs these keys to find words with accents if the search text
    /// has no accents.
    private var foreignKeys: Set<String> = []
    /// The paths of the files that are the same as before.
    let unchanged: [String]

    /// - Parameters:
    ///   - before: the site whose files the folder contains, or nil to create all files. Unchanged files are not
    ///     created.
    ///   - object: returns the object in an earlier file, or nil if the file is damaged.
    init(_ site: Site, since before: Site? = nil, object: (String) throws -> Record? = { _ in nil }) throws {
        self.site = site
        let order = Self.order(site)
        rows = Self.rows(site, order)
        let next = (order.last.map { site.items[$0].number } ?? 0) + 1
        let bounds = Self.bounds(next)
        // The least number whose words are added to each file.
        var starts = bounds.map { _ in 0 }
        let isSharded = next > Self.shardCount
        if isSharded { shards = bounds.map { _ in [:] } }
        var unchanged: [String] = []
        if let before {
            let oldOrder = Self.order(before)
            let old = Self.rows(before, oldOrder)
            for (number, indices) in rows {
                guard let others = old[number], others.count == indices.count,
                    zip(indices, others).allSatisfy({ site.hasSameRow($0, as: $1, in: before) })
                else { continue }
                rows[number] = nil
                unchanged.append(Self.path("rows-\(number)"))
            }
            if let old = try Self.bounds(of: before, oldOrder, ifKeptBy: site, order),
                let search = try object(Self.path("search"))
            {
                foreignKeys = Set(search.strings("keys"))
                for (shard, path) in Self.wordFiles.enumerated() {
                    if bounds[shard] == old[shard] {
                        (shards[shard], starts[shard]) = (nil, bounds[shard])
                        unchanged.append(path)
                    } else if let words = try object(path).flatMap({ Postings.all($0, below: old[shard]) }) {
                        (shards[shard], starts[shard]) = (words, old[shard])
                    }
                }
            }
        }
        self.unchanged = unchanged
        let firstRecent = isSharded ? next - Self.shardCount + 1 : 0
        let first = min(starts.min() ?? 0, firstRecent)
        var days = Runs()
        for index in order {
            let item = site.items[index]
            days.add(item.number, item.day?.daysSince1970 ?? Self.undated)
            guard item.number >= first else { continue }
            let text = try item.content().searchedText
            if item.number >= firstRecent { recent.append(JSON.Member("\(item.number)", .string(text))) }
            guard isSharded else { continue }
            SearchWords.forEach(in: text) { word in
                add(word, item.number) { (starts[$0]..<bounds[$0]).contains(item.number) }
            }
        }
        self.days = days.values
    }

    /// Returns the indices of the items by their numbers.
    private static func order(_ site: Site) -> [Int] {
        site.items.indices.sorted { site.items[$0].number < site.items[$1].number }
    }

    private static func rows(_ site: Site, _ order: [Int]) -> [Int: [Int]] {
        Dictionary(grouping: order) { site.items[$0].number / rowsPerFile }
    }

    /// Returns the bound of each file of words: the file contains the numbers below it.
    private static func bounds(_ next: Int) -> [Int] { (0..<shardCount).map { next - (next - $0) % shardCount } }

    /// Returns the bounds of an earlier site, or nil if it has no files of words, or if the later site has other texts
    /// below these bounds.
    ///
    /// - Parameters:
    ///   - old: the indices of the earlier site's items by their numbers.
    ///   - order: the indices of the later site's items by their numbers.
    private static func bounds(
        of before: Site, _ old: [Int], ifKeptBy site: Site, _ order: [Int]
    ) throws -> [Int]? {
        guard let last = old.last.map({ before.items[$0].number }), last >= shardCount, order.count >= old.count
        else { return nil }
        let isKept = try zip(old, order).allSatisfy { old, index in
            let (old, new) = (before.items[old], site.items[index])
            return try new.number == old.number
                && (new.stored == old.stored || new.content().searchedText == old.content().searchedText)
        }
        guard isKept, order.dropFirst(old.count).allSatisfy({ site.items[$0].number > last }) else { return nil }
        return bounds(last + 1)
    }

    /// The day of pictures without a date. It sorts them after all other pictures.
    private static let undated = -10_000_000

    /// Adds the number of a picture to a word in the files that `isMissing` accepts.
    private mutating func add(_ word: String, _ number: Int, _ isMissing: (_ shard: Int) -> Bool) {
        // Add the first letter as a word, so that a search for a single letter does not read the files of all words
        // that begin with it.
        let letter = Substring(word.unicodeScalars.prefix(1))
        for (key, word) in [(SearchWords.key(of: word), word)] + (letter == word ? [] : [(letter, String(letter))]) {
            let shard = SearchWords.shard(of: key)
            guard isMissing(shard) else { continue }
            let isFirst = shards[shard]?[word, default: Postings()].add(number) ?? false
            if isFirst, !key.utf8.allSatisfy({ $0 < 0x80 }) { foreignKeys.insert(String(key)) }
        }
    }

    private static var wordFiles: [String] { (0..<shardCount).map { path("words-\($0)") } }

    /// Returns the paths of the files of rows and words.
    static func paths(_ site: Site) -> [String] {
        let order = order(site)
        let isSharded = order.last.map { site.items[$0].number >= shardCount } ?? false
        return rows(site, order).keys.map { path("rows-\($0)") } + (isSharded ? wordFiles : [])
    }

    private static func path(_ name: String) -> String { "data/\(name).js" }

    /// Passes the paths and contents of the files to `body`, except for unchanged files.
    func forEachFile(_ body: (_ path: String, _ text: String) throws -> Void) throws {
        func add(_ name: String, _ value: JSON) throws { try body(Self.path(name), Site.script(name, value)) }
        try add(
            "search",
            .object([
                "shards": .integer(shards.count), "days": .array(days),
                "keys": .array(foreignKeys.sorted().map { .string($0) }), "recent": .object(recent),
            ]))
        for (number, rows) in rows { try add("rows-\(number)", .array(rows.map(site.row))) }
        for (number, words) in shards.enumerated() {
            guard let words else { continue }
            let members = words.map { JSON.Member($0.key, .string($0.value.text)) }.sorted { $0.name < $1.name }
            try add("words-\(number)", .object(members))
        }
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
