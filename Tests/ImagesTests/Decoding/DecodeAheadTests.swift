import Formats
import Support
import TestSupport
import Testing

@testable import Images

/// Three planes whose samples depend on plane and position. Their last groups are incomplete.
private final class CountedPlanes: PlaneReader {
    let planes: [PlaneGeometry]
    let failsAt: Int?
    private var group = 0
    private(set) var isTruncated = false

    init(width: Int = 1500, height: Int = 1001, failsAt: Int? = nil) {
        func plane(_ width: Int, _ height: Int, groupRows: Int) -> PlaneGeometry {
            PlaneGeometry(
                size: PixelSize(width: width, height: height), extentWidth: Double(width),
                extentHeight: Double(height), rowBytes: roundedUp(width, to: 8), groupRows: groupRows)
        }
        let chroma = plane(width / 2, height / 2, groupRows: 8)
        planes = [plane(width, height, groupRows: 16), chroma, chroma]
        self.failsAt = failsAt
    }

    var groups: Int { (planes[0].size.height + 15) / 16 }

    func readGroup(into destination: (Int, Int) -> UnsafeMutablePointer<UInt8>) throws {
        if group == failsAt { throw ImageError.truncated(.jpeg) }
        for (plane, shape) in planes.enumerated() {
            for row in 0..<shape.groupRows {
                let bytes = destination(plane, row)
                for x in 0..<shape.rowBytes {
                    bytes[x] = UInt8(truncatingIfNeeded: x + 3 * (group * shape.groupRows + row) + 101 * plane)
                }
            }
        }
        group += 1
    }

    func finish() throws {
        if group == failsAt { throw ImageError.truncated(.jpeg) }
        isTruncated = true
    }
}

@Suite struct DecodeAheadTests {
    /// Returns the groups before a failure, and the code of the failure.
    private func read(_ reader: any PlaneReader, groups: Int) -> (groups: [[UInt8]], failure: String?) {
        let rows = reader.planes.map { AlignedBuffer(count: $0.rowBytes * $0.groupRows) }
        var all: [[UInt8]] = []
        let failure = failureCode {
            for _ in 0..<groups {
                try reader.readGroup { rows[$0].bytes + $1 * reader.planes[$0].rowBytes }
                all.append(rows.flatMap { UnsafeBufferPointer(start: $0.bytes, count: $0.count) })
            }
            try reader.finish()
        }
        return (all, failure)
    }

    @Test(arguments: [nil, 0, 1, 7, 30, 63] as [Int?])
    func rowsAndErrorsMatchThePlainReader(_ failsAt: Int?) throws {
        let plain = CountedPlanes(failsAt: failsAt)
        let threads = ThreadBudget(1)
        let options = DecodeOptions(spareThreads: threads)
        var ahead: (any PlaneReader)? = try DecodeAhead.decoding(CountedPlanes(failsAt: failsAt), options: options)
        #expect(ahead is DecodeAhead && ahead?.planes == plain.planes)
        let expected = read(plain, groups: plain.groups)
        let got = read(try #require(ahead), groups: plain.groups)
        #expect(got.groups == expected.groups && got.failure == expected.failure)
        #expect(got.groups.count == failsAt ?? plain.groups && (got.failure == nil) == (failsAt == nil))
        #expect(ahead?.isTruncated == (failsAt == nil))
        ahead = nil
        #expect(threads.take() && !threads.take())
        #expect(options.memory.used == 0)
    }

    @Test func abandonedReaderReturnsItsThread() throws {
        let threads = ThreadBudget(1)
        var ahead: (any PlaneReader)? = try DecodeAhead.decoding(
            CountedPlanes(height: 20_000), options: DecodeOptions(spareThreads: threads))
        #expect(read(try #require(ahead), groups: 0).failure == nil)
        #expect(threads.take())
        threads.giveBack()
        ahead = try DecodeAhead.decoding(
            CountedPlanes(height: 20_000), options: DecodeOptions(spareThreads: threads))
        #expect(!threads.take())
        ahead = nil
        #expect(threads.take())
    }

    @Test func plainReaderIsUsedForSmallPicturesOrWithoutSpareThreads() throws {
        let small = CountedPlanes(width: 500, height: 500)
        #expect(try DecodeAhead.decoding(small, options: DecodeOptions(spareThreads: ThreadBudget(4))) === small)
        let large = CountedPlanes()
        #expect(try DecodeAhead.decoding(large, options: DecodeOptions(spareThreads: ThreadBudget(0))) === large)
    }

    @Test func blocksOverTheMemoryLimitAreRejected() {
        let options = DecodeOptions(
            limits: DecodeLimits(maxMemoryBytes: 1 << 16), spareThreads: ThreadBudget(1))
        let code = failureCode { _ = try DecodeAhead.decoding(CountedPlanes(), options: options) }
        #expect(code == "out-of-memory-limit")
        #expect(options.spareThreads.take())
    }

    /// Downsamples a picture with `threads` spare threads. Returns the output, and the result or the error code.
    private func output(_ bytes: [UInt8], threads: Int, allowsTruncated: Bool) -> (bytes: [UInt8], outcome: String) {
        let (source, sink) = (MemorySource(bytes), MemorySink())
        var outcome = ""
        let failure = failureCode {
            let info = try inspect(source)
            let output = Output(
                Geometry(width: 500), encoding: EncodeOptions(format: .jpeg, quality: 82), sink: sink)
            let options = DecodeOptions(allowsTruncated: allowsTruncated, spareThreads: ThreadBudget(threads))
            try downsample(source, info, to: [output], options: options) { outcome = "\($1)" }
        }
        return (sink.bytes, failure ?? outcome)
    }

    @Test(arguments: OutputFormat.readable, [false, true])
    func outputDoesNotDependOnTheNumberOfThreads(_ format: OutputFormat, _ isCut: Bool) throws {
        let bytes = try encode(.waves(1100, 900, channels: 3), EncodeOptions(format: format))
        let source = isCut ? Array(bytes[0..<bytes.count * 2 / 3]) : bytes
        for allowsTruncated in [false, true] {
            let alone = output(source, threads: 0, allowsTruncated: allowsTruncated)
            for threads in [1, 4] {
                let shared = output(source, threads: threads, allowsTruncated: allowsTruncated)
                #expect(shared.bytes == alone.bytes && shared.outcome == alone.outcome, "\(format) \(threads)")
            }
        }
    }
}
