import Articles
import Records
import Support

/// The files of a gallery besides its pages: scripts that pages load on demand, the feed, and the sitemap.
extension Site {
    /// The script with the days that have pictures, as a bit mask for each month.
    var days: String {
        var months: [(name: String, bits: Int)] = []
        for day in items.compactMap(\.day) {
            let name = Month(day).name
            if months.last?.name != name { months.append((name, 0)) }
            months[months.count - 1].bits |= 1 << (day.day - 1)
        }
        return Self.script("days", .object(months.map { JSON.Member($0.name, .integer($0.bits)) }))
    }

    /// Scripts that list the ids of the items on each page, so that a page can find the page of any id. Each script
    /// contains the ids that end in the same character. If the id of a day's first item is not the day itself, the day
    /// is listed as well.
    var names: [(path: String, text: String)] {
        typealias Part = (page: String, names: [JSON])
        func add(_ name: String, _ page: String, to parts: inout [Part]) {
            if parts.last?.page != page { parts.append((page, [])) }
            parts[parts.count - 1].names.append(.string(name))
        }
        var pages: [Character: [Part]] = [:]
        var last: CalendarDay?
        for (index, item) in items.enumerated() {
            var names = [item.id]
            if let day = item.day, day != last, item.id != "\(day)" { names.append("\(day)") }
            last = item.day
            for name in names {
                guard let end = name.last else { continue }
                add(name, self.pages[pageOfItem[index]].path, to: &pages[end, default: []])
            }
        }
        return pages.map { end, pages in
            let members = pages.map { JSON.Member($0.page, .array($0.names)) }
            return ("data/names-\(end).js", Self.script("names-\(end)", .object(members)))
        }
    }

    /// Returns the data that the results of a search show for a picture: its number, id and title, the number of its
    /// page within the month, the path, width and height of its thumbnail, and 1 if its tile has a play mark. Without
    /// these, the row is shorter.
    func row(_ index: Int) throws -> JSON {
        let item = try content(index)
        var row: [JSON] = [
            .integer(item.number), .string(item.id), .string(item.title),
            .integer(pages[pageOfItem[index]].number),
        ]
        let (file, isPlayable) = (item.tile, item.isPlayable)
        if file != nil || isPlayable {
            row += [.string(file?.path ?? ""), .integer(file?.width ?? 0), .integer(file?.height ?? 0)]
        }
        if isPlayable { row.append(.integer(1)) }
        return .array(row)
    }

    /// Returns whether the data that the results of a search show for a picture is the same in another site.
    func hasSameRow(_ index: Int, as other: Int, in site: Site) -> Bool {
        let (mine, theirs) = (items[index], site.items[other])
        return mine.number == theirs.number && mine.id == theirs.id && mine.stored == theirs.stored
            && pages[pageOfItem[index]].number == site.pages[site.pageOfItem[other]].number
    }

    /// Returns the object in a script that `script` returned, or nil if the script is damaged.
    static func object(ofScript script: [UInt8]) -> Record? {
        guard let comma = script.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        return try? Record(parsing: script[(comma + 1)...].dropLast(");\n".utf8.count))
    }

    /// Returns a script that passes a value to the page. Escapes `<`, which could end the script, and line separators,
    /// which ECMA-262 does not allow in strings before its edition of 2019.
    static func script(_ name: String, _ value: JSON) -> String {
        let json = String(decoding: value.bytes, as: UTF8.self).replacing(text: "<", with: "\\u003C")
            .replacing(text: "\u{2028}", with: "\\u2028").replacing(text: "\u{2029}", with: "\\u2029")
        return "galleryData(\"\(name)\",\(json));\n"
    }

    /// The maximum number of addresses in a sitemap (https://www.sitemaps.org/protocol.html).
    private static let sitemapLength = 50_000

    /// The sitemap, which lists the addresses of all pages for search engines. If there are too many, groups and
    /// the oldest pictures are left out. Nil without a base address.
    var sitemap: String? {
        guard let base = settings.baseURL else { return nil }
        let paths = ["", Self.months] + pages.dropFirst().map(\.path) + items.map(\.page) + groupPaths
        let addresses = paths.prefix(Self.sitemapLength).map { base + $0 }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- Written by img-downsample gallery. -->
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">

            """ + addresses.map { "<url><loc>\(Markup.text($0))</loc></url>\n" }.joined() + "</urlset>\n"
    }

    /// The number of pictures in the feed.
    private static let feedLength = 30

    func feed() throws -> String {
        let shown = items.prefix(Self.feedLength)
        let newest = shown.compactMap(\.day).first
        let base = settings.baseURL
        let feed = AtomFeed(
            id: base.map { $0 + "feed.atom" } ?? "urn:uuid:\(Self.uuid(settings.title))", title: settings.title,
            address: base.map { $0 + "feed.atom" }, site: base, author: (settings.title, nil),
            generator: "img-downsample", updated: Self.noon(newest))
        let entries = try shown.map { try entry($0.content(), base).markup + "\n" }
        return feed.head + entries.joined() + AtomFeed.foot
    }

    private func entry(_ item: ItemContent, _ base: String?) -> AtomFeed.Entry {
        let caption = item.caption
        let words = Markup.text(caption?.alt ?? "")
        var picture: String?
        if let base, let file = item.poster {
            let address = Markup.text(base + file.path)
            picture = "<img src=\"\(address)\" width=\"\(file.width)\" height=\"\(file.height)\" alt=\"\(words)\">"
        }
        let content =
            caption.map { AtomFeed.content($0, figure: picture) } ?? Markup.paragraph(LinkedText(reason(item)))
        var entry = AtomFeed.Entry(
            id: "urn:uuid:\(Self.uuid(item.key))", title: item.title, published: Self.noon(item.day),
            content: content)
        entry.author = caption?.author
        entry.holder = caption?.holder
        entry.page = base.map { $0 + item.page } ?? caption?.page
        entry.media = caption?.media
        entry.thumbnail = item.tile.flatMap { file in base.map { $0 + file.path } }
        return entry
    }

    /// Returns noon of a day in UTC, or of 1970-01-01 if the day is nil.
    private static func noon(_ day: CalendarDay?) -> String { "\(day.map { "\($0)" } ?? "1970-01-01")T12:00:00Z" }

    /// Returns a stable UUID for a text (RFC 9562, version 8).
    private static func uuid(_ text: String) -> String {
        var digits = Array(SHA256.hex(of: text).utf8.prefix(32))
        digits[12] = UInt8(ascii: "8")
        digits[16] = UInt8(ascii: "a")
        let text = String(decoding: digits, as: UTF8.self)
        var rest = text[...]
        return [8, 4, 4, 4, 12].map { count in
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }.joined(separator: "-")
    }
}
