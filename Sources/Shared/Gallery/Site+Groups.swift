import Articles
import Support

/// The pages of groups, which show all pictures with the same tag or of the same album.
extension Site {
    struct Group: Sendable {
        let name: GroupName
        /// The indices in `Site.items`, newest first. Items without a date are last, and the item that was added last is
        /// the first of them, so that additions change only the newest page of a group without dates.
        var items: [Int]
    }

    struct GroupPage: Sendable {
        let page: Page
        /// The indices in `Site.items` of the pictures on the page.
        let items: ArraySlice<Int>
        /// Markup.
        let heading: String
        /// The markup of the links to the newer and the older page.
        let steps: String
    }

    static let groupFolder = "groups"
    static let groupList = "\(groupFolder)/index.html"

    static func groups(of items: [GalleryItem]) -> [Group] {
        var numbers: [GroupName: Int] = [:]
        var groups: [Group] = []
        for (index, item) in items.enumerated() {
            for name in item.groups {
                let number = numbers[name] ?? groups.count
                if number == groups.count {
                    numbers[name] = number
                    groups.append(Group(name: name, items: []))
                }
                groups[number].items.append(index)
            }
        }
        for number in groups.indices {
            let undated = groups[number].items.firstIndex { items[$0].day == nil }
            if let undated { groups[number].items[undated...].reverse() }
        }
        let keyed = groups.map { (group: $0, folded: $0.name.text.lowercased()) }
        return keyed.sorted { a, b in
            a.folded == b.folded
                ? a.group.name.text.utf8.lexicographicallyPrecedes(b.group.name.text.utf8) : a.folded < b.folded
        }.map(\.group)
    }

    /// The pages of all groups.
    var groupPages: [GroupPage] { groups.flatMap(pages) }

    /// Divides the pictures of a group into pages, newest first. The newest page has the path of the group, which does
    /// not change. The others have numbers; page 1 has the oldest pictures, so that a new picture changes only the newest
    /// page.
    private func pages(of group: Group) -> [GroupPage] {
        let (name, size, count) = (group.name, settings.pageSize, group.items.count)
        let base = "\(Self.groupFolder)/\(name.digest)"
        let starts = Array(stride(from: 0, to: count, by: size))
        let pages = starts.indices.map { number in
            let isNewest = number == starts.count - 1
            return Page(
                path: isNewest ? "\(base).html" : "\(base).\(number + 1).html",
                heading: isNewest ? name.text : "\(name.text), page \(number + 1)", items: 0..<0)
        }
        return pages.indices.reversed().map { number in
            let page = pages[number]
            var steps = ""
            if number + 1 < pages.count { steps += Self.step("prev", "Newer", to: pages[number + 1], from: page) }
            if number > 0 { steps += Self.step("next", "Older", to: pages[number - 1], from: page) }
            let heading = "<bdi>\(Markup.text(name.text))</bdi>"
            return GroupPage(
                page: page, items: group.items[max(0, count - starts[number] - size)..<count - starts[number]],
                heading: number + 1 < pages.count
                    ? "\(heading), page \(number + 1)" : "\(heading) (\(counted(count, "picture")))",
                steps: steps)
        }
    }

    func markup(of page: GroupPage) throws -> String {
        let shown = try page.items.map(content)
        let tiles = zip(page.items, shown).map { tile($1, on: page.page, link: link(to: $0, from: page.page)) }
        return filled(
            page.page, title: "\(page.page.heading) – \(settings.title)",
            [
                "head": head(of: page.page, shown.first { $0.hasPicture }), "tiles": grid(page.heading, tiles),
                "pages": page.steps,
            ])
    }

    /// Returns whether a page is the same in another site with the same settings.
    func hasSameMarkup(_ page: GroupPage, as other: GroupPage, in site: Site) -> Bool {
        page.heading == other.heading && page.steps == other.steps && page.items.count == other.items.count
            && zip(page.items, other.items).allSatisfy { index, old in
                items[index].id == site.items[old].id && items[index].stored == site.items[old].stored
                    && pages[pageOfItem[index]].path == site.pages[site.pageOfItem[old]].path
            }
    }

    func listOfGroups() throws -> String {
        let list = Page(path: Self.groupList, heading: "All groups", items: 0..<0)
        let links = try groups.map { group in
            """
            <li><a href="\(group.name.digest).html">\(try cover(of: group.items, on: list))\
            <bdi>\(Markup.text(group.name.text))</bdi> <span>\(counted(group.items.count, "picture"))</span></a></li>
            """
        }
        let body = "<section class=\"year\">\n<h2>\(list.heading)</h2>\n<ul>\(links.joined())</ul>\n</section>\n"
        return filled(list, title: "\(list.heading) – \(settings.title)", ["tiles": body])
    }

    /// Returns the link to the list of groups in the header of a page, or an empty text if there are no groups.
    func linkToGroups(from page: Page) -> String {
        groups.isEmpty ? "" : "<a class=\"months\" href=\"\(page.root)\(Self.groupList)\">Groups</a>\n"
    }

    /// Returns links to the groups of a picture.
    func groups(of shown: ItemContent, on page: Page) -> String {
        if groups.isEmpty || shown.groups.isEmpty { return "" }
        let links = shown.groups.map { name in
            "<a href=\"\(page.root)\(Self.groupFolder)/\(name.digest).html\"><bdi>\(Markup.text(name.text))</bdi></a>"
        }
        return "<p class=\"credit\"><span>Groups:</span> \(links.joined(separator: ", "))</p>"
    }

    /// The paths of all pages of groups, for the sitemap.
    var groupPaths: [String] { groups.isEmpty ? [] : [Self.groupList] + groupPages.map(\.page.path) }

    /// Returns whether a path may be the path of a page of groups.
    static func isGroupPage(_ path: String) -> Bool {
        if path == groupList { return true }
        guard let file = path.removing(bytePrefix: "\(groupFolder)/") else { return false }
        let parts = file.split(separator: ".", omittingEmptySubsequences: false)
        return parts.last == "html" && GalleryItem.isKey(String(parts[0]))
            && (parts.count == 2 || parts.count == 3 && Int(parts[1]) != nil)
    }
}

extension GroupName {
    /// The name in paths: a part of the SHA-256, because a text from a record never becomes a path.
    var digest: String { String(SHA256.hex(of: "group \(text)").prefix(32)) }
}
