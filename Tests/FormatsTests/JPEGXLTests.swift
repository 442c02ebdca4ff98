import Formats
import Support
import TestSupport
import Testing

@Suite struct JPEGXLTests {
    private func code(_ bytes: [UInt8]) -> String? {
        failure { _ = try ImageInspection.inspect(MemorySource(bytes)) }?.code
    }

    private let boxed: [UInt8] = [0, 0, 0, 12] + Array("JXL ".utf8) + [0x0D, 0x0A, 0x87, 0x0A]

    private func box(_ type: String, _ body: [UInt8]) -> [UInt8] {
        Tiny.bigEndian(body.count + 8, 4) + Array(type.utf8) + body
    }

    @Test func everyTruncationOfAJPEGXLIsDetected() {
        for (name, bytes) in JPEGXLSamples.all {
            #expect(code(bytes) == nil, "\(name)")
            for count in 12..<bytes.count {
                #expect(code(Array(bytes[..<count])) == "truncated-image", "\(name) cut at \(count)")
            }
        }
    }

    @Test func bytesAfterTheLastFrameAreIgnored() {
        for (name, bytes) in JPEGXLSamples.all where name != "boxed" {
            #expect(code(bytes + [0, 1, 2, 3, 0xFF, 0x0A]) == nil, "\(name)")
        }
    }

    @Test func codestreamMayBeSplitIntoPartsAnywhere() {
        for (name, bytes) in JPEGXLSamples.all where name != "boxed" {
            for place in stride(from: 0, through: bytes.count, by: 3) {
                let first = box("jxlp", [0, 0, 0, 0] + bytes[..<place])
                let last = box("jxlp", [0x80, 0, 0, 1] + bytes[place...])
                #expect(code(boxed + first + box("free", [1, 2]) + last) == nil, "\(name) in parts at \(place)")
                guard place < bytes.count else { continue }
                #expect(code(boxed + first) == "truncated-image", "\(name) without its part from \(place) on")
            }
        }
    }

    @Test func lastBoxMayHaveA64BitSizeOrNoSize() {
        for (name, bytes) in JPEGXLSamples.all where name != "boxed" {
            let long = [0, 0, 0, 1] + Array("jxlc".utf8) + Tiny.bigEndian(bytes.count + 16, 8) + bytes
            let open = [0, 0, 0, 0] + Array("jxlc".utf8) + bytes
            for last in [long, open] {
                #expect(code(boxed + last) == nil, "\(name)")
                #expect(code(boxed + last.dropLast()) == "truncated-image", "\(name)")
            }
        }
    }

    @Test func randomChangesOfAJPEGXLNeverCrash() {
        var random = SeededRandom(seed: 11)
        for (_, bytes) in JPEGXLSamples.all {
            for _ in 0..<2_000 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    changed[Int.random(in: 0..<changed.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                let found = code(changed)
                let faults = ["truncated-image", "corrupt-image", "not-an-image", "unsupported-image"]
                #expect(found == nil || faults.contains(found ?? ""))
            }
        }
    }

    /// Fields of a header, each a value and its width in bits. In each case, one field has a reserved value: the type
    /// of an extra channel, a colour space, a white point, primaries, a transfer function or a rendering intent.
    @Test(
        arguments: [
            [(1, 2), (0, 1), (2, 2), (5, 4)], [(1, 2), (0, 1), (2, 2), (13, 4)],
            [(0, 2), (1, 1), (0, 1), (0, 1), (2, 2), (2, 4)],
            [(0, 2), (1, 1), (0, 1), (0, 1), (0, 2), (2, 2), (1, 4)],
            [(0, 2), (1, 1), (0, 1), (0, 1), (0, 2), (1, 2), (2, 2), (1, 4)],
            [(0, 2), (1, 1), (0, 1), (0, 1), (0, 2), (1, 2), (1, 2), (0, 1), (0, 2)],
            [(0, 2), (1, 1), (0, 1), (0, 1), (0, 2), (1, 2), (1, 2), (0, 1), (1, 2), (2, 2), (2, 4)],
        ] as [[(Int, Int)]])
    func reservedValuesAreUnsupported(_ fields: [(Int, Int)]) {
        // 8 x 8 pixels of 8 bits.
        let start = [(0x0AFF, 16), (1, 1), (0, 5), (1, 3), (0, 1), (0, 1), (0, 3), (1, 1)]
        var bits: [Int] = []
        for (value, width) in start + fields { bits += (0..<width).map { value >> $0 & 1 } }
        bits += [Int](repeating: 0, count: 8 - bits.count % 8)
        let bytes = stride(from: 0, to: bits.count, by: 8).map { place in
            (0..<8).reduce(UInt8(0)) { $0 | UInt8(bits[place + $1]) << UInt8($1) }
        }
        #expect(code(bytes + [UInt8](repeating: 0, count: 64)) == "unsupported-image")
    }

    /// Describes each frame: `m` for modular or `b` for blocks, the number of passes, the slot, and whether sections
    /// are reordered.
    @Test(arguments: [
        ("plain", "b1"), ("boxed", "b1"), ("withProfile", "b1"), ("withProfileByPrefixes", "m1"),
        ("reordered", "m1 reordered"), ("inPasses", "b1"), ("withLowFrame", "m1, b1"), ("animated", "m1 in 1"),
    ])
    func framesAreReadUpToTheFirstShownFrame(_ name: String, _ expected: String) throws {
        let bytes = try #require(JPEGXLSamples.all[name])
        let picture = try JPEGXLPicture(JPEGXLCodestream(of: MemorySource(bytes)))
        let frames = picture.frames.map { frame in
            (frame.isModular ? "m" : "b") + "\(frame.passes)" + (frame.slot.map { " in \($0)" } ?? "")
                + (frame.isReordered ? " reordered" : "")
        }
        #expect(frames.joined(separator: ", ") == expected)
        #expect(picture.isInOrder != expected.hasSuffix("reordered"))
        #expect(picture.frames.allSatisfy { $0.sectionBytes > 0 && $0.sectionBytes < bytes.count })
        #expect(picture.extraChannels == (name == "animated" ? 1 : 0))
    }

    @Test func headerIsReadFromTheFirstBytes() throws {
        let animated = try #require(JPEGXLSamples.all["animated"])
        let header = try ImageHeader.read(MemorySource(Array(animated.prefix(24))))
        #expect(header.storedSize == PixelSize(width: 8, height: 8) && header.isAnimated == true)
        #expect(header.hasAlpha == true)
    }
}
