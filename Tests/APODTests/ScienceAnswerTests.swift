import Records
import Support
import Testing

@testable import APOD
@testable import Articles

@Suite struct ScienceAnswerTests {
    private func picture(_ changes: [String: JSON?] = [:]) throws -> Picture {
        try ScienceAnswer.picture(from: scienceAnswer("2026-11-20", changes))
    }

    @Test func scienceRecordHasTheClassicFieldOrder() throws {
        let record = try picture().record(fetchedAt: time("2026-11-20"))
        #expect(
            String(decoding: record.line, as: UTF8.self) == #"{"date":"2026-11-20","title":"A Ring of Dust","#
                + #""explanation":"Dust circles a star.","#
                + #""url":"https://assets.example.org/apod/ring.jpg?w=1024&h=768&fit=clip&crop=faces%2Cfocalpoint","#
                + #""hdurl":"https://assets.example.org/apod/ring.jpg","media_type":"image","service_version":"v2","#
                + #""copyright":"Ada Example","permalink":"https://science.example.org/apod-ring/","credit":"Ada Example","#
                + #""alt":"A ring.","apod":{"service":"science","source":"network","fetched_at":"2026-11-20T12:00:00Z"}}"#
        )
    }

    @Test func htmlIsRemovedFromTexts() throws {
        let picture = try picture([
            "title": "M104&#039;s <i>Tidal</i>\u{A0}Streams &#8211; Two",
            "explanation": .string(
                "<strong>Explanation:\u{A0}</strong>See <a href=x>Rhea</a> , once.<br><br><b>Retrospective:</b> "
                    + "<a>All</a> <br /><strong>Tomorrow's picture:\u{A0}</strong>a smile"),
            "alt": " A &lt;ring&gt;\n",
        ])
        #expect(picture.title == "M104's Tidal Streams \u{2013} Two")
        #expect(picture.explanation == "See Rhea, once. Retrospective: All")
        #expect(picture.alt == "A <ring>")
    }

    @Test(arguments: [
        "See Explanation.", "See Explanation. Clicking on the picture will download the highest resolution version.",
        " see explanation.  Moving the cursor over the image will bring up an annotated version.",
    ])
    func instructionsInAltTextAreDropped(_ alt: String) throws {
        #expect(try picture(["alt": .string(alt)]).alt == nil)
    }

    @Test func creditWithoutAClaimIsNotACopyright() throws {
        let credit = JSON.string("<b> Image Credit: </b> <a href=x>NASA</a> , <a href=y>JPL</a>")
        let picture = try picture(["credit": credit, "copyright": credit])
        #expect(picture.credit == "NASA, JPL")
        #expect(picture.copyright == nil)
    }

    @Test func creditLabelledAsCopyrightSetsTheCopyrightHolder() throws {
        let credit = JSON.string("<b> Image Credit &amp; <a href=x>Copyright</a>: </b> <a>Bob Example</a>")
        for changes: [String: JSON?] in [
            ["credit": credit, "copyright": credit], ["credit": credit, "copyright": .null],
        ] {
            let picture = try picture(changes)
            #expect(picture.credit == "Bob Example")
            #expect(picture.copyright == "Bob Example")
        }
    }

    @Test func emptyAndNullFieldsAreAbsent() throws {
        let picture = try picture(["credit": "", "copyright": .null, "alt": " ", "permalink": nil, "url": nil])
        let record = picture.record(fetchedAt: time("2026-11-20"))
        #expect(
            record.names == ["date", "title", "explanation", "url", "hdurl", "media_type", "service_version", "apod"])
    }

    @Test func aVideosPlayerIsFoundInItsPage() throws {
        let picture = try picture([
            "media_type": "video", "hdurl": .string(placeholder),
            "basic_html": page("<iframe width=\"960\" src=\"//www.youtube.com/embed/abc-DEF_123?rel=0\"></iframe>"),
        ])
        #expect(picture.mediaType == .video)
        #expect(picture.url == "https://www.youtube.com/embed/abc-DEF_123?rel=0")
        #expect(picture.hdurl == nil)
        #expect(picture.thumbnailURL == "https://img.youtube.com/vi/abc-DEF_123/0.jpg")
    }

    @Test func aMoviesStillIsItsThumbnail() throws {
        let picture = try picture([
            "media_type": "video", "hdurl": "https://x.org/still.png?w=10",
            "basic_html": page("<video controls><source src=\"https://x.org/a.mp4\" type=\"video/mp4\"></video>"),
        ])
        #expect(picture.url == "https://x.org/a.mp4")
        #expect(picture.hdurl == nil)
        #expect(picture.thumbnailURL == "https://x.org/still.png?w=10")
    }

    @Test func aMovieWithAPlaceholderHasNoThumbnail() throws {
        let picture = try picture([
            "media_type": "video", "hdurl": .string(placeholder), "basic_html": page("<video src=https://x.org/a.mp4>"),
        ])
        #expect(picture.url == "https://x.org/a.mp4")
        #expect(picture.thumbnailURL == nil)
    }

    @Test func videoWithoutAnAddressHasTheAddressOfItsArticle() throws {
        let picture = try picture(["media_type": "video", "basic_html": page("")])
        #expect(picture.url == "https://science.example.org/apod-ring/")
        #expect(throws: APODFailure.standIn(.nothing, day("2026-11-20"), .science)) {
            try self.picture(["media_type": "video", "basic_html": nil, "permalink": nil, "url": nil])
        }
    }

    @Test func animatedPictureIsReadFromThePageIfTheAddressIsAPlaceholder() throws {
        let picture = try picture([
            "hdurl": .string(placeholder), "basic_html": page("<a href=/big.gif><IMG SRC=\"//x.org/small.gif\"></a>"),
        ])
        #expect(picture.mediaType == .image)
        #expect(picture.url == "https://x.org/small.gif")
        #expect(picture.hdurl == "https://science.example.org/big.gif")
    }

    @Test func videoWithMediaTypeImageIsAVideo() throws {
        let picture = try picture([
            "hdurl": .string(placeholder), "basic_html": page("<video src=https://x.org/a.mp4>"),
        ])
        #expect(picture.mediaType == .video)
        #expect(picture.url == "https://x.org/a.mp4")
    }

    @Test func aPlaceholderIsNeverThePicture() {
        for html in [
            page(""), page("<img src=\"\(placeholder)\">"), page("<iframe src=https://count.org/me></iframe>"),
        ] {
            #expect(throws: APODFailure.standIn(.placeholder, day("2026-11-20"), .science)) {
                try picture(["hdurl": .string(placeholder), "basic_html": html])
            }
        }
    }

    @Test(arguments: [JSON.null, "", .bool(false)])
    func dayWithoutAnyPictureAddressFails(_ hdurl: JSON) {
        #expect(throws: APODFailure.standIn(.nothing, day("2026-11-20"), .science)) {
            try picture(["hdurl": hdurl, "basic_html": page("")])
        }
    }

    @Test func iframeOfAKnownPlayerIsAVideo() throws {
        let player = try picture([
            "media_type": "iframe", "basic_html": page("<iframe src=//player.vimeo.com/video/1>"),
        ])
        #expect(player.mediaType == .video)
        let other = try picture(["media_type": "iframe", "basic_html": page("<iframe src=//x.org/globe/>")])
        #expect(other.mediaType == .other)
        #expect(other.url == "https://x.org/globe/")
        let unknown = try picture(["media_type": "iframe", "hdurl": .string(placeholder), "basic_html": page("")])
        #expect(unknown.mediaType == .other)
        #expect(unknown.url == nil)
    }

    @Test func missingMediaTypeIsDerivedFromTheAnswer() throws {
        #expect(try picture(["media_type": nil]).mediaType == .image)
        let video = try picture([
            "media_type": nil, "hdurl": .string(placeholder), "basic_html": page("<video src=https://x.org/a.mp4>"),
        ])
        #expect(video.mediaType == .video)
    }

    @Test(arguments: [
        "A Ring\r\nCredit: NASA", "A Ring<br>Image Credit &amp; Copyright: X", "<b\nid=x>A Ring</b>",
        "A\nRing<BR>\u{A9} X",
    ])
    func creditsAfterATitleAreRemoved(_ title: String) throws {
        #expect(try picture(["title": .string(title)]).title == "A Ring")
    }

    @Test func creditLinesAreSeparatedBySemicolons() throws {
        let credit = JSON.string("<b>Video Credit:</b> NASA, <a href=x>ESA</a> <br><b>Music:</b> Se\u{E1}n Example<br>")
        #expect(try picture(["credit": credit]).credit == "NASA, ESA; Music: Se\u{E1}n Example")
    }

    @Test(arguments: [
        "https://x.org/a.mov", "https://x.org/a.html", "javascript:alert(1)", "data:image/png;base64,AAAA",
        "ftp://x.org/a.jpg",
        "<a href=x>full</a>", "not available", "https://x.org:port/a b.mp4", "https://ex ample.org/a.jpg",
        "https://youtu.be/abc-DEF_123",
    ])
    func invalidAddressOfTheFullPictureIsReplacedFromThePage(_ hdurl: String) throws {
        let picture = try picture(["hdurl": .string(hdurl)])
        #expect(picture.mediaType == .image)
        #expect(picture.url == "\(pictureServer)/ring.jpg")
        #expect(picture.hdurl == "\(pictureServer)/ring.jpg")
    }

    @Test(arguments: [JSON.integer(5), .object([]), .array(["https://x.org/a.jpg"]), .null, "", .bool(true)])
    func fullPictureOfAnotherJSONTypeIsIgnored(_ hdurl: JSON) throws {
        #expect(try picture(["hdurl": hdurl]).url == "\(pictureServer)/ring.jpg")
    }

    @Test(arguments: [
        ("https://x.org/a.tif?w=10", "https://x.org/a.tif"), (" https://x.org/a b.jpg ", "https://x.org/a%20b.jpg"),
        ("//x.org/a.png", "https://x.org/a.png"),
        ("/image/a.jpg", "https://science.example.org/image/a.jpg"),
    ])
    func addressOfTheFullPictureIsCorrected(_ hdurl: String, _ full: String) throws {
        #expect(try picture(["hdurl": .string(hdurl), "basic_html": nil]).hdurl == full)
    }

    @Test(arguments: [
        ("IMAGE", Picture.MediaType.image), (" Image\n", .image), ("Video", .video), ("IFRAME", .other),
        ("Other", .other), ("gif", .image), ("", .image),
    ])
    func mediaTypeIgnoresCaseAndBlanks(_ word: String, _ type: Picture.MediaType) throws {
        #expect(try picture(["media_type": .string(word)]).mediaType == type)
    }

    @Test(arguments: [JSON.null, .integer(1), .array([]), .object([])])
    func mediaTypeOfAnotherJSONTypeIsIgnored(_ value: JSON) throws {
        #expect(try picture(["media_type": value]).mediaType == .image)
    }

    @Test(arguments: [
        "https://www.dailymotion.com/embed/video/x1", "//www.ustream.tv/embed/10414700",
        "https://player.twitch.tv/?video=1",
        "https://embed.ted.com/talks/x", "https://livestream.com/accounts/1/events/2/player", "https://vimeo.com/123",
    ])
    func knownPlayersAreVideos(_ player: String) throws {
        #expect(
            try picture(["media_type": "other", "basic_html": page("<iframe src=\"\(player)\"></iframe>")]).mediaType
                == .video)
    }

    @Test func postNumberMayHaveAnyJSONType() throws {
        for value: JSON in [.integer(1), "1", .null] {
            #expect(try picture(["post_id": value]).title == "A Ring of Dust")
        }
    }

    @Test(arguments: ["date", "title", "explanation"])
    func aMissingFieldIsABadAnswer(_ field: String) {
        #expect(throws: APODFailure.badAnswer(.missing(field: field), .science)) { try picture([field: nil]) }
    }

    @Test func fieldsOfTheWrongTypeAreABadAnswer() {
        #expect(throws: APODFailure.badAnswer(.wrongType(field: "date"), .science)) {
            try picture(["date": "tomorrow"])
        }
        #expect(throws: APODFailure.badAnswer(.wrongType(field: "title"), .science)) {
            try picture(["title": .array(["x"])])
        }
        #expect(throws: APODFailure.badAnswer(.missing(field: "title"), .science)) {
            try picture(["title": "<b> </b>"])
        }
    }

    @Test func deeplyNestedHTMLIsABadAnswer() {
        let html = String(repeating: "<div>", count: 100_000)
        #expect(throws: APODFailure.badAnswer(.tangledHTML(field: "explanation"), .science)) {
            try picture(["explanation": .string(html)])
        }
        // The address of a picture is not in the page.
        #expect(throws: Never.self) { try picture(["basic_html": .string(html)]) }
        // The address of a video is only in the page.
        #expect(throws: APODFailure.badAnswer(.tangledHTML(field: "basic_html"), .science)) {
            try picture(["media_type": "video", "basic_html": .string(html)])
        }
    }

    @Test(arguments: ["title", "explanation", "copyright", "credit", "alt"])
    func tooLongFieldIsABadAnswer(_ field: String) {
        let text = String(repeating: "a\n", count: 65_536 / 2 + 1)
        #expect(throws: APODFailure.badAnswer(.tangledHTML(field: field), .science)) {
            try picture([field: .string(text)])
        }
    }
}
