import Articles
import Records
import Support

/// Renders the pages as HTML. Escapes all texts from records.
extension Site {
    private static let page = PageTemplate(PackageResources.page_html)
    private static let tile = PageTemplate(PackageResources.tile_html)
    private static let year = PageTemplate(PackageResources.months_html)
    private static let missing = PageTemplate(PackageResources.not_found_html)

    func markup(of page: Page) throws -> String {
        let isStart = page.path == Self.start
        let shown = try page.items.map(content)
        let first = shown.first { $0.hasPicture }
        let hero = isStart ? first : nil
        let tiles = shown.filter { $0.id != hero?.id }.map { tile($0, on: page, link: "#\($0.id)") }
        let heading = Markup.text(hero == nil ? page.heading : "More pictures")
        let title = isStart ? settings.title : "\(page.heading) – \(settings.title)"
        return filled(
            page, title: title,
            [
                "players": policy(of: shown), "head": head(of: page, first),
                "hero": hero.map { self.hero($0, on: page) } ?? "",
                "tiles": items.isEmpty ? Self.noPictures : tiles.isEmpty ? "" : grid(heading, tiles),
                "details": zip(page.items, shown).map { details($0, $1, on: page) }.joined(),
                "pages": neighbours(of: page),
            ])
    }

    /// Returns the markup of a page with the given parts.
    func filled(_ page: Page, title: String, _ parts: [String: String]) -> String {
        let common = ["style": style(page.root), "groups": linkToGroups(from: page), "foot": foot(page)]
        return Self.page.filled(
            text: ["root": page.root, "theme": settings.theme.rawValue, "title": title, "name": settings.title],
            markup: parts.merging(common) { part, _ in part })
    }

    /// Returns whether a page other than the start page is the same in another site with the same settings.
    func hasSameMarkup(_ number: Int, as other: Int, in site: Site) -> Bool {
        let (mine, theirs) = (pages[number], site.pages[other])
        func links(_ site: Site, _ number: Int) -> [String?] {
            let (pages, items) = (site.pages, site.pages[number].items)
            let steps = [items.lowerBound - 1, items.upperBound]
            return [number - 1, number + 1].map { pages.indices.contains($0) ? pages[$0].path : nil }
                + steps.map { site.items.indices.contains($0) ? site.address(of: $0) : nil }
        }
        return mine.items.count == theirs.items.count && links(self, number) == links(site, other)
            && zip(mine.items, theirs.items).allSatisfy { index, old in
                items[index].id == site.items[old].id && hasSamePage(index, as: old, in: site)
            }
    }

    /// - Parameter heading: markup.
    func grid(_ heading: String, _ tiles: [String]) -> String {
        """
        <section class="grid">
        <h2>\(heading)</h2>
        <ul>
        \(tiles.joined())</ul>
        </section>

        """
    }

    private static let noPictures = """
        <section>
        <h2>No pictures yet</h2>
        <p>This gallery is empty. The next run of img-downsample gallery adds the pictures of its input.</p>
        </section>

        """

    func listOfMonths() throws -> String {
        let list = Page(path: Self.months, heading: "All months", items: 0..<0)
        // The newest page of each month.
        let firsts = zip(pages.dropFirst(), pages).filter { $1.path == Self.start || $0.month != $1.month }.map(\.0)
        var years: [(name: String, pages: [Page])] = []
        for page in firsts {
            let name = page.month.map { "\($0.year)" } ?? "Others"
            if years.last?.name != name { years.append((name, [])) }
            years[years.count - 1].pages.append(page)
        }
        let sections = try years.map { name, pages in
            let links = try pages.map { page in
                let words = page.month.map { EnglishDate.months[$0.month - 1] } ?? page.heading
                let count = self.pages.dropFirst().filter { $0.month == page.month }.map(\.items.count).reduce(0, +)
                let address = page.path.dropFirst("pages/".count)
                return """
                    <li><a href="\(address)">\(try cover(of: page.items, on: list))\(words) \
                    <span>\(counted(count, "picture"))</span></a></li>
                    """
            }
            return Self.year.filled(text: ["year": name], markup: ["months": links.joined()])
        }
        let body = "<section>\n<h2>\(list.heading)</h2>\n\(sections.joined())</section>\n"
        return filled(
            list, title: "\(list.heading) – \(settings.title)", ["tiles": items.isEmpty ? Self.noPictures : body])
    }

    /// Returns the newest of some pictures, or an empty frame.
    func cover(of items: some Sequence<Int>, on list: Page) throws -> String {
        guard let index = items.first(where: { self.items[$0].hasPicture }) else { return "<i></i>" }
        let item = try content(index)
        return image(item, [item.tile, item.sharpTile], list, attributes: "sizes=\"20rem\" loading=\"lazy\"")
    }

    /// The page for addresses that do not exist. A server shows it at any address, so its links contain the absolute
    /// path of the gallery if `--base-url` is set.
    var notFound: String {
        let address = settings.baseURL?.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let root = address.flatMap { $0.count == 4 ? "/\($0[3])" : nil } ?? ""
        return Self.missing.filled(
            text: ["root": root, "theme": settings.theme.rawValue, "name": settings.title],
            markup: ["style": style(Markup.text(root))])
    }

    /// Returns the directives that allow the players of the videos among items. Returns an empty text if there are
    /// none.
    private func policy(of shown: [ItemContent]) -> String {
        let players = shown.compactMap(\.player)
        return [("frame-src", false), ("media-src", true)].map { directive, isFile in
            let origins = Set(players.filter { $0.isFile == isFile }.map(\.origin))
            return origins.isEmpty ? "" : "; \(directive) \(origins.sorted().joined(separator: " "))"
        }.joined()
    }

    func style(_ root: String) -> String {
        settings.stylesheet == nil ? "" : "<link rel=\"stylesheet\" href=\"\(root)own.css\">\n"
    }

    private func foot(_ page: Page) -> String {
        "<p>Made with img-downsample gallery.</p>\n<p><a href=\"\(page.root)feed.atom\">Feed</a></p>"
    }

    /// Returns the metadata for link previews, which show the given item, and for feed readers.
    func head(of page: Page, _ shown: ItemContent?) -> String {
        var lines: [String] = []
        func meta(_ property: String, _ content: String) {
            lines.append("<meta property=\"\(property)\" content=\"\(Markup.text(content))\">")
        }
        if page.path == Self.start {
            lines.append("<link rel=\"alternate\" type=\"application/atom+xml\" href=\"feed.atom\" title=\"Feed\">")
        }
        if let base = settings.baseURL {
            meta("og:type", "website")
            meta("og:title", page.path == Self.start ? settings.title : "\(page.heading) – \(settings.title)")
            meta("og:url", base + (page.path == Self.start ? "" : page.path))
            if let file = shown?.poster {
                meta("og:image", base + file.path)
                meta("og:image:width", "\(file.width)")
                meta("og:image:height", "\(file.height)")
            }
            if let caption = shown?.caption {
                meta("og:description", caption.title ?? settings.title)
            }
            lines.append("<meta name=\"twitter:card\" content=\"summary_large_image\">")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    // MARK: Pictures

    private func hero(_ shown: ItemContent, on page: Page) -> String {
        let id = Markup.text(shown.id)
        let files = [shown.poster, shown.animation == nil ? shown.file(GalleryItem.overlay) : nil]
        let image = image(shown, files, page, attributes: "sizes=\"100vw\" fetchpriority=\"high\"")
        return """
            <section class="hero\(shown.isPlayable ? " video" : "")" id="t-\(id)"><a href="#\(id)" class="\(look(shown))"\(data(shown))>\(image)\
            <span class="caption"><span class="title" dir="auto">\(Markup.text(shown.title))</span>\(time(shown))\
            </span></a></section>

            """
    }

    func tile(_ shown: ItemContent, on page: Page, link: String) -> String {
        let image = image(
            shown, [shown.tile, shown.sharpTile, shown.poster], page,
            attributes: "sizes=\"auto, \(tileWidth(shown))\" loading=\"lazy\" decoding=\"async\"")
        let reason = shown.isVideo ? "" : "<span class=\"reason\">\(failure(shown))</span>"
        return Self.tile.filled(
            text: ["id": shown.id, "link": link, "title": shown.title, "classes": tileClasses(shown)],
            markup: ["data": data(shown), "picture": shown.hasPicture ? image : reason, "when": time(shown)])
    }

    /// Returns the approximate width of a tile for browsers without `sizes="auto"`: the least height of a row in
    /// style.css, times the tile's aspect ratio, and a fifth more because rows are stretched.
    private func tileWidth(_ item: ItemContent) -> String {
        guard let file = item.tile else { return "100vw" }
        let ratio = min(max(file.width * 12 / file.height, 7), 38)
        return "min(100vw, clamp(8rem, 6rem + 8vw, 15rem) * \(ratio / 10).\(ratio % 10))"
    }

    private func tileClasses(_ item: ItemContent) -> String {
        let kinds = (item.hasPicture ? [] : ["missing"]) + (item.isPlayable ? ["video"] : [])
        return ([look(item)] + kinds).joined(separator: " ")
    }

    private func image(_ item: ItemContent, _ files: [ItemContent.File?], _ page: Page, attributes: String) -> String {
        let files = files.compactMap(\.self)
        guard let first = files.first else { return "" }
        var sources: [ItemContent.File] = []
        for file in files where sources.last?.width != file.width { sources.append(file) }
        let set = sources.map { "\(page.root)\($0.path) \($0.width)w" }.joined(separator: ", ")
        return """
            <img src="\(page.root)\(first.path)" srcset="\(set)" \(attributes) width="\(first.width)" \
            height="\(first.height)" alt="\(Markup.text(item.caption?.alt ?? ""))">
            """
    }

    /// Returns the attributes with the blurred preview that is shown until the picture is loaded. Returns an empty text
    /// for a transparent picture, which would not cover the preview.
    func data(_ item: ItemContent) -> String {
        if item.isTransparent { return "" }
        func attribute(_ name: String, _ value: String?) -> String {
            value.map { " \(name)=\"\(Markup.text($0))\"" } ?? ""
        }
        return attribute("data-hash", item.hash) + attribute("data-colour", item.colour)
    }

    /// Returns the CSS classes of a picture: for the aspect ratio 1.5, for example, `w1` and `t5`; and `clear` if it is
    /// transparent.
    func look(_ item: ItemContent) -> String {
        guard let file = item.tile else { return "w1 t5" }
        let ratio = min(max((file.width * 10 + file.height / 2) / file.height, 5), 32)
        return "w\(ratio / 10) t\(ratio % 10)\(item.isTransparent ? " clear" : "")"
    }

    /// Returns the day as HTML, or an empty text if the title is the day.
    func time(_ item: ItemContent) -> String {
        guard let day = item.day, item.title != EnglishDate.words(day) else { return "" }
        return "<time datetime=\"\(day)\">\(EnglishDate.words(day))</time>"
    }

    func reason(_ item: ItemContent) -> String {
        item.record.string("error.message") ?? (item.isVideo ? "A video" : "There is no picture")
    }

    private func failure(_ item: ItemContent) -> String {
        item.hasError ? "This picture could not be loaded" : reason(item)
    }

    /// Returns the markup in place of a missing picture: the failure with its reason, or a frame for a video.
    func missing(_ item: ItemContent) -> String {
        let words = Markup.text(reason(item))
        let reason = item.hasError ? "<span dir=\"auto\">\(words)</span>" : ""
        guard let play = playLink(item, "") else {
            return "<p class=\"reason\"><strong>\(failure(item))</strong>\(reason)</p>\n"
        }
        return "<figure class=\"w1 t8\">\(play)</figure>\(reason.isEmpty ? "" : "<p class=\"reason\">\(reason)</p>")\n"
    }

    /// Returns the link to a video or an animation. If the video has a player, the script shows the player instead of
    /// following the link. The script starts an animation in place.
    ///
    /// - Parameter root: the path of the gallery, relative to the page.
    func playLink(_ item: ItemContent, _ root: String) -> String? {
        if let animation = item.animation {
            return "<a class=\"play moving\" href=\"\(root)\(animation.path)\">Play the animation</a>"
        }
        guard item.isVideo, let media = item.caption?.media else { return nil }
        let player = item.player
        let data = player.map { " data-\($0.isFile ? "movie" : "player")=\"\(Markup.text($0.address))\"" } ?? ""
        let address = Markup.text(player?.page ?? media)
        return "<a class=\"play\" href=\"\(address)\"\(data) rel=\"noopener noreferrer\">Play the video</a>"
    }

    /// Returns links to the newer and the older page.
    private func neighbours(of page: Page) -> String {
        guard let number = pages.firstIndex(where: { $0.path == page.path }) else { return "" }
        var links: [String] = []
        func add(_ other: Page?, _ rel: String, _ words: String, from page: Page) {
            if let other { links.append(Self.step(rel, words, to: other, from: page)) }
        }
        if number == 0 {
            let end = page.items.upperBound
            if end < items.count { add(pages[pageOfItem[end]], "next", "Older", from: page) }
        } else {
            add(number > 1 ? pages[number - 1] : pages[0], "prev", "Newer", from: page)
            add(number + 1 < pages.count ? pages[number + 1] : nil, "next", "Older", from: page)
        }
        return links.joined()
    }

    /// Returns a link to a newer or an older page.
    static func step(_ rel: String, _ words: String, to other: Page, from page: Page) -> String {
        "<a rel=\"\(rel)\" href=\"\(page.root)\(other.path)\">\(words): \(Markup.text(other.heading))</a>"
    }
}
