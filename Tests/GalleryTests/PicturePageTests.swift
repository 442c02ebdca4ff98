import Articles
import Records
import Support
import TestSupport
import Testing

@testable import Gallery

@Suite struct PicturePageTests {
    private func site(_ items: [GalleryItem], base: String? = nil, title: String = "Sky") -> Site {
        var collection = GalleryItems()
        for item in items { collection.add(item) }
        var settings = GallerySettings(title: title, theme: .auto, pageSize: 100)
        settings.baseURL = base
        return Site(collection, settings)
    }

    @Test func pathIsMadeFromTheID() throws {
        let site = site([
            try item("2024-02-03", "a"), try item("2024-02-03", "b"),
            try item("0987-12-01", "c"), try item(nil, "d"),
        ])
        let paths = site.items.map(\.page)
        let (second, undated) = (site.items[1], site.items[3])
        #expect(
            paths == [
                "2024/02-03.html", "2024/02-03-\(second.key.prefix(6)).html", "0987/12-01.html",
                "undated/p-\(undated.key.prefix(12)).html",
            ])
        for path in paths { #expect(GalleryItem.isPage(path)) }
    }

    @Test func headingsAndLinksAreInEnglish() throws {
        var pictured = try item("2024-02-03", "a").stored.read()
        pictured.set("url", .string("https://example.org/a.jpg"))
        pictured.set("permalink", .string("https://example.org/page"))
        let path = "pictures/\(String(repeating: "a", count: 20))-original.jpg"
        let original = JSON.object(["path": .string(path), "width": .integer(900), "height": .integer(600)])
        let variants = try Record(parsing: Array(#require(pictured.raw("variants"))))
        let pager = try #require(variants.raw("pager"))
        pictured.set("variants", .object(["pager": .raw(Array(pager)), "original": original]))
        let site = site([
            try GalleryItem(key: String(repeating: "a", count: 32), record: pictured, day: CalendarDay("2024-02-03")),
            try item(nil, "b"), try GalleryItem(key: String(repeating: "b", count: 32), record: Record(), day: nil),
        ])
        #expect(site.pages.map(\.heading) == ["Newest pictures", "February 2024", "Without a date"])
        let start = try site.markup(of: site.pages[0])
        for words in [
            ">More pictures<", "The original (900 × 600)", "Its page at example.org", "There is no picture",
        ] {
            #expect(start.contains(text: words), "\(words)")
        }
        #expect(try site.listOfMonths().contains(text: ">All months<"))
    }

    @Test(arguments: [
        "2024/02-30.html", "2024/about.html", "2024/02-03.htm", "2024/02-03-ABCDEF.html", "2024/02-03-abc.html",
        "undated/x.html", "undated/p-../x.html", "24/02-03.html", "2024/../02-03.html", "pages/2024-02.html",
        "/2024/02-03.html", "2024/02-03/.html",
    ])
    func otherFilesAreNotPicturePages(_ path: String) { #expect(!GalleryItem.isPage(path)) }

    @Test func pageLinksToItsNeighboursAndToTheGallery() throws {
        let site = site(try ["2024-02-01", "2024-02-03", "2024-03-01"].map { try item($0, $0) })
        let page = try site.markup(ofPicture: 1)
        for part in [
            "<link rel=\"prev\" href=\"../2024/03-01.html\">", "<link rel=\"next\" href=\"../2024/02-01.html\">",
            "<a rel=\"prev\" href=\"../2024/03-01.html\">", "href=\"../pages/2024-02.html#2024-02-03\"",
            "<h1 dir=\"auto\">Picture 2024-02-03</h1>",
        ] { #expect(page.contains(text: part), "\(part)") }
        #expect(!page.contains(text: "<script") && !page.contains(text: "og:") && !page.contains(text: "canonical"))
        #expect(try !site.markup(ofPicture: 0).contains(text: "rel=\"prev\""))
        #expect(try site.markup(of: site.pages[1]).contains(text: "href=\"../2024/03-01.html\""))
    }

    private func animation(frames: Int, hasStill: Bool = true, base: String? = nil) throws -> Site {
        let still = try item("2024-02-03", "a")
        var record = try still.stored.read()
        let file = #""width":300,"height":200,"frames":"#
        func path(_ name: String) -> String { "pictures/\(String(repeating: "a", count: 20))-\(name).gif" }
        let files = (hasStill ? [("still", 1)] : []) + [("pager", frames)]
        let fields = files.map { #""\#($0)":{"path":"\#(path($0))",\#(file)\#($1)}"# }
        record.set("variants", .raw(Array("{\(fields.joined(separator: ","))}".utf8)))
        let items = [try GalleryItem(key: still.key, record: record, day: still.day), try item("2024-02-01", "b")]
        return site(items, base: base)
    }

    @Test func pagesShowTheStillOfAnAnimationWithALinkToTheAnimation() throws {
        let moving = try animation(frames: 8)
        let mark = "-pager.gif\">Play the animation</a>"
        let start = try moving.markup(of: moving.pages[0])
        #expect(start.contains(text: "class=\"hero video\"") && start.contains(text: mark))
        #expect(start.contains(text: "-pager.gif\" alt=\"Picture a\" loading=\"lazy\""))
        let month = try moving.markup(of: moving.pages[1])
        let tile = try #require(month.split(separator: "\n").first { $0.hasPrefix("<li class=\"tile w1 t5 video\"") })
        #expect(tile.contains("-still.gif") && !tile.contains("-pager.gif"))
        let page = try moving.markup(ofPicture: 0)
        #expect(page.contains(text: "<img src=\"../pictures/aaaaaaaaaaaaaaaaaaaa-still.gif\""))
        #expect(page.contains(text: mark) && !page.contains(text: "-pager.gif 300w"))
        // A picture with a single frame has no mark, and neither has an animation that an earlier version made.
        for other in [try animation(frames: 1), try animation(frames: 8, hasStill: false)] {
            let pages = try other.markup(of: other.pages[0]) + other.markup(ofPicture: 0)
            #expect(!pages.contains(text: " video\"") && !pages.contains(text: "class=\"play"))
        }
    }

    @Test func previewsAndTheFeedShowTheStillOfAnAnimation() throws {
        for (hasStill, name) in [(true, "still"), (false, "pager")] {
            let site = try animation(frames: 8, hasStill: hasStill, base: "https://example.org/")
            let file = "https://example.org/pictures/aaaaaaaaaaaaaaaaaaaa-\(name).gif"
            for page in try [site.markup(of: site.pages[0]), site.markup(ofPicture: 0)] {
                #expect(page.contains(text: "<meta property=\"og:image\" content=\"\(file)\">"))
            }
            let feed = try site.feed()
            #expect(feed.contains(text: file) && !(hasStill && feed.contains(text: "-pager.gif")))
        }
    }

    @Test func rowsOfTheSearchTellWhichTilesHaveAPlayMark() throws {
        let moving = try animation(frames: 8)
        func length(_ row: JSON) -> Int {
            guard case .array(let values) = row else { return 0 }
            return values.count
        }
        #expect(try length(moving.row(0)) == 8 && length(moving.row(1)) == 7)
        var video = try item("2024-02-03", "v", fails: true).stored.read()
        video.set("media_type", .string("video"))
        let items = [try GalleryItem(key: String(repeating: "a", count: 32), record: video, day: nil)]
        #expect(try length(site(items).row(0)) == 8)
        #expect(try length(site([item("2024-02-03", "w", fails: true)]).row(0)) == 4)
    }

    @Test func onlyPagesWithAMovieAllowItsHost() throws {
        func page(_ url: String) throws -> String {
            let fields = "\"media_type\":\"video\",\"url\":\"\(url)\""
            let video = try GalleryItem(
                key: String(repeating: "a", count: 32), record: try record("{\(fields)}"), day: nil)
            let site = site([video, try item("2024-02-01", "b")])
            #expect(try !site.markup(of: site.pages[1]).contains(text: "media-src"))
            return try site.markup(of: site.pages[0])
        }
        let movie = "https://example.org:444/a&b.mp4"
        let markup = try page(movie)
        #expect(markup.contains(text: "form-action 'none'; media-src https://example.org:444\">"))
        #expect(
            markup.contains(
                text: "href=\"https://example.org:444/a&amp;b.mp4\" data-movie=\"https://example.org:444/a&amp;b.mp4\"")
        )
        #expect(try !page("https://example.org/a.html").contains(text: "media-src"))
    }

    @Test func emptyPagesSaySo() throws {
        let (none, one) = (site([]), site([try item("2024-02-03", "a")]))
        #expect(try none.markup(of: none.pages[0]).contains(text: "No pictures yet"))
        #expect(try none.listOfMonths().contains(text: "No pictures yet"))
        let start = try one.markup(of: one.pages[0])
        #expect(start.contains(text: "class=\"hero\"") && !start.contains(text: "More pictures</h2>"))
    }

    @Test func monthsShowTheirNewestPicture() throws {
        let failure = try item("2024-02-09", "c", fails: true)
        let list = try site([
            failure, try item("2024-02-03", "a"), try item("2024-02-01", "b"), try item("2024-01-01", "d", fails: true),
        ]).listOfMonths()
        #expect(
            list.contains(
                text: "<a href=\"2024-02.html\"><img src=\"../pictures/\(SHA256.hex(of: "a").prefix(20))-pager.jpg\""))
        #expect(list.contains(text: "February <span>3 pictures</span>"))
        #expect(list.contains(text: "<a href=\"2024-01.html\"><i></i>January <span>1 picture</span>"))
    }

    @Test func linkPreviewNeedsTheBaseAddress() throws {
        let site = site([try item("2024-02-03", "a")], base: "https://example.org/a&b/")
        let page = try site.markup(ofPicture: 0)
        for part in [
            "<link rel=\"canonical\" href=\"https://example.org/a&amp;b/2024/02-03.html\">",
            "<meta property=\"og:title\" content=\"Picture a\">",
            "<meta property=\"og:image\" content=\"https://example.org/a&amp;b/pictures/",
            "<meta name=\"twitter:card\" content=\"summary_large_image\">",
        ] { #expect(page.contains(text: part), "\(part)") }
        #expect(try site.feed().contains(text: "https://example.org/a&amp;b/2024/02-03.html"))
    }

    @Test func descriptionsAreCutBetweenWords() {
        #expect(Site.shortened("one two", to: 7) == "one two")
        #expect(Site.shortened("one two three", to: 9) == "one two…")
        #expect(Site.shortened("abcdef", to: 3) == "abc…")
    }

    @Test func aNewPictureChangesItsPageAndItsNeighbours() throws {
        let dates = (1...9).map { "2024-02-0\($0)" }
        let items = try dates.map { try item($0, $0) }
        let before = site(items.filter { $0.day?.day != 5 })
        let after = site(items)
        func changed(_ after: Site) throws -> [String] {
            try after.items.enumerated().filter { index, item in
                guard let old = before.items.firstIndex(where: { $0.id == item.id }) else { return true }
                let isSame = after.hasSamePage(index, as: old, in: before)
                let isEqual = try after.markup(ofPicture: index) == before.markup(ofPicture: old)
                #expect(isSame == isEqual)
                return !isSame
            }.map(\.element.id)
        }
        #expect(try changed(after) == ["2024-02-06", "2024-02-05", "2024-02-04"])
        #expect(try changed(before).isEmpty)
    }

    @Test func markupIsPredictedToBeTheSameExactlyIfItIsEqual() throws {
        let days = (1...28).map { CalendarDay(year: 2024, month: 2, day: $0)! }
        let dates = ["2023-12-31", "2024-01-10", "2024-03-01"] + days.map(\.description)
        let items = try dates.map { try item($0, $0) }
        for added in dates {
            let before = site(items.filter { $0.day?.description != added })
            let after = site(items)
            for (number, page) in after.pages.enumerated().dropFirst() {
                guard let old = before.pages.firstIndex(where: { $0.path == page.path }) else { continue }
                let isSame = after.hasSameMarkup(number, as: old, in: before)
                let isEqual = try after.markup(of: page) == before.markup(of: before.pages[old])
                #expect(isSame == isEqual, "\(added) \(page.path)")
            }
        }
    }

    @Test func settingsChangeTheStampOfAllPages() {
        let settings = GallerySettings(title: "Sky", theme: .auto, pageSize: 100)
        var others = Array(repeating: settings, count: 6)
        others[0].title = "Sea"
        others[1].theme = .dark
        others[2].pageSize = 50
        others[3].baseURL = "https://example.org/"
        others[4].stylesheet = []
        others[5].groupField = "tags"
        let stamps = others.map { Site.stamp("1", $0) }
        #expect(Set(stamps + [Site.stamp("1", settings), Site.stamp("2", settings)]).count == 8)
    }
}
