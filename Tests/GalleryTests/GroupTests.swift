import Records
import Support
import Testing

@testable import Gallery

@Suite struct GroupTests {
    /// Returns the paths and the texts of group names.
    private func texts(_ json: String) throws -> [String] {
        GroupName.names(try record(#"{"tags":\#(json)}"#).texts("tags")).map(\.text)
    }

    private func path(_ text: String) throws -> String { "groups/\(try #require(GroupName(text)).digest).html" }

    private typealias Picture = (date: String?, groups: [String])

    private func items(_ pictures: [Picture]) throws -> [GalleryItem] {
        try pictures.enumerated().map { number, picture in
            let plain = try item(picture.date, "\(number)")
            var words = try plain.stored.read()
            words.set("groups", .array(picture.groups.map { .string($0) }))
            return try GalleryItem(key: plain.key, record: words, day: plain.day)
        }
    }

    private func site(of items: [GalleryItem], pageSize: Int = 100, base: String? = nil) -> Site {
        var collection = GalleryItems()
        for item in items { collection.add(item) }
        var settings = GallerySettings(title: "Sky", theme: .auto, pageSize: pageSize)
        (settings.baseURL, settings.groupField) = (base, "tags")
        return Site(collection, settings)
    }

    private func site(_ pictures: [Picture], pageSize: Int = 100, base: String? = nil) throws -> Site {
        site(of: try items(pictures), pageSize: pageSize, base: base)
    }

    @Test func valuesAreTextsNumbersOrArraysOfThem() throws {
        #expect(try texts(#""Summer  trip""#) == ["Summer trip"])
        #expect(try texts("2024") == ["2024"])
        #expect(
            try texts(#"["sky",-1.5,true,null,["deep"],{"a":"b"},"","  "," sky ","Sky"]"#) == ["sky", "-1.5", "Sky"])
        for json in ["true", "null", #"{"a":"b"}"#, "[]", #""""#] { #expect(try texts(json) == []) }
    }

    @Test func namesThatUnicodeTreatsAsEquivalentAreDifferentGroups() throws {
        let names = try texts(#"["\u00e9","e\u0301"]"#)
        #expect(names.count == 2)
        let site = try site([("2024-02-03", names)])
        #expect(site.groups.count == 2 && Set(site.groupPages.map(\.page.path)).count == 2)
    }

    @Test func aRecordHasAtMost20GroupsWithNamesOfAtMost256Bytes() throws {
        let many = (0..<10_000).map { #""tag \#($0)""# }.joined(separator: ",")
        #expect(try texts("[\(many)]") == (0..<20).map { "tag \($0)" })
        let long = String(repeating: "é", count: 128)
        #expect(try texts(#"["\#(long)","\#(long)x"]"#) == [long])
    }

    @Test func controlsAreRemovedFromNames() throws {
        #expect(try texts(#""\u202emoon\u0000\u200b\n""#) == ["moon"])
    }

    @Test func publishedRecordKeepsItsGroupsWithoutTheField() throws {
        let publication = Publication(fields: GalleryText.standardFields, groupField: "photo.tags")
        let published = publication.record(of: try record(#"{"title":"a","photo":{"tags":["x"," y"]}}"#))
        #expect(published.strings("groups") == ["x", "y"])
        var written = published
        written.set("gallery", .object(["key": .string("0")]))
        #expect(publication.record(of: written).strings("groups") == ["x", "y"])
        // The field `groups` of other records means something else.
        #expect(publication.record(of: published).raw("groups") == nil)
        // The groups are not lost if the folder's remembered options are.
        #expect(Publication(fields: GalleryText.standardFields).record(of: written).strings("groups") == ["x", "y"])
        let titled = Publication(fields: GalleryText.standardFields, groupField: "title")
        #expect(titled.record(of: written).strings("groups") == ["x", "y"])
        written.remove("groups")
        #expect(titled.record(of: written).strings("groups") == ["a"])
    }

    @Test func writtenItemKeepsItsGroups() throws {
        let item = try site([("2024-02-03", ["b", "a"])]).items[0]
        var numbered = item
        numbered.id = "2024-02-03"
        let lines = [String(decoding: try numbered.written().line, as: UTF8.self)]
        #expect(try GalleryTests.items(written: lines)[0].groups.map(\.text) == ["b", "a"])
        numbered.groups = []
        #expect(try numbered.written().raw("groups") == nil)
    }

    @Test func groupPageShowsItsPicturesWithLinksToTheirDetails() throws {
        let site = try site([("2024-02-03", ["sky", "moon"]), ("2024-03-01", ["sky"]), (nil, ["Moon"]), (nil, [])])
        #expect(site.groups.map(\.name.text) == ["Moon", "moon", "sky"])
        #expect(site.groups.map(\.items) == [[2], [1], [0, 1]])
        let page = try site.markup(of: #require(site.groupPages.last))
        #expect(page.contains(text: "<h2><bdi>sky</bdi> (2 pictures)</h2>"))
        #expect(page.contains(text: "<title>sky – Sky</title>") && !page.contains(text: "class=\"details\""))
        let links = page.split(separator: "\n").filter { $0.hasPrefix("<li class=\"tile") }
            .compactMap { $0.split(separator: "\"").first { $0.hasPrefix("../pages/") } }
        #expect(links == ["../pages/2024-03.html#2024-03-01", "../pages/2024-02.html#2024-02-03"])
    }

    @Test func detailsAndPicturePageLinkToTheGroups() throws {
        let site = try site([("2024-02-03", ["sky", "moon"])])
        let links = [
            (try site.markup(of: site.pages[0]), ""), (try site.markup(of: site.pages[1]), "../"),
            (try site.markup(ofPicture: 0), "../"),
        ]
        for (page, root) in links {
            let names = try ["sky", "moon"].map { "<a href=\"\(root)\(try path($0))\"><bdi>\($0)</bdi></a>" }
            #expect(page.contains(text: "<span>Groups:</span> \(names.joined(separator: ", "))</p>"))
            #expect(page.contains(text: "<a class=\"months\" href=\"\(root)groups/index.html\">Groups</a>"))
        }
        #expect(try site.listOfMonths().contains(text: "href=\"../groups/index.html\""))
        let list = try site.listOfGroups()
        #expect(
            list.contains(text: "<h2>All groups</h2>") && list.contains(text: "<bdi>moon</bdi> <span>1 picture</span>"))
        #expect(try list.contains(text: "<a href=\"\(path("sky").dropFirst("groups/".count))\"><img"))
    }

    @Test func galleryWithoutGroupsHasNoLinkToThem() throws {
        for groups in [[], ["sky"]] {
            var items = GalleryItems()
            for item in try self.items([("2024-02-03", groups)]) { items.add(item) }
            var settings = GallerySettings(title: "Sky", theme: .auto, pageSize: 100)
            settings.groupField = groups.isEmpty ? "tags" : nil
            let site = Site(items, settings)
            for page in try [site.markup(of: site.pages[0]), site.markup(ofPicture: 0), site.listOfMonths()] {
                #expect(!page.contains(text: "groups/") && !page.contains(text: ">Groups"))
            }
            #expect(site.groupPaths.isEmpty)
        }
    }

    @Test func aGroupWithManyPicturesHasSeveralPages() throws {
        let base = try path("a").dropLast(".html".count)
        func paths(_ count: Int) throws -> [[String]] {
            let site = try site((1...count).map { ("2024-02-0\($0)", ["a"]) }, pageSize: 2)
            return site.groupPages.map { page in
                [page.page.heading, String(page.page.path.dropFirst(base.count))] + page.items.map { site.items[$0].id }
            }
        }
        let first = ["a, page 1", ".1.html", "2024-02-02", "2024-02-01"]
        #expect(try paths(2) == [["a", ".html", "2024-02-02", "2024-02-01"]])
        #expect(try paths(3) == [["a", ".html", "2024-02-03"], first])
        let second = ["a, page 2", ".2.html", "2024-02-04", "2024-02-03"]
        #expect(try paths(5) == [["a", ".html", "2024-02-05"], second, first])
        let pages = try site((1...5).map { ("2024-02-0\($0)", ["a"]) }, pageSize: 2).groupPages
        #expect(
            pages[1].steps == "<a rel=\"prev\" href=\"../\(base).html\">Newer: a</a>"
                + "<a rel=\"next\" href=\"../\(base).1.html\">Older: a, page 1</a>")
    }

    @Test func picturesWithoutADateFollowTheOthersAndTheLastAddedComesFirst() throws {
        let site = try site([(nil, ["a"]), ("2024-02-03", ["a"]), (nil, ["a"]), (nil, ["a"])], pageSize: 3)
        let titles = site.groupPages.map { page in page.items.map { site.items[$0].title } }
        #expect(titles == [["Picture 1"], ["Picture 3", "Picture 2", "Picture 0"]])
    }

    @Test func additionChangesOnlyPagesOfItsGroups() throws {
        let all = try items([
            ("2024-02-01", ["a", "b"]), ("2024-02-02", ["a"]), ("2024-02-03", ["b"]), ("2024-02-04", ["a", "c"]),
        ])
        let added = all.indices.map { added in
            let others = all.indices.filter { $0 != added }.map { all[$0] }
            return (before: site(of: others, pageSize: 2), after: site(of: all, pageSize: 2))
        }
        let headings = try added.map { before, after in
            let known = Dictionary(uniqueKeysWithValues: before.groupPages.map { ($0.page.path, $0) })
            return try after.groupPages.filter { page in
                guard let old = known[page.page.path] else { return true }
                let isSame = after.hasSameMarkup(page, as: old, in: before)
                let isEqual = try after.markup(of: page) == before.markup(of: old)
                #expect(isSame == isEqual, "\(page.page.path)")
                return !isSame
            }.map(\.page.heading)
        }
        // The third picture moves to another page of its month if an older picture is added.
        #expect(headings == [["a", "a, page 1", "b"], ["a", "a, page 1", "b"], ["b"], ["a", "a, page 1", "c"]])
    }

    @Test func theFirstGroupChangesTheHeaderOfAllPages() throws {
        let items = try items([("2024-02-03", ["a"]), ("2024-02-04", [])])
        var ungrouped = items
        ungrouped[0].groups = []
        let (all, plain) = (site(of: items), site(of: ungrouped))
        #expect(!all.hasSamePage(0, as: 0, in: plain) && !all.hasSameMarkup(1, as: 1, in: plain))
    }

    @Test func hostileNamesAreEscaped() throws {
        let hostile = [
            "</title><script>alert(1)</script>", "../../etc/passwd", "\" onload=\"alert(1)", "javascript:alert(1)",
            "{{title}} {{{head}}}", "\u{202E}<b>\u{202C}",
        ]
        let site = try site([("2024-02-03", hostile)], base: "https://example.org/")
        let pages =
            try [site.markup(of: site.pages[0]), site.markup(ofPicture: 0), site.listOfGroups()]
            + site.groupPages.map(site.markup)
        #expect(site.groups.count == hostile.count)
        for page in pages {
            for part in ["<script>a", "\" onload", "href=\"javascript", "<b>", "\u{202E}", "href=\"../../"] {
                #expect(!page.contains(text: part), "\(part)")
            }
        }
        for path in site.groupPaths {
            #expect(Site.isGroupPage(path) && path.split(separator: "/").count == 2, "\(path)")
        }
        #expect(site.sitemap?.contains(text: "<loc>https://example.org/groups/index.html</loc>") == true)
    }

    @Test(arguments: [
        "groups/about.html", "groups/0123456789abcdef0123456789abcdef.htm", "groups/0123456789abcdef.html",
        "groups/0123456789abcdef0123456789abcdef.x.html", "groups/../0123456789abcdef0123456789abcdef.html",
        "groups/0123456789abcdef0123456789abcdef.1.2.html", "pages/0123456789abcdef0123456789abcdef.html",
    ])
    func otherFilesAreNotPagesOfGroups(_ path: String) { #expect(!GalleryFolder.isWritten(path)) }

    @Test func pagesOfGroupsAreRecognised() throws {
        for path in ["groups/index.html", try path("a"), "\(try path("a").dropLast(5)).12.html"] {
            #expect(GalleryFolder.isWritten(path), "\(path)")
        }
    }

    @Test func searchFindsTheNamesOfGroups() throws {
        #expect(try site([("2024-02-03", ["nebula"])]).content(0).searchedText.contains(text: "nebula"))
    }
}
