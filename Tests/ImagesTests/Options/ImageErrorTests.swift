import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// The words of all failures of decoding and encoding.
@Suite struct ImageErrorTests {
    @Test func everyFailureHasASubject() throws {
        let size = PixelSize(width: 4, height: 3)
        let region = try #require(Region("1,2,3,4"))
        let rows: [(ImageError, String)] = [
            (.corrupt(.png, "F"), "65 corrupt-image: the PNG is corrupt: F"),
            (.truncated(.png), "65 truncated-image: the PNG is truncated; fetch it again"),
            (.unsupported(.png, "F"), "65 unsupported-image: unsupported PNG: F"),
            (.notAnImage, "65 not-an-image: the bytes are not a picture"),
            (
                .tooManyPixels(size, limit: 9),
                "77 too-many-pixels: a picture of 4x3 pixels exceeds the limit of 9 pixels"
            ),
            (
                .tooManyBytes(10, limit: 9),
                "77 too-many-bytes: a picture of 10 bytes exceeds the limit of 9 bytes"
            ),
            (
                .tooMuchMemory(bytes: 10, limit: 9),
                "77 out-of-memory-limit: the picture needs 10 bytes of memory, more than the limit of 9"
            ),
            (
                .tooManyFrames(10, limit: 9),
                "77 too-many-frames: an animation of 10 frames exceeds the limit of 9"
            ),
            (
                .tooManyAnimationPixels(size, frames: 10, limit: 9),
                "77 too-many-animation-pixels: 10 frames of 4x3 pixels exceed the limit of 9 pixels in total"
            ),
            (.tooSlow(seconds: 60), "77 too-slow: the picture takes longer than the limit of 60 seconds"),
            (.tooSlow(seconds: 0.5), "77 too-slow: the picture takes longer than the limit of 0.5 seconds"),
            (.tooManyScans(limit: 9), "77 too-many-scans: the JPEG has more scans than the limit of 9"),
            (.overLimit(.heic, "E"), "77 over-limit: the HEIC exceeds a limit: E"),
            (.outOfMemory, "75 out-of-memory: not enough memory for the picture"),
            (
                .regionOutside(region, size),
                "65 region-outside: the region 1,2,3,4 is outside a picture of 4x3 pixels"
            ),
            (
                .doesNotFit(.jpeg, bytes: 10, limit: 9),
                """
                77 does-not-fit: the JPEG has at least 10 bytes at any quality, more than the limit of 9; use a \
                smaller size
                """
            ),
            (
                .noSuchFrame(1, count: 1),
                "65 no-such-frame: the picture has no frame 1; it has one frame, counted from 0"
            ),
            (
                .noSuchFrame(3, count: 2),
                "65 no-such-frame: the picture has no frame 3; it has 2 frames, counted from 0"
            ),
            (
                .outputTooLarge(.webp, size),
                "77 output-too-large: a WebP cannot have 4x3 pixels; use a smaller size"
            ),
            (.encoder(.webp, "F"), "70 encoder: cannot encode the WebP: F"),
            (.codecMissing(.avif, "F"), "69 codec-missing: cannot write AVIF: F"),
            (.decoderMissing(.heic, "F"), "69 codec-missing: cannot read HEIC: F"),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }
}
