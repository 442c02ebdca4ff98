import Records
import Support
import Testing

@testable import APOD

@Suite struct LegacyAnswerTests {
    private func picture(_ changes: [String: JSON?] = [:]) throws -> Picture {
        try LegacyAnswer.picture(from: legacyAnswer("2026-11-20", changes))
    }

    @Test func legacyRecordHasTheClassicFieldOrder() throws {
        let record = try picture(["copyright": "Ada Example"]).record(source: .cache, fetchedAt: time("2026-11-20"))
        #expect(
            String(decoding: record.line, as: UTF8.self) == #"{"date":"2026-11-20","title":"A Ring of Dust","#
                + #""explanation":"Dust circles a star.","url":"https://assets.example.org/apod/ring.jpg","#
                + #""hdurl":"https://assets.example.org/apod/ring_big.jpg","media_type":"image","service_version":"v1","#
                + #""copyright":"Ada Example","apod":{"service":"api","source":"cache","fetched_at":"2026-11-20T12:00:00Z"}}"#
        )
    }

    @Test func creditsScriptsAndLineBreaksAreRemovedFromTexts() throws {
        let picture = try picture([
            "title": "A Ring\r\nCredit: NASA", "copyright": "\nAda\u{A0}Example, \n(Observatory)\n",
            "explanation": "Dust.  \nAnd more.   digg_url = 'http://x'; digg_skin = 'compact'; Note.",
        ])
        #expect(picture.title == "A Ring")
        #expect(picture.copyright == "Ada Example, (Observatory)")
        #expect(picture.explanation == "Dust. And more. Note.")
    }

    @Test func leadingColonAndLabelOfACopyrightAreRemoved() throws {
        #expect(try picture(["copyright": ":\nAda Example\n"]).copyright == "Ada Example")
        #expect(try picture(["copyright": "Image Credit & Copyright: Ada"]).copyright == "Ada")
        #expect(try picture(["copyright": " "]).copyright == nil)
    }

    @Test(arguments: ["mov", "MPG", "wmv", "mp4", "html"])
    func hdurlThatIsNoPictureIsDropped(_ suffix: String) throws {
        let picture = try picture(["hdurl": "https://x.org/a.\(suffix)"])
        #expect(picture.hdurl == nil)
        #expect(picture.url == "https://assets.example.org/apod/ring.jpg")
    }

    @Test func largerPictureMayBeATIFF() throws {
        #expect(try picture(["hdurl": "https://x.org/a.tif"]).hdurl == "https://x.org/a.tif")
    }

    @Test func addressesAreTrimmedAndBlanksEscaped() throws {
        let picture = try picture(["hdurl": "http://x.org/a.jpg ", "url": "http://x.org/a b.jpg"])
        #expect(picture.hdurl == "http://x.org/a.jpg")
        #expect(picture.url == "http://x.org/a%20b.jpg")
        #expect(try self.picture(["hdurl": nil]).hdurl == nil)
    }

    @Test func protocolRelativeVideosBecomeHTTPS() throws {
        let picture = try picture([
            "media_type": "video", "url": "//www.youtube.com/embed/abc-DEF_123?rel=0", "hdurl": nil,
        ])
        #expect(picture.url == "https://www.youtube.com/embed/abc-DEF_123?rel=0")
        #expect(picture.thumbnailURL == "https://img.youtube.com/vi/abc-DEF_123/0.jpg")
    }

    @Test func emptyThumbnailAddressIsOmitted() throws {
        let movie = try picture([
            "media_type": "video", "url": "https://x.org/a.mp4", "hdurl": nil, "thumbnail_url": "",
        ])
        #expect(movie.thumbnailURL == nil)
        let given = try picture([
            "media_type": "video", "url": "https://x.org/a.mp4", "thumbnail_url": "https://x.org/a.jpg",
        ])
        #expect(given.thumbnailURL == "https://x.org/a.jpg")
    }

    @Test func addressOfAVideoMayBeAPage() throws {
        let picture = try picture(["media_type": "video", "url": "https://x.org/hudf.html", "hdurl": nil])
        #expect(picture.mediaType == .video)
        #expect(picture.url == "https://x.org/hudf.html")
    }

    @Test func onlyOtherMediaMayLackAnAddress() throws {
        #expect(try picture(["media_type": "other", "url": nil, "hdurl": nil]).url == nil)
        for type in ["image", "video"] {
            #expect(throws: APODFailure.badAnswer(.missing(field: "url"), .api)) {
                try picture(["media_type": .string(type), "url": nil, "hdurl": nil])
            }
        }
    }

    @Test func imageWithoutAnAddressUsesItsLargerVersion() throws {
        #expect(try picture(["url": nil]).url == "https://assets.example.org/apod/ring_big.jpg")
    }

    @Test(arguments: [
        ("https://x.org/a.jpg", Picture.MediaType.image), ("https://x.org/a.mp4", .video),
        ("https://www.youtube.com/embed/abc-DEF_123", .video), ("https://x.org/a.html", .other),
    ])
    func missingMediaTypeIsDerivedFromTheAddress(url: String, type: Picture.MediaType) throws {
        #expect(try picture(["media_type": nil, "url": .string(url)]).mediaType == type)
    }

    @Test(arguments: [
        "n/a", "none", "<a href=\"x\">here</a>", "https://www.youtube.com/embed/abc-DEF_123", "https:///a.jpg",
        "ftp://x.org/a.jpg",
        "data:image/gif;base64,AAAA", "javascript:void(0)", "https://x.org/a.swf",
    ])
    func invalidHDURLIsDropped(_ hdurl: String) throws {
        #expect(try picture(["hdurl": .string(hdurl)]).hdurl == nil)
    }

    @Test(arguments: [JSON.null, .integer(7), .object([]), .array(["https://x.org/a.jpg"]), .bool(false)])
    func hdurlOfAnotherJSONTypeIsIgnored(_ hdurl: JSON) throws {
        #expect(try picture(["hdurl": hdurl]).hdurl == nil)
    }

    @Test func relativeReferenceIsResolvedAgainstTheSite() throws {
        #expect(try picture(["hdurl": "image/0101/a.jpg"]).hdurl == "https://apod.nasa.gov/apod/image/0101/a.jpg")
    }

    @Test(
        arguments: [
            ("image", "https://x.org/a.mp4", "https://x.org/a.jpg", Picture.MediaType.video, "https://x.org/a.mp4"),
            ("image", "https://x.org/a.html", "https://x.org/a.jpg", .image, "https://x.org/a.jpg"),
            ("image", "https://x.org/a.html", nil, .other, "https://x.org/a.html"),
            ("iframe", "https://x.org/globe/", nil, .other, "https://x.org/globe/"),
            ("iframe", "//player.vimeo.com/video/1", nil, .video, "https://player.vimeo.com/video/1"),
            ("other", "https://youtu.be/abc-DEF_123", nil, .video, "https://youtu.be/abc-DEF_123"),
            ("IMAGE ", "https://x.org/a.jpg", nil, .image, "https://x.org/a.jpg"),
            ("gif", "https://x.org/a.gif", nil, .image, "https://x.org/a.gif"),
            ("", "https://x.org/pictures/17", nil, .image, "https://x.org/pictures/17"),
        ] as [(String, String, String?, Picture.MediaType, String)])
    func mediaTypeIsCorrected(word: String, url: String, hdurl: String?, type: Picture.MediaType, shown: String)
        throws
    {
        let picture = try picture([
            "media_type": .string(word), "url": .string(url), "hdurl": hdurl.map { .string($0) },
        ])
        #expect(picture.mediaType == type)
        #expect(picture.url == shown)
    }

    @Test func tagsAndEntitiesLeftByAServerAreRemoved() throws {
        let picture = try picture([
            "title": "M&amp;M&#8217;s <i>Ring</i>", "explanation": "<b>Explanation:</b> Dust<br>&eacute; 1 < 2",
            "copyright": "<a href=x>Ada</a> &amp; Bob,",
        ])
        #expect(picture.title == "M&M\u{2019}s Ring")
        #expect(picture.explanation == "Dust \u{E9} 1 < 2")
        #expect(picture.copyright == "Ada & Bob")
    }

    @Test func nasasLogoIsRefused() {
        let refusal = APODFailure.standIn(.placeholder, day("2026-11-20"), .api)
        #expect(throws: refusal) { try LegacyAnswer.picture(from: logoAnswer()) }
        #expect(throws: refusal) { try picture(["title": "NASA Science"]) }
        #expect(throws: refusal) { try picture(["url": "http://localhost/static/default_apod_image.jpg"]) }
        #expect(refusal.exitCode == .unavailable)
        #expect(refusal.code == "stand-in")
        #expect(refusal.message.contains("stand-in"))
    }

    @Test(arguments: ["nasa-logo@2x.png", "nasa-logo%402x.png", "nasa-logo.png", "news-thumbnail.png"])
    func pictureWithTheFileNameOfAPlaceholderIsRefused(_ name: String) {
        let refusal = APODFailure.standIn(.placeholder, day("2026-11-20"), .api)
        #expect(throws: refusal) { try picture(["url": "https://www.nasa.gov/wp-content/\(name)"]) }
    }

    @Test func classicServerMayReturnObjectsOfTheNewService() throws {
        let picture = try LegacyAnswer.picture(from: scienceAnswer("2026-11-20", ["service_version": "v1"]))
        #expect(picture.service == .api)
        #expect(picture.hdurl == "https://assets.example.org/apod/ring.jpg")
        #expect(picture.explanation == "Dust circles a star.")
        #expect(picture.fields.string("service_version") == "v1")
    }
}
