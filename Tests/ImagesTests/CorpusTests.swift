import Formats
import Support
import TestSupport
import Testing

@testable import Images

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The pictures of the corpus (`TestSupport.Corpus`).
enum Corpus {
    static let folder: String? = TestSupport.Corpus.isPresent ? TestSupport.Corpus.root.map { "\($0)/images" } : nil

    static func files(_ name: String) -> [String] {
        guard let folder, let directory = opendir("\(folder)/\(name)") else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted().map { "\(folder)/\(name)/\($0)" }.filter {
            var status = stat()
            return stat($0, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
    }
}

@Suite(.enabled(if: Corpus.folder != nil)) struct CorpusTests {
    @Test(arguments: ["photos", "png-suite", "exif", "webp", "gif", "gif/gif-test-suite", "malformed"])
    func everyFileEndsWithAPictureOrARefusal(folder: String) throws {
        for path in Corpus.files(folder) {
            let source = try File.openInput(path)
            for format in OutputFormat.readable {
                do {
                    let (bytes, result) = try shrink(
                        source, to: Geometry(width: 50, height: 50), encode: EncodeOptions(format: format))
                    #expect(try decode(MemorySource(bytes)).size == result.size, "\(path)")
                } catch {
                    let failure = failure(of: error)
                    #expect([.data, .notAllowed].contains(failure.exitCode), "\(path): \(failure.message)")
                }
            }
        }
    }

    @Test func validPNGsSurviveAndDamagedOnesAreRefused() throws {
        for path in Corpus.files("png-suite") where path.hasSuffix(".png") {
            let name = path.split(separator: "/").last!
            let source = try File.openInput(path)
            if name.hasPrefix("x") {
                #expect(failureCode { _ = try decode(source) } != nil, "\(name)")
            } else {
                // A shrink to the own size and a decode are different paths to the same pixels.
                let whole = try decode(source)
                let (copied, _) = try shrink(source, to: Geometry(), encode: EncodeOptions(format: .png))
                #expect(try decode(MemorySource(copied)) == whole, "\(name)")
            }
        }
    }
}
