import Formats
import Support
import TestSupport
import Testing

@testable import Images
@testable import JPEG

@Suite struct CoefficientPlanesTests {
    private func own(
        _ bytes: [UInt8], scale: Int = 8, threads: Int = 0, allowsTruncated: Bool = false
    ) throws -> ReadPlanes? {
        let options = DecodeOptions(allowsTruncated: allowsTruncated, spareThreads: ThreadBudget(threads)).begun()
        let source = MemorySource(bytes)
        let frame = try #require(try JPEGFrame(source, options: JPEGOptions(options)))
        return try ReadPlanes.ofOwn {
            try CoefficientPlanes(frame, source, scale: scale, reduction: 1, options: JPEGOptions(options))
        }
    }

    @Test(arguments: GeneratedJPEG.samplings.indices)
    func samplesAtFullSizeMatchLibjpeg(_ sampling: Int) throws {
        var random = SeededRandom(seed: UInt64(sampling))
        for number in 0..<100 {
            let picture = GeneratedJPEG(
                width: 1 + random.below(40), height: 1 + random.below(40),
                sampling: GeneratedJPEG.samplings[sampling], quality: 1 + random.below(100),
                restartInterval: random.below(3) * random.below(4), isProgressive: true, seed: UInt64(number),
                noise: random.below(200))
            let bytes = picture.encoded()
            let expected = try ReadPlanes.libjpeg(bytes)
            let serial = try own(bytes)
            #expect(serial == expected, "\(picture)")
            if serial != expected { return }
            #expect(try own(bytes, threads: 3) == expected, "\(picture)")
        }
    }

    /// Encodes each picture with sequential and with progressive scans, and compares the decoded samples.
    @Test(arguments: BlockLayout.sizes)
    func progressiveAndSequentialJPEGHaveTheSameSamples(_ scale: Int) throws {
        for (number, sampling) in GeneratedJPEG.samplings.enumerated() {
            var picture = GeneratedJPEG(
                width: 200, height: 130, sampling: sampling, quality: 85, seed: UInt64(number), noise: number * 15)
            let options = JPEGOptions(DecodeOptions(spareThreads: ThreadBudget(0)).begun())
            let source = MemorySource(picture.encoded())
            let frame = try #require(try JPEGFrame(source, options: options))
            let sequential = try #require(try SequentialPlanes(frame, source, scale: scale, options: options))
            picture.isProgressive = true
            #expect(try own(picture.encoded(), scale: scale) == ReadPlanes(NativePlaneReader(sequential)), "\(picture)")
        }
    }

    @Test func truncatedScansMatchLibjpeg() throws {
        let picture = GeneratedJPEG(
            width: 100, height: 60, sampling: GeneratedJPEG.samplings[5], isProgressive: true)
        let bytes = picture.encoded()
        let start = try #require(try JPEGFrame(MemorySource(bytes), options: JPEGOptions())).scans[0].dataOffset
        for end in stride(from: start + 1, to: bytes.count - 1, by: 7) {
            let cut = Array(bytes[..<end])
            #expect(failureCode { _ = try own(cut) } == "truncated-image")
            let part = try own(cut, allowsTruncated: true)
            #expect(part?.isTruncated == true)
            // libjpeg fails if the file ends within a table.
            guard let expected = try? ReadPlanes.libjpeg(cut, allowsTruncated: true) else { continue }
            #expect(part == expected, "\(end)")
            #expect(try own(cut, threads: 2, allowsTruncated: true) == expected, "\(end)")
            let closed = cut + [0xFF, 0xD9]
            #expect(failureCode { _ = try own(closed) } == failureCode { _ = try ReadPlanes.libjpeg(closed) }, "\(end)")
        }
    }

    /// No symbol of the last scan is valid in a refinement scan, and the data ends within the only block.
    @Test func badCodeInATruncatedBlockIsCorrupt() throws {
        var bytes = GeneratedJPEG(width: 8, height: 8, sampling: [(1, 1)], isProgressive: true).encoded()
        let table = try #require(bytes.indices.last { bytes[$0] == 0xC4 && bytes[$0 - 1] == 0xFF })
        for symbol in table + 20..<table + 1 + Int(bytes[table + 2]) { bytes[symbol] = 0xFE }
        let scan = try #require(bytes.indices.last { bytes[$0] == 0xDA && bytes[$0 - 1] == 0xFF })
        bytes.replaceSubrange((scan + 1 + Int(bytes[scan + 2]))..., with: [0, 0, 0xFF, 0xD9])
        let words = "65 the JPEG is corrupt: bad Huffman code"
        #expect(message { _ = try own(bytes, allowsTruncated: true) } == words)
        #expect(message { _ = try ReadPlanes.libjpeg(bytes, allowsTruncated: true) } == words)
    }

    /// The second scan lacks the data of its last rows; a later scan has an invalid code in its first row.
    @Test(arguments: [0, 1, 3]) func errorOfTheFirstDamagedScanIsReported(threads: Int) throws {
        var bytes = GeneratedJPEG(
            width: 40, height: 800, sampling: GeneratedJPEG.samplings[5], isProgressive: true, noise: 50
        ).encoded()
        let starts = try #require(
            try JPEGFrame(MemorySource(bytes), options: JPEGOptions()).map { first in
                var frame = first
                _ = try frame.readOtherScans(
                    MemorySource(bytes), from: first.scans[0].dataOffset, options: JPEGOptions())
                return frame.scans.map(\.dataOffset)
            })
        bytes.replaceSubrange(starts[5]..<starts[5] + 8, with: [0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0])
        let third = try #require(
            bytes[starts[1]..<starts[2]].indices.first { bytes[$0] == 0xFF && bytes[$0 + 1] >= 0xC0 })
        bytes.removeSubrange(third - 40..<third)
        #expect {
            _ = try own(bytes, threads: threads)
        } throws: { error in
            "\(error)".contains("premature end of data segment")
        }
    }

    @Test func memoryDoesNotGrowWithTheHeight() throws {
        func reserved(height: Int) throws -> Int {
            let bytes = Monitor(0)
            var options = JPEGOptions()
            options.reserve = { size in
                bytes.update { $0 += size }
                return bytes
            }
            let source = MemorySource(
                GeneratedJPEG(
                    width: 20, height: height, sampling: GeneratedJPEG.samplings[5], isProgressive: true
                ).encoded())
            let frame = try #require(try JPEGFrame(source, options: options))
            _ = try CoefficientPlanes(frame, source, scale: 8, reduction: 1, options: options)
            return bytes.withLock { $0 }
        }
        #expect(try reserved(height: 3000) == reserved(height: 1000))
        #expect(try reserved(height: 3000) < 5_000_000)
    }

    @Test func scansOverTheLimitAreRefused() throws {
        let bytes = GeneratedJPEG(
            width: 20, height: 20, sampling: GeneratedJPEG.samplings[5], isProgressive: true
        ).encoded()
        for (limit, code) in [(10, nil), (9, "too-many-scans")] as [(Int, String?)] {
            let options = DecodeOptions(limits: DecodeLimits(maxScans: limit))
            let reader = try JPEGReader(MemorySource(bytes), options: options)
            #expect(failureCode { _ = try ReadPlanes(reader.planes(scale: 8)) } == code)
        }
    }
}

extension CorpusTests {
    @Test func everyProgressiveJPEGMatchesLibjpegAtFullSize() throws {
        var count = 0
        for folder in ["photos", "exif", "malformed"] {
            for path in try Corpus.pictures(in: folder) {
                let source = try File.openInput(path)
                let options = DecodeOptions(decoder: .libjpeg)
                guard let reader = try? JPEGReader(source, options: options), reader.hasPlanes,
                    let frame = try JPEGFrame(source, options: JPEGOptions(options)), frame.isProgressive
                else { continue }
                let expected = Result { try ReadPlanes(reader.planes(scale: 8)) }
                let own = Result {
                    try ReadPlanes.ofOwn {
                        try CoefficientPlanes(
                            frame, source, scale: 8, reduction: 1, options: JPEGOptions(options.begun()))
                    }
                }
                if case .success(nil) = own { continue }
                count += 1
                #expect((try? own.get()) == (try? expected.get()), "\(path)")
                #expect(
                    failureCode { _ = try own.get() } == failureCode { _ = try expected.get() }, "\(path)")
            }
        }
        #expect(count > 3)
    }
}
