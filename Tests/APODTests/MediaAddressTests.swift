import Testing

@testable import APOD
@testable import Articles

@Suite struct MediaAddressTests {
    @Test func blanksAreTrimmedOrEscapedAndMissingSchemesBecomeHTTPS() {
        #expect(MediaAddress(" http://x.org/a b.jpg \n")?.text == "http://x.org/a%20b.jpg")
        #expect(MediaAddress("//x.org/a")?.text == "https://x.org/a")
        #expect(MediaAddress("http:\\\\x.org\\a.mov?b\\c")?.text == "http://x.org/a.mov?b\\c")
        #expect(MediaAddress("https://x.org\\@youtu.be/abc-DEF_123")?.youTubeID == nil)
    }

    @Test(arguments: [
        "", " ", "javascript:alert(1)", "data:image/gif;base64,AAAA", "image/a.jpg", "https://", "//", "#top",
        "https://x.org/\"a\"", "<https://x.org>", "https://ex ample.org/", "http://%41/", "http:/x.org/a",
    ])
    func invalidAddressIsNil(_ text: String) {
        #expect(MediaAddress(text) == nil)
    }

    @Test func referencesAreResolvedAgainstThePage() {
        let base = MediaAddress("https://x.org/apod/day.html?a=/b")
        #expect(MediaAddress("image/a.jpg", base: base)?.text == "https://x.org/apod/image/a.jpg")
        #expect(MediaAddress("/image/a.jpg", base: base)?.text == "https://x.org/image/a.jpg")
        #expect(MediaAddress("a.jpg", base: MediaAddress("https://x.org"))?.text == "https://x.org/a.jpg")
        #expect(MediaAddress("mailto:a@x.org", base: base) == nil)
    }

    @Test(arguments: [
        ("https://x.org/A.JPG?x=.mp4", MediaAddress.Kind.picture), ("https://x.org/a.tif", .picture),
        ("https://x.org/a.mov", .movie), ("https://x.org/a.MP4#t=1", .movie), ("https://x.org/a/hudf.html", .page),
        ("https://x.org/a.b/c", .unknown), ("https://x.org", .unknown), ("https://x.jpg", .unknown),
    ])
    func fileNameDeterminesTheMediaType(text: String, kind: MediaAddress.Kind) {
        #expect(MediaAddress(text)?.kind == kind)
    }

    @Test func fieldMayContainWordsInsteadOfAnAddress() {
        let base = MediaAddress("https://x.org/apod/")
        for words in ["n/a", "not available", "none", "-", "a.b"] {
            #expect(MediaAddress(field: words, base: base) == nil)
        }
        #expect(MediaAddress(field: "image/a.jpg", base: base)?.text == "https://x.org/apod/image/a.jpg")
        #expect(MediaAddress(field: "https://y.org/any", base: base)?.text == "https://y.org/any")
        #expect(MediaAddress(field: nil, base: base) == nil)
    }

    @Test func onlyResizingQueryParametersAreRemoved() {
        func full(_ text: String) -> String? { MediaAddress(text)?.withoutResizing.text }
        #expect(full("https://x.org/a.jpg?w=10&h=20&fit=clip&crop=faces%2Cfocalpoint") == "https://x.org/a.jpg")
        #expect(full("https://x.org/a.jpg?v=2&w=10") == "https://x.org/a.jpg?v=2")
        #expect(full("https://x.org/a.jpg") == "https://x.org/a.jpg")
    }

    @Test(arguments: [
        "https://www.youtube.com/embed/abc-DEF_123?rel=0", "https://youtu.be/abc-DEF_123",
        "http://m.youtube.com/watch?x=1&v=abc-DEF_123",
        "https://www.youtube-nocookie.com/embed/abc-DEF_123", "https://www.youtube.com/shorts/abc-DEF_123",
        "https://WWW.YOUTUBE.COM/v/abc-DEF_123&hl=en", "https://youtu.be/abc-DEF_123&t=5",
        "http://www.youtube.com/e/abc-DEF_123",
    ])
    func youTubeVideosHaveAStill(_ text: String) {
        #expect(MediaAddress(text)?.youTubeStill?.text == "https://img.youtube.com/vi/abc-DEF_123/0.jpg")
        #expect(MediaAddress(text)?.isVideo == true)
    }

    @Test(arguments: [
        "https://www.youtube.com/embed/videoseries?list=PL1", "https://youtube.com.evil.org/embed/abc-DEF_123",
        "https://notyoutube.com/embed/abc-DEF_123", "https://www.youtube.com/embed/short",
        "https://player.vimeo.com/video/1138604812",
    ])
    func addressesOtherThanYouTubeVideosHaveNoYouTubeID(_ text: String) {
        #expect(MediaAddress(text)?.youTubeID == nil)
    }

    @Test(arguments: [
        (
            "https://www.youtube.com/embed/abc-DEF_123?rel=0",
            "https://www.youtube-nocookie.com/embed/abc-DEF_123?autoplay=1",
            "https://www.youtube.com/watch?v=abc-DEF_123"
        ),
        (
            "https://player.vimeo.com/video/10019757?h=3a1&title=0",
            "https://player.vimeo.com/video/10019757?autoplay=1&dnt=1&h=3a1", "https://vimeo.com/10019757/3a1"
        ),
        (
            "https://vimeo.com/channels/sky/10019757", "https://player.vimeo.com/video/10019757?autoplay=1&dnt=1",
            "https://vimeo.com/10019757"
        ),
    ])
    func videosHaveAPlayerAndAPage(_ text: String, _ address: String, _ page: String) throws {
        let player = try #require(MediaAddress(text).flatMap(VideoPlayer.init))
        #expect(player.address == address && player.page == page)
        #expect(address.hasPrefix(player.origin + "/") && !player.isFile)
    }

    @Test(arguments: [
        ("https://x.org/a.mp4", "https://x.org"), ("HTTP://X.org:8080/b/A.WEBM?c=d.e", "http://x.org:8080"),
    ])
    func movieFilesAreTheirOwnPlayers(_ text: String, _ origin: String) throws {
        let player = try #require(MediaAddress(text).flatMap(VideoPlayer.init))
        #expect(player.isFile && player.address == text && player.page == text && player.origin == origin)
    }

    @Test(arguments: [
        "https://x.org/a.wmv", "https://x.org/a.mp4.html", "https://me@x.org/a.mp4", "https://x.org:80;a b/a.mp4",
        "https://\u{e9}.org/a.mp4", "https://notvimeo.com/1", "https://vimeo.com/about", "https://vimeo.com.x.org/1",
        "https://www.youtube.com/playlist?list=abc",
    ])
    func otherAddressesHaveNoPlayer(_ text: String) {
        #expect(MediaAddress(text).flatMap(VideoPlayer.init) == nil)
    }

    @Test(arguments: [
        "https://x.org/a/nasa-logo@2x.png", "https://x.org/nasa-logo%402x.png", placeholder,
        "https://x.org/static/default_apod_image.jpg", "https://x.org/NEWS-thumbnail.png",
    ])
    func standInsAreRecognisedByFileName(_ text: String) {
        #expect(MediaAddress(text)?.isStandIn == true)
    }

    @Test func folderNamedLikeTheLogoIsNotAStandIn() {
        #expect(MediaAddress("https://x.org/nasa-logo@2x.png/ring.jpg")?.isStandIn == false)
    }
}
