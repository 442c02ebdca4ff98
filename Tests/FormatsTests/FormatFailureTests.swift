import Formats
import TestSupport
import Testing

/// The words of all failures of formats.
@Suite struct FormatFailureTests {
    @Test func everyFailureHasASubject() {
        let rows: [(FormatFailure, String)] = [
            (.empty, "65 empty-body: no data"),
            (.notAnImage(.html), "65 not-an-image: an HTML page, not a picture"),
            (
                .unsupported(.bmp, readable: [.jpeg, .png]),
                "65 unsupported-image: a BMP picture; supported formats: JPEG and PNG"
            ),
            (.notGIF(.png), "65 not-a-gif: a PNG picture, not a GIF"),
            (.truncated(.png), "65 truncated-image: the PNG is truncated; fetch it again"),
            (.corrupt(.png, "F"), "65 corrupt-image: the PNG is corrupt: F"),
            (.notRead(.png, "F"), "65 unsupported-image: unsupported PNG: F"),
            (.overLimit(.gif, "E"), "77 over-limit: the GIF exceeds the limit: E"),
            (
                .noSuchPage(1, count: 1),
                "65 no-such-frame: the TIFF has no page 1; it has one page, counted from 0"
            ),
            (
                .noSuchPage(3, count: 2),
                "65 no-such-frame: the TIFF has no page 3; it has 2 pages, counted from 0"
            ),
            (.truncatedMovie, "65 truncated-movie: the movie is truncated; fetch it again"),
            (.corruptMovie("F"), "65 corrupt-movie: the movie is corrupt: F"),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test func everyKindOfBodyHasAPhrase() {
        #expect(
            BodyKind.allCases.map(\.phrase) == [
                "an HTML page", "JSON", "XML", "plain text", "an SVG picture", "a BMP picture", "an ICO picture",
                "a JPEG 2000 picture", "a Photoshop document", "a PDF document", "a ZIP archive",
                "gzip-compressed data", "a video", "data of an unknown type",
            ])
    }
}
