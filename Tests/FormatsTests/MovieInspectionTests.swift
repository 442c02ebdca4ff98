import Support
import Testing

@testable import Formats

@Suite struct MovieInspectionTests {
    private func box(_ type: String, _ content: [UInt8] = [], size: Int? = nil) -> [UInt8] {
        let size = size ?? content.count + 8
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + Array(type.utf8) + content
    }

    private func long(_ type: String, _ content: [UInt8], size: UInt64? = nil) -> [UInt8] {
        let size = size ?? UInt64(content.count + 16)
        return box(type, size: 1) + (0..<8).map { UInt8(truncatingIfNeeded: size >> (56 - 8 * $0)) } + content
    }

    private var type: [UInt8] { box("ftyp", Array("isom".utf8) + [0, 0, 2, 0] + Array("isom".utf8)) }
    private var description: [UInt8] {
        box("moov", box("mvhd", [UInt8](repeating: 0, count: 100)) + box("trak", [1, 2, 3]))
    }
    private let data = [UInt8](repeating: 7, count: 50)

    private func inspect(_ bytes: [UInt8]) throws -> MovieFormat { try MovieInspection.inspect(MemorySource(bytes)) }

    @Test func completeMoviesPass() throws {
        #expect(try inspect(type + description + box("mdat", data)) == .mp4)
        #expect(try inspect(type + box("mdat", data) + description) == .mp4)
        #expect(try inspect(type + description + long("mdat", data)) == .mp4)
        // A last box of size 0 extends to the end of the file.
        #expect(try inspect(type + description + box("mdat", data, size: 0)) == .mp4)
        #expect(try inspect(box("ftyp", Array("qt  ".utf8) + [0, 0, 0, 0]) + description + box("mdat")) == .quickTime)
        #expect(try inspect(box("wide") + box("mdat", data) + box("moov", box("cmov"))) == .quickTime)
        #expect(try inspect(type + description + box("mdat", data) + [0, 0, 0, 0]) == .mp4)
    }

    @Test func everyPrefixOfAMovieIsTruncated() throws {
        let movie = type + description + box("mdat", data)
        for count in 12..<movie.count {
            #expect(throws: FormatFailure.truncatedMovie, "\(count) bytes") { _ = try inspect(Array(movie[..<count])) }
        }
    }

    @Test func invalidBoxSizesAreRefused() {
        for size in [2, 7] {
            #expect(throws: FormatFailure.corruptMovie("a box size of \(size) bytes")) {
                _ = try inspect(type + description + box("mdat", data, size: size))
            }
        }
        for size in [UInt64.max, 1 << 63] {
            #expect(throws: FormatFailure.corruptMovie("a box size over 2^63 - 1 bytes")) {
                _ = try inspect(type + description + long("mdat", data, size: size))
            }
        }
        for size in [UInt64(Int64.max), 1 << 40, 70] {
            #expect(throws: FormatFailure.truncatedMovie) {
                _ = try inspect(type + description + long("mdat", data, size: size))
            }
        }
        #expect(throws: FormatFailure.corruptMovie("a box size of 15 bytes")) {
            _ = try inspect(type + description + long("mdat", data, size: 15))
        }
        #expect(throws: FormatFailure.corruptMovie("a box that exceeds its parent")) {
            _ = try inspect(type + box("moov", box("mvhd", data, size: 59)) + box("mdat", data))
        }
        #expect(throws: FormatFailure.corruptMovie("a box size of 0 bytes")) {
            _ = try inspect(type + box("moov", box("mvhd", data, size: 0)) + box("mdat", data))
        }
    }

    @Test func otherFilesAreNotRecognizedAsMovies() throws {
        let others: [[UInt8]] = [
            [], Array("moov".utf8), Array("<!doctype html><title>x</title>".utf8), [0xFF, 0xD8, 0xFF, 0xE0] + data,
            box("ftyp", Array("avif".utf8) + [0, 0, 0, 0]) + description + box("mdat", data),
            box("ftyp", Array("M4A ".utf8) + [0, 0, 0, 0]) + description + box("mdat", data),
        ]
        for bytes in others {
            #expect(try !MovieInspection.recognizes(MemorySource(bytes)))
            #expect(throws: FormatFailure.self) { _ = try inspect(bytes) }
        }
        #expect(throws: FormatFailure.truncatedMovie) { _ = try inspect(type + box("mdat", data)) }
        #expect(throws: FormatFailure.truncatedMovie) { _ = try inspect(type + description) }
    }
}
