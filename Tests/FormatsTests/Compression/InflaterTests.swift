import CZlib
import Support
import TestSupport
import Testing

@testable import Formats

/// ISA-L is optional. Without it, only zlib is tested.
@Suite struct InflaterTests {
    private typealias Library = Inflater.Library
    private static let libraries = Library.allCases.filter(\.isPresent)

    private struct Outcome: Equatable {
        var state: Inflater.State
        var bytes: [UInt8] = []
        var read = 0
    }

    /// Inflates a stream that arrives in pieces of these sizes into a buffer of `room` bytes. The last size is repeated
    /// until the end of the stream.
    private static func inflate(
        _ stream: [UInt8], _ library: Library, pieces: [Int] = [.max], room: Int = 70_000
    ) -> Outcome {
        let inflater = Inflater(library)
        var outcome = Outcome(state: .open)
        var pieces = pieces[...]
        var given = 0
        let output = UnsafeMutableRawBufferPointer.allocate(byteCount: room, alignment: 1)
        defer { output.deallocate() }
        stream.withUnsafeBytes { stream in
            while inflater.state == .open {
                if outcome.read == given {
                    let piece = pieces.count > 1 ? pieces.removeFirst() : pieces.first!
                    given += min(piece, stream.count - given)
                }
                let (read, written) = inflater.inflate(
                    UnsafeRawBufferPointer(rebasing: stream[outcome.read..<given]), into: output)
                outcome.read += read
                outcome.bytes += output[..<written]
                if read + written == 0, outcome.read == given, given == stream.count { break }
            }
        }
        outcome.state = inflater.state
        return outcome
    }

    /// Short and long texts, repetitive and random.
    private static func texts() -> [[UInt8]] {
        var random = SeededRandom(name: "inflater")
        var lines: [UInt8] = []
        while lines.count < 150_000 {
            let place = lines.count - 1 - random.below(32_768)
            if place >= 0, random.below(4) > 0 {
                for i in 0..<3 + random.below(300) { lines.append(lines[min(place + i, lines.count - 1)]) }
            } else {
                lines += random.bytes(1 + random.below(40))
            }
        }
        return [
            [], [7], Array("abcabcabcabcabcabcabc".utf8), [UInt8](repeating: 1, count: 100_000), random.bytes(70_000),
            (0..<90_000).map { _ in UInt8(random.below(5) * random.below(9)) }, lines,
        ]
    }

    /// Compresses a text with stored blocks, with the fixed code, with dynamic codes, without matches, with matches
    /// only at distance 1, and with a small window.
    private static func streams(_ text: [UInt8]) -> [[UInt8]] {
        [
            ZlibStream.packed(text, level: 0), ZlibStream.packed(text, strategy: Z_FIXED),
            ZlibStream.packed(text, level: 1), ZlibStream.packed(text, level: 9),
            ZlibStream.packed(text, strategy: Z_HUFFMAN_ONLY), ZlibStream.packed(text, strategy: Z_RLE),
            ZlibStream.packed(text, windowBits: 9),
        ]
    }

    @Test(arguments: libraries) private func allBlockTypesAreRead(_ library: Library) {
        for text in Self.texts() {
            for stream in Self.streams(text) {
                for (piece, room) in [(.max, 200_000), (4096, 65_536), (1000, 77)] {
                    let outcome = Self.inflate(stream, library, pieces: [piece], room: room)
                    #expect(outcome.state == .ended)
                    #expect(outcome.bytes == text)
                    #expect(outcome.read == stream.count)
                }
            }
        }
    }

    @Test(arguments: libraries) private func streamsMayBeSplitAnywhere(_ library: Library) {
        for text in Self.texts().map({ Array($0.prefix(1500)) }) {
            for stream in Self.streams(text) {
                #expect(Self.inflate(stream, library, pieces: [1], room: 1).bytes == text)
                for place in 0...stream.count {
                    let outcome = Self.inflate(stream, library, pieces: [place, .max], room: 400)
                    #expect(outcome == Outcome(state: .ended, bytes: text, read: stream.count), "\(place)")
                }
            }
        }
    }

    @Test(arguments: libraries) private func bytesAfterTheEndAreNotConsumed(_ library: Library) {
        var random = SeededRandom(name: "behind")
        for text in Self.texts() {
            for stream in Self.streams(text) {
                let outcome = Self.inflate(stream + random.bytes(20), library, pieces: [1 + random.below(5000)])
                #expect(outcome.state == .ended)
                #expect(outcome.bytes == text)
                // ISA-L reads up to 8 bytes ahead.
                #expect((stream.count...stream.count + (library == .zlib ? 0 : 8)).contains(outcome.read))
            }
        }
    }

    @Test(arguments: libraries) private func emptyInputOrOutputChangesNothing(_ library: Library) {
        let inflater = Inflater(library)
        let nothing = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        #expect(inflater.inflate(UnsafeRawBufferPointer(nothing), into: nothing) == (0, 0))
        withUnsafeTemporaryAllocation(byteCount: 10, alignment: 1) { room in
            for _ in 0..<3 { #expect(inflater.inflate(UnsafeRawBufferPointer(nothing), into: room) == (0, 0)) }
        }
        #expect(inflater.state == .open)
    }

    @Test(arguments: libraries) private func eachKindOfDamageIsReported(_ library: Library) {
        func fault(_ stream: [UInt8]) -> String? {
            var fault: String?
            for (piece, room) in [(Int.max, 1000), (1, 3)] {
                guard case .damaged(let words) = Self.inflate(stream, library, pieces: [piece], room: room).state else {
                    return nil
                }
                fault = words
            }
            return fault
        }
        let text = Array("what is what it is".utf8)
        let stream = ZlibStream.packed(text)
        for bit in 0..<32 {
            var wrong = stream
            wrong[stream.count - 1 - bit / 8] ^= 1 << (bit % 8)
            #expect(fault(wrong) == "incorrect data check")
        }
        #expect(fault([0x78, 0x9D] + stream.dropFirst(2)) == "incorrect header check")
        #expect(fault([0x79, 0x18] + stream.dropFirst(2)) == "unknown compression method")
        #expect(fault([0x88, 0x1C] + stream.dropFirst(2)) == "invalid window size")
        #expect(fault([0x78, 0xBB] + stream.dropFirst(2)) == "a preset dictionary is required")
        // A block of type 3, a stored block whose length does not match its complement, fixed codes without a length
        // and without a distance, a distance beyond the start, and dynamic codes with too many short codes.
        #expect(fault([0x78, 0x9C, 0x07, 0, 0]) != nil)
        #expect(fault([0x78, 0x9C, 0x01, 1, 0, 1, 0, 65]) != nil)
        #expect(fault([0x78, 0x9C, 0x1B, 0x03, 0, 0, 0, 0, 0, 0]) != nil)
        #expect(fault([0x78, 0x9C, 0x03, 0x1E, 0, 0, 0, 0, 0, 0]) != nil)
        #expect(fault([0x78, 0x9C, 0x03, 0x02, 0, 0, 0, 0, 0, 0]) == "invalid distance too far back")
        #expect(fault([0x78, 0x9C, 0x05, 0x20, 0x92, 0x24, 0x49, 0x92, 0x24, 0x49, 0x92, 0x24]) != nil)
    }

    @Test(arguments: libraries) private func distancesMayExceedTheWindowOfTheHeaderAsInZlib(_ library: Library) {
        var stream = ZlibStream.packed(Self.texts()[6])
        stream.replaceSubrange(..<2, with: [0x18, 0x19])
        #expect(Self.inflate(stream, library).state == .ended)
    }

    @Test(arguments: libraries) private func truncatedStreamStaysOpen(_ library: Library) {
        var random = SeededRandom(name: "cut")
        for text in Self.texts() {
            for stream in Self.streams(text) {
                for _ in 0..<8 {
                    let cut = Array(stream.dropLast(1 + random.below(stream.count)))
                    let outcome = Self.inflate(cut, library, pieces: [700 + random.below(9000)], room: 3000)
                    let zlib = Self.inflate(cut, .zlib)
                    #expect(outcome.state == .open)
                    #expect(text.starts(with: outcome.bytes))
                    // ISA-L writes all bytes of a table lookup or none.
                    #expect((zlib.bytes.count - 4...zlib.bytes.count).contains(outcome.bytes.count))
                }
            }
        }
    }

    /// Compares each library with zlib, with buffers of any size. The output before the damage is equal, except for a
    /// few bytes. Each library accepts all streams that zlib accepts. Accepted streams have the right content.
    @Test(arguments: libraries) private func librariesAgreeOnDamagedStreams(_ library: Library) {
        var random = SeededRandom(name: "damage")
        for text in Self.texts().map({ Array($0.prefix(40_000)) }) {
            for stream in Self.streams(text) {
                for _ in 0..<20 {
                    var wrong = stream
                    for _ in 0...random.below(3) {
                        wrong[random.below(random.below(2) == 0 ? min(wrong.count, 60) : wrong.count)] ^=
                            1 << random.below(8)
                    }
                    let zlib = Self.inflate(wrong, .zlib)
                    let outcome = Self.inflate(
                        wrong, library, pieces: [1 + random.below(5000)], room: 1 + random.below(9000))
                    let common = min(zlib.bytes.count, outcome.bytes.count)
                    #expect(outcome.bytes[..<common] == zlib.bytes[..<common])
                    if outcome.state == .ended { #expect(outcome.bytes == text) }
                    if zlib.state == .ended { #expect(outcome.state == .ended) }
                }
            }
        }
    }

    /// Inflates the image data of valid and damaged PNGs.
    @Test(
        arguments: Corpus.isPresent
            ? ["png-suite", "photos", "exif", "malformed"] : ["png-suite", "exif", "malformed"])
    func librariesAgreeOnTheImageDataOfPNGs(_ folder: String) throws {
        for path in try Corpus.pictures(in: folder) where path.hasSuffix(".png") {
            let bytes = try TestFile.bytes(path)
            guard bytes.count < 150_000 else { continue }
            var stream: [UInt8] = []
            var offset = 8
            while offset + 12 <= bytes.count {
                let length = Int(ByteOrder.bigEndian.number(bytes[offset..<offset + 4]))
                guard offset + 12 + length <= bytes.count else { break }
                let type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
                if type == "IDAT" { stream += bytes[offset + 8..<offset + 8 + length] }
                offset += 12 + length
            }
            let zlib = Self.inflate(stream, .zlib)
            for library in Self.libraries {
                let outcome = Self.inflate(stream, library, pieces: [8192], room: 10_000)
                #expect((outcome.state == .ended) == (zlib.state == .ended), "\(path)")
                #expect((outcome.state == .open) == (zlib.state == .open), "\(path)")
                if zlib.state == .ended { #expect(outcome.bytes == zlib.bytes, "\(path)") }
            }
        }
    }
}
