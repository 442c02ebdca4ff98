import Formats
import Support
import TestSupport
import Testing

@testable import Images
@testable import JPEG

/// The samples of all planes, without padding.
struct ReadPlanes: Equatable {
    var planes: [[UInt8]] = []
    var isTruncated = false

    init(_ reader: any PlaneReader) throws {
        let shapes = reader.planes
        let rows = shapes.map { AlignedBuffer(count: $0.rowBytes * $0.groupRows) }
        planes = shapes.map { _ in [] }
        let groups = shapes.map { ($0.size.height + $0.groupRows - 1) / $0.groupRows }.max() ?? 0
        for group in 0..<groups {
            try reader.readGroup { rows[$0].bytes + $1 * shapes[$0].rowBytes }
            for (plane, shape) in shapes.enumerated() {
                for row in 0..<shape.groupRows where group * shape.groupRows + row < shape.size.height {
                    let samples = UnsafeBufferPointer(
                        start: rows[plane].bytes + row * shape.rowBytes, count: shape.size.width)
                    planes[plane].append(contentsOf: samples)
                }
            }
        }
        try reader.finish()
        isTruncated = reader.isTruncated
    }

    /// Returns libjpeg's samples at full size.
    static func libjpeg(_ bytes: [UInt8], allowsTruncated: Bool = false) throws -> ReadPlanes {
        let options = DecodeOptions(allowsTruncated: allowsTruncated, decoder: .libjpeg)
        return try ReadPlanes(JPEGReader(MemorySource(bytes), options: options).planes(scale: 8))
    }

    /// Returns the samples of our decoder, or nil if libjpeg must decode the picture. Throws `ImageError`.
    static func ofOwn(_ decoder: () throws -> (any JPEGPlanes)?) throws -> ReadPlanes? {
        try ImageError.translating(decoder).map { try ReadPlanes(NativePlaneReader($0)) }
    }
}

/// The JPEGs of the corpus.
@Suite struct CorpusTests {}

@Suite struct SequentialPlanesTests {
    /// Regions so small that even a small picture has many regions.
    private static let small = SequentialScan.Sizes(threadedBytes: 0, regionBytes: 100...100, regionBlocks: 40)

    private func own(
        _ bytes: [UInt8], scale: Int = 8, threads: Int = 0, sizes: SequentialScan.Sizes = .standard,
        allowsTruncated: Bool = false
    ) throws -> ReadPlanes? {
        let options = JPEGOptions(
            DecodeOptions(allowsTruncated: allowsTruncated, spareThreads: ThreadBudget(threads)).begun())
        let source = MemorySource(bytes)
        let frame = try #require(try JPEGFrame(source, options: options))
        return try ReadPlanes.ofOwn {
            try SequentialPlanes(frame, source, scale: scale, sizes: sizes, options: options)
        }
    }

    /// Compares pictures of sizes from 1 to 40 in all samplings, with and without restarts, at qualities from 1 to 100.
    @Test(arguments: GeneratedJPEG.samplings.indices)
    func samplesAtFullSizeMatchLibjpeg(_ sampling: Int) throws {
        var random = SeededRandom(seed: UInt64(sampling))
        for number in 0..<200 {
            let picture = GeneratedJPEG(
                width: 1 + random.below(40), height: 1 + random.below(40), sampling: GeneratedJPEG.samplings[sampling],
                quality: 1 + random.below(100), restartInterval: random.below(3) * random.below(4),
                hasOwnCodes: random.below(2) == 0, seed: UInt64(number), noise: random.below(200))
            let bytes = picture.encoded()
            let expected = try ReadPlanes.libjpeg(bytes)
            let serial = try own(bytes)
            #expect(serial == expected, "\(picture)")
            if serial != expected { return }
            #expect(try own(bytes, threads: 2, sizes: Self.small) == expected, "\(picture)")
        }
    }

    /// Ways to divide three components between scans.
    private static let scripts = [
        [[0], [1], [2]], [[0], [1, 2]], [[2], [0, 1]], [[0, 1], [2]], [[2], [1], [0]],
    ]

    @Test(arguments: GeneratedJPEG.samplings.indices.filter { GeneratedJPEG.samplings[$0].count == 3 }, scripts)
    func severalScansMatchLibjpeg(_ sampling: Int, _ script: [[Int]]) throws {
        var random = SeededRandom(seed: UInt64(sampling))
        for number in 0..<30 {
            let picture = GeneratedJPEG(
                width: 1 + random.below(60), height: 1 + random.below(60), sampling: GeneratedJPEG.samplings[sampling],
                restartInterval: random.below(3) * random.below(4), hasOwnCodes: random.below(2) == 0, scans: script,
                seed: UInt64(number), noise: random.below(200))
            let bytes = picture.encoded()
            let expected = try ReadPlanes.libjpeg(bytes)
            #expect(try own(bytes) == expected, "\(picture)")
            #expect(try own(bytes, threads: 2, sizes: Self.small) == expected, "\(picture)")
        }
    }

    @Test(arguments: BlockLayout.sizes)
    func severalScansHaveTheSamplesOfASingleScan(_ scale: Int) throws {
        for (number, sampling) in GeneratedJPEG.samplings.enumerated() where sampling.count == 3 {
            var picture = GeneratedJPEG(width: 203, height: 131, sampling: sampling, noise: number * 15)
            let expected = try own(picture.encoded(), scale: scale)
            for script in Self.scripts {
                picture.scans = script
                #expect(try own(picture.encoded(), scale: scale) == expected, "\(picture)")
            }
        }
    }

    /// A component is in two scans, or in no scan.
    @Test func repeatedAndMissingComponentsNeedLibjpeg() throws {
        let bytes = GeneratedJPEG(
            width: 40, height: 40, sampling: GeneratedJPEG.samplings[5], scans: Self.scripts[0]
        ).encoded()
        let scans = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA }
        #expect(scans.count == 3)
        #expect(try own(Array(bytes[..<scans[2]] + bytes[scans[1]...])) == nil)
        #expect(try own(bytes[..<scans[2]] + [0xFF, 0xD9]) == nil)
        #expect(try own(Array(bytes[..<scans[2]]), allowsTruncated: true) == nil)
    }

    /// libjpeg conceals data that is missing between restarts differently if a picture has several scans.
    @Test func severalScansWithRestartsNeedLibjpegIfDamageIsAllowed() throws {
        let bytes = GeneratedJPEG(
            width: 40, height: 40, sampling: GeneratedJPEG.samplings[5], restartInterval: 2, scans: Self.scripts[0]
        ).encoded()
        #expect(try own(bytes, allowsTruncated: true) == nil)
        #expect(try own(bytes) != nil)
    }

    /// A restart marker in the first scan is wrong, and the file ends at the beginning of the last scan.
    @Test func firstDamagedScanDeterminesTheError() throws {
        var bytes = GeneratedJPEG(
            width: 64, height: 64, sampling: GeneratedJPEG.samplings[5], restartInterval: 8, scans: Self.scripts[0]
        ).encoded()
        let restart = try #require(bytes.indices.first { bytes[$0] == 0xD6 && bytes[$0 - 1] == 0xFF })
        let last = try #require(bytes.indices.last { bytes[$0] == 0xDA && bytes[$0 - 1] == 0xFF })
        bytes.removeSubrange((last + 12)...)
        #expect(failureCode { _ = try own(bytes) } == "truncated-image")
        bytes[restart] = 0xD0
        #expect(failureCode { _ = try own(bytes) } == "corrupt-image")
        #expect(failureCode { _ = try ReadPlanes.libjpeg(bytes) } == "corrupt-image")
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 8], [1, 3])
    func threadsDoNotChangeTheSamples(_ scale: Int, threads: Int) throws {
        for (number, sampling) in GeneratedJPEG.samplings.enumerated() {
            for interval in [0, 1, 7] {
                let picture = GeneratedJPEG(
                    width: 700, height: 300, sampling: sampling, quality: 85, restartInterval: interval,
                    hasOwnCodes: number % 2 == 0, seed: UInt64(number), noise: number * 15)
                let bytes = picture.encoded()
                let serial = try own(bytes, scale: scale)
                #expect(serial == (try own(bytes, scale: scale, threads: threads, sizes: Self.small)), "\(picture)")
            }
        }
    }

    @Test func wrongRestartMarkersAreRefused() throws {
        let picture = GeneratedJPEG(width: 64, height: 64, sampling: GeneratedJPEG.samplings[5], restartInterval: 3)
        for (marker, other) in [(0xD1, 0xD3), (0xD2, 0xD9)] as [(UInt8, UInt8)] {
            var bytes = picture.encoded()
            let place = try #require(bytes.indices.first { bytes[$0] == marker && bytes[$0 - 1] == 0xFF })
            bytes[place] = other
            for allowsTruncated in [false, true] {
                for threads in [0, 2] {
                    let fault = message {
                        _ = try own(bytes, threads: threads, sizes: Self.small, allowsTruncated: allowsTruncated)
                    }
                    let found = "found marker 0x\(String(other, radix: 16)) instead of RST\(marker - 0xD0)"
                    #expect(fault == "65 the JPEG is corrupt: \(found)")
                }
                #expect(
                    failureCode { _ = try ReadPlanes.libjpeg(bytes, allowsTruncated: allowsTruncated) }
                        == "corrupt-image")
            }
        }
    }

    /// A marker in place of the end of the image, and a scan before it.
    @Test func unexpectedSegmentsAfterTheScanAreRefused() throws {
        let picture = GeneratedJPEG(width: 16, height: 16, sampling: GeneratedJPEG.samplings[5]).encoded()
        let whole = Array(picture.dropLast(2))
        let scan = try #require(whole.indices.last { whole[$0] == 0xDA && whole[$0 - 1] == 0xFF }) - 1
        let end: [UInt8] = [0xFF, 0xD9]
        let rows: [([UInt8], String)] = [
            (whole[scan...] + end, "the JPEG is corrupt: a second scan of the same components"),
            ([0xFF, 0xC3, 0, 2] + end, "unsupported JPEG: a second picture before the end of the first"),
            ([0xFF, 0xC0, 0, 2] + end, "the JPEG is corrupt: an unexpected marker after the scan: 0xc0"),
        ]
        for (added, expected) in rows {
            #expect(message { _ = try own(whole + added) } == "65 \(expected)")
            #expect(failureCode { _ = try ReadPlanes.libjpeg(whole + added) } != nil, "\(expected)")
        }
    }

    /// The data of the only block is 32 set bits, which begin with an invalid DC code. The rest of the block is
    /// missing.
    @Test func badCodeInATruncatedBlockIsCorrupt() throws {
        let bytes = GeneratedJPEG(width: 8, height: 8, sampling: [(1, 1)]).encoded()
        let start = try #require(try JPEGFrame(MemorySource(bytes), options: JPEGOptions())).scans[0].dataOffset
        let damaged = bytes[..<start] + [0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0xD9]
        #expect(failureCode { _ = try own(Array(damaged), allowsTruncated: true) } == "corrupt-image")
        #expect(failureCode { _ = try ReadPlanes.libjpeg(Array(damaged), allowsTruncated: true) } == "corrupt-image")
    }

    /// The end of the first interval and whole intervals after it are missing. The following intervals keep their
    /// position, even if another thread has already decoded them.
    @Test func dataAfterMissingIntervalsMatchesLibjpeg() throws {
        let bytes = GeneratedJPEG(
            width: 100, height: 60, sampling: GeneratedJPEG.samplings[5], restartInterval: 2
        ).encoded()
        let restarts = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && (0xD0...0xD7).contains(bytes[$0 + 1]) }
        #expect(restarts.count == 13)
        for first in restarts.indices {
            for next in restarts[first...] {
                let damaged = Array(
                    bytes[..<(restarts[0] - 6)] + bytes[restarts[0]..<restarts[first]] + bytes[next...])
                let expected = try ReadPlanes.libjpeg(damaged, allowsTruncated: true)
                #expect(expected.isTruncated)
                #expect(try own(damaged, allowsTruncated: true) == expected, "\(first) to \(next)")
                #expect(
                    try own(damaged, threads: 2, sizes: Self.small, allowsTruncated: true) == expected,
                    "\(first) to \(next)")
            }
        }
    }

    /// Intervals that have lost all data, and invalid markers in place of restarts.
    @Test(arguments: [[], [0xFF, 0x3B], [0xFF, 0xFF, 0x43, 0xFF, 0x3B], [0xFF, 0xD0]] as [[UInt8]])
    func consecutiveRestartMarkersMatchLibjpeg(_ marks: [UInt8]) throws {
        let bytes = GeneratedJPEG(
            width: 100, height: 60, sampling: GeneratedJPEG.samplings[5], restartInterval: 2
        ).encoded()
        let restarts = bytes.indices.dropLast().filter { bytes[$0] == 0xFF && (0xD0...0xD7).contains(bytes[$0 + 1]) }
        for next in restarts[1...5] {
            let damaged = Array(bytes[..<(restarts[0] - 6)] + marks + bytes[next...])
            let expected = try ReadPlanes.libjpeg(damaged, allowsTruncated: true)
            #expect(try own(damaged, allowsTruncated: true) == expected, "\(next)")
            #expect(try own(damaged, threads: 2, sizes: Self.small, allowsTruncated: true) == expected, "\(next)")
        }
    }

    /// Truncates a picture at many offsets.
    @Test(arguments: [(0, []), (5, []), (0, [[1, 2], [0]])] as [(Int, [[Int]])])
    func truncatedDataMatchesLibjpeg(_ interval: Int, _ script: [[Int]]) throws {
        let bytes = GeneratedJPEG(
            width: 100, height: 60, sampling: GeneratedJPEG.samplings[5], restartInterval: interval, scans: script
        ).encoded()
        // The cut must be in the last scan, because our decoder needs the headers of all scans.
        let lastScan = try #require(bytes.indices.last { bytes[$0] == 0xDA && bytes[$0 - 1] == 0xFF })
        let start = lastScan + 1 + Int(bytes[lastScan + 2])
        for end in stride(from: start + 1, to: bytes.count - 1, by: 7) {
            let cut = Array(bytes[..<end])
            #expect(failureCode { _ = try own(cut) } == "truncated-image")
            let expected = try ReadPlanes.libjpeg(cut, allowsTruncated: true)
            #expect(try own(cut, allowsTruncated: true) == expected, "\(end)")
            #expect(try own(cut, threads: 2, sizes: Self.small, allowsTruncated: true) == expected, "\(end)")
            #expect(expected.isTruncated)
            // An end marker after the cut does not replace the missing data.
            let closed = cut + [0xFF, 0xD9]
            #expect(failureCode { _ = try own(closed) } == failureCode { _ = try ReadPlanes.libjpeg(closed) }, "\(end)")
        }
    }
}

extension CorpusTests {
    @Test func everyJPEGMatchesLibjpegAtFullSize() throws {
        var count = 0
        for folder in ["photos", "exif", "malformed"] {
            for path in try Corpus.pictures(in: folder) {
                let source = try File.openInput(path)
                let options = DecodeOptions(decoder: .libjpeg)
                guard let reader = try? JPEGReader(source, options: options), reader.hasPlanes else { continue }
                let expected = Result { try ReadPlanes(reader.planes(scale: 8)) }
                let ownOptions = JPEGOptions(options.begun())
                guard let frame = try JPEGFrame(source, options: ownOptions),
                    let planes = try SequentialPlanes(frame, source, scale: 8, options: ownOptions)
                else { continue }
                count += 1
                let own = Result { try ReadPlanes(NativePlaneReader(planes)) }
                #expect((try? own.get()) == (try? expected.get()), "\(path)")
                #expect(
                    failureCode { _ = try own.get() } == failureCode { _ = try expected.get() }, "\(path)")
            }
        }
        #expect(count > 20)
    }
}
