import Articles
import Testing

@testable import APOD

@Suite struct EmbeddedMediaTests {
    private func media(_ html: String) -> EmbeddedMedia {
        EmbeddedMedia(page: html, base: MediaAddress("https://x.org/apod/day/"))!
    }

    @Test(arguments: [
        "<iframe width=960 SRC='//v.org/a.mp4'></iframe>",
        "<video controls><source src=\"//v.org/a.mp4\" type=video/mp4></video>",
        "<video src=//v.org/a.mp4>", "<embed src=//v.org/a.mp4>", "<OBJECT data=//v.org/a.mp4></OBJECT>",
        "<iframe data-src=//v.org/a.mp4>", "<OBJECT><PARAM NAME=movie VALUE=//v.org/a.mp4></OBJECT>",
    ])
    func videosAreFoundInEveryElementThatPlaysThem(_ html: String) {
        #expect(media(html).videos.map(\.text) == ["https://v.org/a.mp4"])
    }

    @Test func videosComeBeforeOtherFrames() {
        let found = media(
            "<iframe src=https://count.org/me></iframe><iframe src=https://player.vimeo.com/video/1></iframe>")
        #expect(found.videos.map(\.text) == ["https://player.vimeo.com/video/1", "https://count.org/me"])
    }

    @Test func linkAroundAPictureIsItsLargerVersion() {
        let found = media(
            "<a href=big.gif><IMG SRC=small.gif></a> <a href=/page.html><img src=/b.png></a><img src=c.jpg>")
        #expect(
            found.pictures.map(\.shown.text) == [
                "https://x.org/apod/day/small.gif", "https://x.org/b.png", "https://x.org/apod/day/c.jpg",
            ])
        #expect(found.pictures.map(\.linked?.text) == ["https://x.org/apod/day/big.gif", nil, nil])
    }

    @Test func standInsAreNotPictures() {
        #expect(media("<img src='\(placeholder)'>").pictures.isEmpty)
    }

    @Test func posterOfAVideoIsItsStill() {
        #expect(media("<video poster=still.jpg src=a.mp4>").poster?.text == "https://x.org/apod/day/still.jpg")
    }

    @Test func linksAndTextsAboutVideosAreNotVideos() {
        let found = media(
            "<a href=https://www.youtube.com/embed/abc-DEF_123>video</a> &lt;iframe src=x&gt; <!-- <video src=a.mp4> -->"
        )
        #expect(found.videos.isEmpty)
    }
}
