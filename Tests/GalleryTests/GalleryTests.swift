import Articles
import Formats
import Records
import Support
import TestSupport
import Testing
import Variants

@testable import Gallery

func record(_ text: String) throws -> Record { try Record(parsing: Array(text.utf8)) }

private let spool = Result {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    return try RecordSpool(in: Folder(folder.path))
}

extension GalleryItem {
    init(key: String, record: Record, day: CalendarDay?) throws {
        try self.init(key: key, record: record, day: day, stored: spool.get().add(record))
    }
}

/// Returns the items of a gallery with the given file of records.
func items(written lines: [String]) throws -> [GalleryItem] {
    let folder = try TemporaryFolder()
    try folder.write("records.ndjson", lines.joined(separator: "\n"))
    return try WrittenItems(in: Folder(folder.path)).items.items
}

/// Returns an item with a picture, or with a failure if `fails`.
func item(_ date: String?, _ name: String = "a", fails: Bool = false) throws -> GalleryItem {
    let day = date.flatMap { CalendarDay($0) }
    var words = try record(#"{"title":"Picture \#(name)"}"#)
    if let date { words.set("date", .string(date)) }
    if fails {
        words.set("error", .object(["code": .string("not-found"), "message": .string("gone")]))
    } else {
        let path = "pictures/\(SHA256.hex(of: name).prefix(20))-pager.jpg"
        words.set(
            "variants",
            .object(["pager": .object(["path": .string(path), "width": .integer(300), "height": .integer(200)])]))
    }
    return try GalleryItem(key: String(SHA256.hex(of: name).prefix(32)), record: words, day: day)
}

@Suite struct PageTemplateTests {
    @Test func textIsEscapedAndMarkupIsNot() {
        let template = PageTemplate(Array("<p id=\"{{id}}\">{{{inner}}}</p>{{missing}} {{".utf8))
        #expect(
            template.filled(text: ["id": "\"<a>"], markup: ["inner": "<b>x</b>"])
                == "<p id=\"&quot;&lt;a&gt;\"><b>x</b></p> {{")
        #expect(template.names == ["id", "inner", "missing"])
    }

    @Test func templatesContainThePlaceholdersThatPagesFill() {
        #expect(
            PageTemplate(PackageResources.page_html).names == [
                "players", "root", "theme", "title", "head", "style", "name", "groups", "hero", "tiles", "pages",
                "foot",
                "details",
            ])
        #expect(
            PageTemplate(PackageResources.tile_html).names == [
                "classes", "id", "link", "data", "picture", "title", "when",
            ])
        #expect(
            PageTemplate(PackageResources.details_html).names == [
                "id", "figure", "title", "when", "paragraphs", "credits", "links", "steps",
            ])
    }

    @Test func picturePageContainsThePlaceholdersThatItFills() {
        #expect(
            PageTemplate(PackageResources.picture_html).names == [
                "theme", "title", "name", "head", "style", "gallery", "groups", "figure", "when", "paragraphs",
                "credits", "links", "steps",
            ])
    }

    @Test func faviconAndHTMLResourcesContainTheGallerysMark() {
        // GalleryFolder does not replace a file without this mark.
        for file in [PackageResources.favicon_svg, PackageResources.not_found_html, PackageResources.picture_html] {
            #expect(String(decoding: file, as: UTF8.self).contains(text: "img-downsample gallery"))
        }
    }

    @Test func styleSheetAndScriptAreUnder60KB() {
        #expect(PackageResources.style_css.count + GalleryFolder.script.count < 60_000)
    }

    @Test func scriptHasNoCommentLines() {
        let lines = String(decoding: GalleryFolder.script, as: UTF8.self).split(separator: "\n")
        let source = String(decoding: PackageResources.gallery_js, as: UTF8.self).split(separator: "\n")
        #expect(lines == source.filter { !$0.contains(#/^ *\/\//#) })
        #expect(lines.count < source.count && lines.last == "})();")
    }
}

@Suite struct GalleryItemsTests {
    @Test func picturesOfTheSameDayHaveDifferentIDs() throws {
        var items = GalleryItems()
        #expect(items.add(try item("2024-02-03", "a"))?.id == "2024-02-03")
        let second = try #require(items.add(try item("2024-02-03", "b")))
        #expect(second.id == "2024-02-03-\(second.key.prefix(6))")
        #expect(items.add(try item(nil, "c"))?.id.hasPrefix("p-") == true)
        #expect(items.items.count == 3)
    }

    @Test func aNewRecordReplacesThePlaceWithTheSameKey() throws {
        var items = GalleryItems()
        for name in ["a", "b"] { items.add(try item("2024-02-03", name)) }
        var changed = try item("2024-02-03", "a")
        changed = try GalleryItem(key: changed.key, record: try record(#"{"title":"New"}"#), day: changed.day)
        // An item with a picture is not replaced by an item without a picture.
        #expect(items.add(changed)?.title == "Picture a")
        var other = try item("2024-02-03", "a").stored.read()
        other.set("title", .string("Newer"))
        items.add(try GalleryItem(key: changed.key, record: other, day: changed.day))
        #expect(items.items.map(\.title) == ["Newer", "Picture b"])
        #expect(items.items.map(\.id).first == "2024-02-03")
    }

    @Test func aPictureReplacesTheFailureOfItsDayButNeverViceVersa() throws {
        var items = GalleryItems()
        items.add(try item("2024-02-03", "day", fails: true))
        #expect(items.add(try item("2024-02-03", "a"))?.id == "2024-02-03")
        #expect(items.items.count == 1 && items.items[0].hasPicture)
        #expect(items.add(try item("2024-02-03", "day", fails: true)) == nil)
        #expect(items.items.count == 1)
    }

    @Test func aReservedIDIsNotGivenToAnotherPlace() throws {
        var items = GalleryItems()
        let (first, second) = (try item("2024-02-03", "a"), try item("2024-02-03", "b"))
        let id = items.reserveID(first.key, first.day)
        #expect(items.add(second)?.id != id)
        #expect(items.add(first)?.id == id && id == "2024-02-03")
    }

    @Test func picturesAreIdentifiedByDateIDAddressOrPath() throws {
        func key(_ text: String, by field: FieldPath? = nil) throws -> String {
            let record = try record(text)
            let day = record.string("date").flatMap { CalendarDay($0) }
            return PictureIdentity(of: record, day: day, field: field).key
        }
        let (first, second) = (
            #""date":"2024-02-01","id":"1","sku":"x","url":"https://a.example/a.jpg""#,
            #""date":"2024-02-02","id":"2","sku":"x","url":"https://a.example/a.jpg""#
        )
        let daily = #","media_type":"image","apod":{"service":"api"}}"#
        #expect(try key("{\(first)\(daily)") != key("{\(second)\(daily)"))
        #expect(try key("{\(first)\(daily)") == key(#"{"date":"2024-02-01","error":{"tool":"apod-fetch"}}"#))
        #expect(try key("{\(first)}") != key("{\(second)}"))
        // Two pictures of the same day from another service have different keys.
        let foreign = try ["1", "2"].map {
            try key(#"{"date":"2024-02-01","media_type":"image","url":"https://a.example/\#($0).jpg"}"#)
        }
        #expect(foreign[0] != foreign[1])
        #expect(try key("{\(first)}", by: "sku") == key("{\(second)}", by: "sku"))
        #expect(try key(#"{"url":"https://a.example/a.jpg"}"#) == key(#"{"url":"https://A.example/a.jpg"}"#))
        #expect(try key(#"{"path":"a/1.jpg"}"#) != key(#"{"path":"b/1.jpg"}"#))
        #expect(try key(#"{"path":"a/1.jpg"}"#) == key(#"{"path":"./a/1.jpg"}"#))
    }

    @Test func placeOfAnEarlierVersionGetsTheNewKeyOfItsPicture() throws {
        var items = GalleryItems()
        var old = try item("2024-02-03", "a")
        old.isFormer = true
        items.add(old)
        func new(_ date: String, _ name: String) throws -> GalleryItem {
            var new = try item(date, name)
            (new.key, new.formerKey) = (String(repeating: "\(date.last!)", count: 32), old.key)
            return new
        }
        #expect(items.add(try new("2024-02-04", "a"))?.id == "2024-02-04")
        #expect(items.add(try new("2024-02-03", "a"))?.id == "2024-02-03")
        #expect(items.items.count == 2 && items[old.key] == nil)

        // An item that this version wrote keeps its key, even if the key equals the former key of another picture.
        var present = GalleryItems()
        old.isFormer = false
        present.add(old)
        present.add(try new("2024-02-03", "a"))
        #expect(present.items.count == 2)
    }

    @Test func pruningIsRefusedIfTheInputMayBeIncomplete() throws {
        let itemsOfRun = try (1...6).map { try item("2024-02-0\($0)", "\($0)") }
        #expect(PruneLimit.half.refusal(of: 5, of: 10, itemsOfRun: itemsOfRun) == nil)
        #expect(PruneLimit.half.refusal(of: 6, of: 10, itemsOfRun: itemsOfRun) == .tooMany(6, of: 10))
        #expect(PruneLimit.all.refusal(of: 6, of: 10, itemsOfRun: itemsOfRun) == nil)
        #expect(PruneLimit.all.refusal(of: 10, of: 10, itemsOfRun: []) == .noPictures)
        #expect(PruneLimit.all.refusal(of: 0, of: 0, itemsOfRun: []) == nil)
        let words = try record(#"{"error":{"transient":true}}"#)
        let failed = try GalleryItem(key: String(repeating: "a", count: 32), record: words, day: nil)
        #expect(PruneLimit.all.refusal(of: 1, of: 10, itemsOfRun: itemsOfRun + [failed]) == .transientFailures(1))
        let gone = try item("2024-02-01", "gone", fails: true)
        #expect(PruneLimit.all.refusal(of: 10, of: 10, itemsOfRun: [gone]) == .noPictures)
    }

    @Test func recordThatAnotherProgramChangesIsNotRead() throws {
        let folder = try TemporaryFolder()
        let lines = try ["a", "b"].map { String(decoding: try item(nil, $0).written().line, as: UTF8.self) + "\n" }
        try folder.write("records.ndjson", lines.joined())
        let items = try WrittenItems(in: Folder(folder.path)).items.items
        #expect(try items.map { try $0.content().record.string("title") } == ["Picture a", "Picture b"])
        for text in [
            lines[0] + lines[1].replacing(text: "Picture b", with: "Picture c"), lines[0] + "  " + lines[1],
            lines[0] + lines[1].dropLast(10), "",
        ] {
            try folder.write("records.ndjson", text)
            #expect(throws: ChangedRecords.self, "\(text)") { try items[1].content() }
        }
        let failure = ChangedRecords(path: "site/records.ndjson")
        #expect(
            failure.message
                == "another program changed site/records.ndjson during the run; run the command again")
        #expect(failure.code == "records-changed" && failure.exitCode == .temporary)
    }

    @Test func invalidRecordsAreNotReadAsPlaces() throws {
        let lines = [
            #"{"title":"x"}"#, #"{"gallery":{"key":"../x","id":""}}"#,
            #"{"gallery":{"key":"0123456789abcdef0123456789abcdef","id":"x\" onload=\"y"}}"#,
            #"{"variants":{"thumb":{"path":"../../etc/passwd","width":1,"height":1}},"gallery":{"key":"0123456789abcdef0123456789abcdef","id":""}}"#,
        ]
        #expect(try items(written: lines).map(\.hasPicture) == [false])
        for path in [
            "pictures/../x", "pictures/0123456789abcdef0123-a/b.jpg", "pictures/x.jpg",
            "/pictures/0123456789abcdef0123-a.jpg",
        ] {
            #expect(!GalleryItem.isOwn(path))
        }
        #expect(GalleryItem.isOwn("pictures/0123456789abcdef0123-thumb@2x.jpg"))
    }
}

@Suite struct GalleryVariantsTests {
    private func variants(
        _ width: Int, _ height: Int, isAnimated: Bool = false, canTile: Bool = false, originals: Bool = false
    ) -> [Variant] {
        GalleryTool.variants(
            of: PixelSize(width: width, height: height), isAnimated: isAnimated, canTile: canTile,
            keepingOriginals: originals)
    }

    private func names(_ width: Int, _ height: Int, canTile: Bool = false, originals: Bool = false) -> [String] {
        variants(width, height, canTile: canTile, originals: originals).map(\.name)
    }

    @Test func variantsThatWouldEqualThePagersFileAreOmitted() {
        #expect(names(4000, 3000) == ["thumb", "thumb@2x", "pager", "overlay"])
        #expect(names(1000, 700) == ["thumb", "thumb@2x", "pager"])
        // Here `thumb@2x` would equal the pager's file; in the next case, both thumbnails would.
        #expect(names(700, 450) == ["thumb", "pager"])
        #expect(names(300, 200) == ["pager"])
        #expect(
            GalleryTool.variants(of: nil, isAnimated: false, canTile: false, keepingOriginals: true).count == 4)
    }

    @Test func onlyThePagerAndTheOverlayOfAnAnimationMove() {
        func stills(_ width: Int, _ height: Int) -> [String] {
            variants(width, height, isAnimated: true).filter { $0.frame == 0 }.map(\.name)
        }
        #expect(stills(4000, 3000) == ["thumb", "thumb@2x", "still"])
        #expect(stills(300, 200) == ["still"])
        let all = variants(4000, 3000, isAnimated: true)
        #expect(all.filter { $0.frame == nil }.map(\.name) == ["pager", "overlay"])
        #expect(all.first { $0.name == "still" }?.geometry == Variant.pager.geometry)
        #expect(variants(4000, 3000).allSatisfy { $0.frame == nil })
    }

    @Test func originalsAbove24MegapixelsGetASmallerVariant() {
        #expect(names(6000, 4000, originals: true).last == "overlay")
        #expect(names(6001, 4000, originals: true).last == "large")
        #expect(names(6001, 4000).last == "overlay")
        #expect(variants(9000, 6000, originals: true).last?.geometry.maxPixels == 24_000_000)
    }

    @Test func tilesReplaceTheSmallerVariantOfAnOriginal() {
        for originals in [false, true] {
            #expect(names(6001, 4000, canTile: true, originals: originals).dropFirst(3) == ["overlay", "tiles"])
            #expect(names(6000, 4000, canTile: true, originals: originals).last == "overlay")
        }
        #expect(variants(6001, 4000, canTile: true).filter(\.isTiled).map(\.name) == ["tiles"])
    }
}

@Suite struct PublicationTests {
    private let publication = Publication(fields: GalleryText.standardFields)

    @Test(arguments: [
        (#""One\ntwo""#, ["One", "two"]), (#""One\ntwo\r\n \r\nthree""#, ["One two", "three"]),
        (#"["Stand.","Lift\nslowly."]"#, ["Stand.", "Lift slowly."]), (#""One  two""#, ["One two"]),
    ])
    func lineBreaksSeparateParagraphsIfThereAreNoBlankLines(_ text: String, _ paragraphs: [String]) throws {
        let shown = publication.record(of: try record(#"{"description":\#(text)}"#))
        let layout = shown.raw("apod").flatMap { try? Record(parsing: $0) } ?? Record()
        let article = Article(try #require(shown.string("explanation")), layout: layout)
        #expect(article.paragraphs.map(\.text) == paragraphs)
    }

    @Test func privateFieldsAreNotPublished() throws {
        let source = try record(
            #"{"date":"2024-02-03T10:00:00Z","name":"A  launch","hdurl":"https://x.org/a.jpg?api_key=SECRET&w=1","#
                + #""url":"http://192.168.1.7/a.jpg","permalink":"https://nas.local/x","path":"/home/ada/a.jpg","file":"/home/ada/b.jpg","#
                + #""cache":{"key":"url:x","scope":"ada","path":"/home"},"secret":"x","#
                + #""error":{"tool":"img-cache","code":"x","message":"cannot read /home/ada/a.jpg: http://10.0.0.1/x. No (/tmp/y) room at https://x.org/a or 127.0.0.1:80, localhost:9: 10.5 of 10:30. Wait.","transient":true,"exit":75}}"#
        )
        let made = publication.record(of: source)
        #expect(
            String(decoding: made.line, as: UTF8.self)
                == #"{"date":"2024-02-03","title":"A launch","hdurl":"https://x.org/a.jpg?w=1","#
                + #""error":{"tool":"img-cache","code":"x","message":"cannot read …: … No … room at https://x.org/a or … … 10.5 of 10:30. Wait.","transient":true,"exit":75}}"#
        )
    }

    /// Regression test: relative paths, the part of a path after a space, and options of the tools were published.
    @Test(arguments: [
        ("cannot open /home/ada/My Pictures/moon.jpg: gone", "/x", "cannot open … gone"),
        ("/home/ada/a b/c d.jpg: the JPEG is corrupt", "/home/ada/a b/c d.jpg", "…: the JPEG is corrupt"),
        ("ada/moon 1.jpg: no such file", "ada/moon 1.jpg", "…: no such file"),
        ("cannot rename /a/b to /c/d: the disk is full", "moon.jpg", "cannot rename … to … the disk is full"),
        ("the file /a/b is empty, see https://x.org/a", "a", "the file … is empty, see https://x.org/a"),
        ("there is no picture for the day; use --fallback-previous", "a", "there is no picture for the day"),
        ("the host is private; set APOD_TOOLS_ALLOW_PRIVATE=1; it is down", "a", "the host is private; it is down"),
        ("use --strict", "a", "use --strict"),
    ])
    func pathsAndRemediesAreRemovedFromMessages(_ message: String, path: String, _ shown: String) throws {
        let source = try record(#"{"path":"\#(path)","error":{"message":"\#(message)"}}"#)
        #expect(publication.record(of: source).string("error.message") == shown)
    }

    @Test func linksToPrivateAddressesAreRemoved() throws {
        let published = #"[{"start":4,"end":8,"href":"https://x.org/"}"#
        let source = try record(
            #"{"explanation":"See here and there","apod":{"source":"cache","marks":"#
                + published + #",{"start":13,"end":18,"href":"http://localhost/"}]}}"#)
        #expect(publication.record(of: source).printable("apod") == #"{"marks":"# + published + "]}")
        let old = try record(#"{"explanation":"See here","apod":{"marks":"4 8 https://x.org/"}}"#)
        #expect(publication.record(of: old).raw("apod") == nil)
    }

    @Test(arguments: [
        ("https://example.org/a", true), ("http://8.8.8.8/a", true), ("http://127.1/a", false),
        ("http://[::1]/", false),
        ("http://printer/a", false), ("http://a.internal/", false), ("http://10.1.2.3/", false),
        ("ftp://x.org/", false),
        ("https://user:word@x.org/", false), ("javascript:alert(1)", false), ("file:///etc/passwd", false),
    ])
    func onlyPublicAddressesArePublished(_ text: String, _ isPublic: Bool) {
        #expect((Publication.address(text) != nil) == isPublic)
    }
}

@Suite struct SiteTests {
    private func site(_ dates: [String?], pageSize: Int = 100) throws -> Site {
        var items = GalleryItems()
        for (number, date) in dates.enumerated() { items.add(try item(date, "\(number)")) }
        var settings = GallerySettings(title: "Sky <& more>", theme: .auto, pageSize: 100)
        settings.pageSize = pageSize
        return Site(items, settings)
    }

    @Test func newestPlacesComeFirstAndUndatedPlacesLast() throws {
        let site = try site([nil, "2024-02-03", "2024-03-01", nil, "2024-02-04"])
        #expect(site.items.map(\.title) == ["2", "4", "1", "0", "3"].map { "Picture \($0)" })
        #expect(
            site.pages.map(\.path) == ["index.html", "pages/2024-03.html", "pages/2024-02.html", "pages/undated.html"])
        #expect(site.pages.map(\.items) == [0..<5, 0..<1, 1..<3, 3..<5])
        #expect(site.address(of: 1) == "pages/2024-02.html#2024-02-04")
        #expect(site.link(to: 1, from: site.pages[0]) == "#2024-02-04")
        #expect(site.link(to: 1, from: site.pages[1]) == "../pages/2024-02.html#2024-02-04")
    }

    @Test func aMonthWithManyPicturesHasSeveralPages() throws {
        let site = try site((1...5).map { "2024-02-0\($0)" }, pageSize: 2)
        #expect(
            site.pages.map(\.path) == [
                "index.html", "pages/2024-02.3.html", "pages/2024-02.2.html", "pages/2024-02.html",
            ])
        // Page 1 has the oldest pictures, so that a new picture moves no other picture to another page.
        #expect(site.pages.map(\.items) == [0..<2, 0..<1, 1..<3, 3..<5])
        #expect(site.days == "galleryData(\"days\",{\"2024-02\":31});\n")
        let names = Dictionary(uniqueKeysWithValues: site.names.map { ($0.path, $0.text) })
        #expect(names["data/names-3.js"] == "galleryData(\"names-3\",{\"pages/2024-02.2.html\":[\"2024-02-03\"]});\n")
        #expect(names.count == 5)
        #expect(try site.markup(of: site.pages[0]).contains(text: "href=\"pages/2024-02.2.html\""))
        let list = try site.listOfMonths()
        #expect(list.contains(text: "<a href=\"2024-02.3.html\">") && list.contains(text: "<span>5 pictures</span>"))
    }

    @Test func dayIsAlsoTheIDOfItsFirstRemainingPicture() throws {
        var items = GalleryItems()
        for name in ["a", "b", "c"] { items.add(try item("2024-02-03", name)) }
        let first = items.items[0].key
        items.keep { $0.key != first }
        let site = Site(items, GallerySettings(title: "Sky", theme: .auto, pageSize: 100))
        let named = site.names.flatMap { $0.text.split(separator: "\"").map(String.init) }
        #expect(named.filter { $0 == "2024-02-03" }.count == 1)
        #expect(Set(named).isSuperset(of: items.items.map(\.id)))
    }

    @Test func hostileTextsAreEscaped() throws {
        var items = GalleryItems()
        var hostile = try item("2024-02-03", "x").stored.read()
        hostile.set("title", .string("</script><img src=x onerror=alert(1)>\u{2028}"))
        hostile.set("alt", .string("\" onload=\"alert(1)"))
        hostile.set("permalink", .string("javascript:alert(1)"))
        items.add(
            try GalleryItem(
                key: String(repeating: "a", count: 32), record: hostile, day: CalendarDay("2024-02-03")))
        let site = Site(items, GallerySettings(title: "<b>", theme: .auto, pageSize: 100))
        let data = try Array(SearchIndex(site).files.values)
        for text in try [
            site.markup(of: site.pages[0]), site.markup(of: site.pages[1]), site.markup(ofPicture: 0), site.feed(),
        ] + data {
            #expect(
                !text.contains(text: "<img src=x") && !text.contains(text: "\" onload")
                    && !text.contains(text: "href=\"javascript"))
        }
        for text in data { #expect(!text.contains(text: "</script") && !text.contains(text: "\u{2028}")) }
    }

    @Test func sitemapAndNotFoundPageUseTheBaseURL() throws {
        var items = GalleryItems()
        items.add(try item("2024-02-03"))
        var settings = GallerySettings(title: "Sky <1>", theme: .dark, pageSize: 100)
        #expect(Site(items, settings).sitemap == nil)
        #expect(Site(items, settings).notFound.contains(text: "href=\"style.css\""))
        settings.baseURL = "https://example.org/a&b/"
        let site = Site(items, settings)
        let addresses = ["", "pages/index.html", "pages/2024-02.html", "2024/02-03.html"]
        let lines = addresses.map { "<url><loc>https://example.org/a&amp;b/\($0)</loc></url>" }
        #expect(site.sitemap?.split(separator: "\n").filter { $0.hasPrefix("<url>") }.map(String.init) == lines)
        #expect(site.notFound.contains(text: "href=\"/a&amp;b/style.css\"") && !site.notFound.contains(text: "<1>"))
        settings.baseURL = "https://example.org/"
        #expect(Site(items, settings).notFound.contains(text: "href=\"/index.html\""))
    }

    @Test func writtenRecordsCanBeReadAgain() throws {
        let site = try site(["2024-02-03", nil])
        let lines = try site.items.map { String(decoding: try $0.written().line, as: UTF8.self) }
        let read = try items(written: ["not JSON", ""] + lines.map { $0 + " " })
        #expect(read.map(\.id) == site.items.map(\.id) && read.map(\.number) == site.items.map(\.number))
    }

    @Test func anEmptyGalleryHasAStartPage() throws {
        let site = try site([])
        #expect(site.pages.map(\.path) == ["index.html"])
        #expect(try site.markup(of: site.pages[0]).contains(text: "</html>"))
    }
}

extension SearchIndex {
    /// The contents of the files by their paths.
    var files: [String: String] {
        get throws {
            var files: [String: String] = [:]
            try forEachFile { files[$0] = $1 }
            return files
        }
    }
}
