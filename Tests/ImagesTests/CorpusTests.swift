import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// The JPEG, PNG, WebP and GIF pictures of the corpus, complete and damaged.
struct CorpusTests {
    private static let folders =
        ["photos", "png-suite", "exif", "webp", "gif", "malformed"] + (Corpus.isPresent ? ["gif/gif-test-suite"] : [])

    @Test(arguments: folders)
    func everyCorpusFileIsDecodedOrRejected(folder: String) throws {
        for path in try Corpus.pictures(in: folder) {
            let source = try File.openInput(path)
            for format in OutputFormat.readable {
                do {
                    let (bytes, result) = try downsample(
                        source, to: Geometry(width: 50, height: 50), encode: EncodeOptions(format: format))
                    #expect(try decode(MemorySource(bytes)).size == result.size, "\(path)")
                } catch {
                    let failure = failure(of: error)
                    #expect([.data, .notAllowed].contains(failure.exitCode), "\(path): \(failure.message)")
                }
            }
        }
    }

    @Test func validPNGsKeepTheirPixelsAndDamagedPNGsAreRejected() throws {
        for path in try Corpus.pictures(in: "png-suite") {
            let name = path.split(separator: "/").last!
            let source = try File.openInput(path)
            if name.hasPrefix("x") {
                #expect(failureCode { _ = try decode(source) } != nil, "\(name)")
            } else {
                // Downsampling to the original size uses other code, but must return the same pixels.
                let whole = try decode(source)
                let (copied, _) = try downsample(source, to: Geometry(), encode: EncodeOptions(format: .png))
                #expect(try decode(MemorySource(copied)) == whole, "\(name)")
            }
        }
    }
}
