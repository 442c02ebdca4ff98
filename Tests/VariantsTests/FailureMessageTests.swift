import Records
import Support
import TestSupport
import Testing

@testable import Variants

/// The words of all failures of img-downsample's own.
@Suite struct FailureMessageTests {
    @Test func everyFailureHasASubjectAndARemedy() throws {
        let blob =
            "/c/scopes/0123456789abcdef0123456789abcdef/01/"
            + "0123456789abcdef0123456789abcdef-0123456789abcdef01234567.jpg"
        let rows: [(any Failure, String)] = [
            (
                PathRefusal.outside("/a.jpg"),
                """
                77 path-not-allowed: /a.jpg: records and lines may name only files in the cache or --output-dir; \
                allow its folder with --allow-path, or name its cache with --cache-dir
                """
            ),
            (
                PathRefusal.outside(blob),
                """
                77 path-not-allowed: \(blob) is not in the cache of this run; name its cache with --cache-dir, and \
                if that cache was moved, run the records through img-cache get first
                """
            ),
            (
                PathRefusal.notAFile("/a.jpg"),
                """
                77 path-not-allowed: /a.jpg: a record may name only regular files; pass other files as arguments
                """
            ),
            (
                NotMade(variants: ["pager", "overlay"]),
                """
                65 not-made: the existing files lack pager, overlay, and img-cache put --skip-made did not fetch the \
                picture; run img-cache put once with --refresh
                """
            ),
            (
                FocusFailure(x: "2", y: nil),
                """
                65 bad-focus: the record's focus has x 2 and y missing; both must be numbers from 0 to 1
                """
            ),
            (
                EvictedPicture(reason: SystemFailure(errno: 2, "open /a.jpg", purpose: .openInput)),
                """
                66 no-such-file: cannot open /a.jpg: \(systemMessage(2)); run the records through img-cache put again
                """
            ),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test func placeholderSaysWhyThereIsNoPicture() {
        let fallback = Fallback(theme: .light)
        let failures: [(any Failure)?] = [
            nil, SystemFailure(errno: 110, "open /a"), PathRefusal.outside("/a.jpg"),
        ]
        #expect(
            failures.map { fallback.placeholder(for: Record(), $0).message } == [
                "No picture", "Not available now", "Not allowed",
            ])
    }
}
