import Articles
import Records
import Support

/// Renders the page of each picture. These pages need no script.
extension Site {
    private static let picture = PageTemplate(PackageResources.picture_html)
    /// The version of all pages and search files. Increase it whenever their form changes, so that the next run writes
    /// all of them.
    private static let layout = 6
    /// The maximum number of characters in the description of a link preview. Most sites show fewer characters.
    private static let descriptionLength = 200

    func markup(ofPicture index: Int) throws -> String {
        let item = try content(index)
        let page = Page(path: item.page, heading: item.title, items: index..<index + 1)
        var markup = texts(of: item, on: page)
        markup["head"] = head(of: item, index)
        markup["style"] = style(page.root)
        markup["groups"] = linkToGroups(from: page)
        markup["figure"] = figure(of: item)
        markup["steps"] = steps(around: index) { page.root + items[$0].page }
        return Self.picture.filled(
            text: [
                "theme": settings.theme.rawValue, "title": page.heading, "name": settings.title,
                "gallery": page.root + address(of: index),
            ], markup: markup)
    }

    private func figure(of item: ItemContent) -> String {
        guard let poster = item.poster else {
            return missing(item)
        }
        let overlay = item.animation == nil ? item.file(GalleryItem.overlay) : nil
        let files = [poster, overlay].compactMap(\.self)
        let best = files[files.count - 1]
        let set = files.map { "../\($0.path) \($0.width)w" }.joined(separator: ", ")
        let words = Markup.text(item.caption?.alt ?? item.title)
        return """
            <figure class="\(look(item))"><img src="../\(poster.path)" srcset="\(set)" sizes="100vw" \
            width="\(best.width)" height="\(best.height)" alt="\(words)" fetchpriority="high">\
            \(playLink(item, "../") ?? "")</figure>

            """
    }

    private func head(of item: ItemContent, _ index: Int) -> String {
        let description = Self.shortened(
            PlainText.folded(item.record.string("explanation") ?? item.title), to: Self.descriptionLength)
        var lines = ["<meta name=\"description\" content=\"\(Markup.text(description))\">"]
        func link(_ rel: String, _ address: String) {
            lines.append("<link rel=\"\(rel)\" href=\"\(Markup.text(address))\">")
        }
        func meta(_ attribute: String, _ name: String, _ content: String) {
            lines.append("<meta \(attribute)=\"\(name)\" content=\"\(Markup.text(content))\">")
        }
        if index > 0 { link("prev", "../" + items[index - 1].page) }
        if index + 1 < items.count { link("next", "../" + items[index + 1].page) }
        if let base = settings.baseURL {
            link("canonical", base + item.page)
            meta("property", "og:type", "article")
            meta("property", "og:site_name", settings.title)
            meta("property", "og:title", item.title)
            meta("property", "og:description", description)
            meta("property", "og:url", base + item.page)
            if let file = item.poster {
                meta("property", "og:image", base + file.path)
                meta("property", "og:image:width", "\(file.width)")
                meta("property", "og:image:height", "\(file.height)")
                meta("property", "og:image:alt", item.caption?.alt ?? item.title)
            }
            meta("name", "twitter:card", item.hasPicture ? "summary_large_image" : "summary")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Returns a text cut at the last space within the limit, with an ellipsis.
    static func shortened(_ text: String, to limit: Int) -> String {
        guard text.count > limit else { return text }
        let start = text.prefix(limit)
        return (start.lastIndex(of: " ").map { start[..<$0] } ?? start) + "…"
    }

    /// Returns a digest of everything that affects the pages: the records of the gallery, the templates, and the
    /// settings.
    ///
    /// - Parameter records: the SHA-256 of `records.ndjson`.
    static func stamp(_ records: String, _ settings: GallerySettings) -> String {
        let templates =
            PackageResources.picture_html + PackageResources.page_html + PackageResources.tile_html
            + PackageResources.details_html + PackageResources.months_html
        let values = [
            "\(layout)", records, SHA256.hex(of: templates), settings.title, settings.theme.rawValue,
            "\(settings.pageSize)", settings.baseURL ?? "", "\(settings.stylesheet != nil)",
            "\(settings.groupField != nil)",
        ]
        return SHA256.hex(of: values.joined(separator: "\n"))
    }

    /// Returns whether a picture's page is the same in another site with the same settings.
    func hasSamePage(_ index: Int, as other: Int, in site: Site) -> Bool {
        func isSameNeighbour(_ by: Int) -> Bool {
            let (mine, theirs) = (index + by, other + by)
            guard items.indices.contains(mine), site.items.indices.contains(theirs) else {
                return items.indices.contains(mine) == site.items.indices.contains(theirs)
            }
            return items[mine].id == site.items[theirs].id && items[mine].title == site.items[theirs].title
        }
        return groups.isEmpty == site.groups.isEmpty && items[index].stored == site.items[other].stored
            && address(of: index) == site.address(of: other) && isSameNeighbour(-1) && isSameNeighbour(1)
    }
}

extension GalleryItem {
    /// The path of the picture's own page, relative to the gallery, such as `2024/02-03.html`. It is derived from the
    /// id, which contains only digits, lower-case letters and hyphens.
    var page: String {
        day == nil ? "\(Self.undatedFolder)/\(id).html" : "\(id.prefix(4))/\(id.dropFirst(5)).html"
    }

    private static let undatedFolder = "undated"

    static func isPageFolder(_ name: String) -> Bool {
        name == undatedFolder || name.utf8.count == 4 && name.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// Returns whether a path may be the path of a picture's page.
    static func isPage(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, isPageFolder(String(parts[0])), parts[1].hasSuffix(".html") else { return false }
        let name = parts[1].dropLast(".html".count)
        func isKey(_ text: Substring, _ counts: [Int]) -> Bool {
            counts.contains(text.utf8.count)
                && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
        }
        if parts[0] == undatedFolder { return name.hasPrefix("p-") && isKey(name.dropFirst(2), [12, 32]) }
        let rest = name.dropFirst("02-03".count)
        return CalendarDay("\(parts[0])-\(name.prefix(5))") != nil
            && (rest.isEmpty || rest.hasPrefix("-") && isKey(rest.dropFirst(), [6, 32]))
    }
}
