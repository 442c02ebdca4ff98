import Support
import TestSupport
import Testing

@testable import Formats
@testable import Images

@Suite struct MemoryBudgetTests {
    private let never = Interruption()

    @Test func reservationEndsWithItsOwner() throws {
        let budget = MemoryBudget(bytes: 100)
        do {
            let first = try budget.reserve(60, for: budget.newPicture(), interruption: never)
            #expect(budget.used == 60 && first.bytes == 60)
        }
        #expect(budget.used == 0)
    }

    @Test func reservationAboveTheBudgetIsRejected() throws {
        let options = DecodeOptions(limits: DecodeLimits(maxMemoryBytes: 100)).begun()
        #expect(failureCode { _ = try options.reserve(memory: 101) } == "out-of-memory-limit")
        let first = try options.reserve(memory: 60)
        // The limit applies to the sum of a picture's reservations.
        #expect(failureCode { _ = try options.reserve(memory: 41) } == "out-of-memory-limit")
        try withExtendedLifetime(first) { _ = try options.reserve(memory: 40) }
    }

    /// Waits until `count` pictures are waiting.
    private func wait(for count: Int, in budget: MemoryBudget) {
        while budget.waiting != count {}
    }

    @Test func pictureWaitsForMemoryHeldByAnother() throws {
        let budget = MemoryBudget(bytes: 100)
        var first: MemoryReservation? = try budget.reserve(60, for: budget.newPicture(), interruption: never)
        let isThrough = Monitor(false)
        let thread = try Thread.start { [never] in
            let second = try? budget.reserve(60, for: budget.newPicture(), interruption: never)
            isThrough.update { $0 = second != nil }
        }
        wait(for: 1, in: budget)
        #expect(!isThrough.withLock { $0 })
        _ = first
        first = nil
        thread.join()
        #expect(isThrough.withLock { $0 } && budget.used == 0)
    }

    @Test func twoGrowingPicturesDoNotDeadlock() throws {
        let budget = MemoryBudget(bytes: 100)
        let peak = Monitor(0)
        // Both pictures hold their first reservation before either requests its second.
        let holding = Monitor(0)
        let threads = try (0..<2).map { _ in
            try Thread.start { [never] in
                let picture = budget.newPicture()
                let first = try? budget.reserve(50, for: picture, interruption: never)
                holding.update { $0 += 1 }
                holding.wait { $0 == 2 ? () : nil }
                let second = try? budget.reserve(40, for: picture, interruption: never)
                peak.update { $0 = max($0, budget.used) }
                withExtendedLifetime((first, second)) {}
            }
        }
        for thread in threads { thread.join() }
        #expect(peak.withLock { $0 } == 140)
        #expect(budget.used == 0 && budget.waiting == 0)
    }

    @Test func manyThreadsDoNotDeadlock() throws {
        let budget = MemoryBudget(bytes: 1000)
        let failures = Monitor(0)
        let threads = try (0..<8).map { seed in
            try Thread.start { [never] in
                var random = SeededRandom(seed: UInt64(seed))
                for _ in 0..<200 {
                    let picture = budget.newPicture()
                    var held: [MemoryReservation] = []
                    for _ in 0..<Int.random(in: 1...4, using: &random) {
                        let bytes = Int.random(in: 1...250, using: &random)
                        do {
                            held.append(try budget.reserve(bytes, for: picture, interruption: never))
                        } catch {
                            failures.update { $0 += 1 }
                        }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(failures.withLock { $0 } == 0)
        #expect(budget.used == 0 && budget.waiting == 0)
    }

    @Test func interruptedRunDoesNotWaitForMemory() throws {
        let budget = MemoryBudget(bytes: 100)
        let first = try budget.reserve(100, for: budget.newPicture(), interruption: never)
        let interruption = Interruption()
        interruption.cancel(.outputClosed)
        #expect(throws: Cancelled.self) {
            _ = try budget.reserve(1, for: budget.newPicture(), interruption: interruption)
        }
        #expect(budget.waiting == 0)
        withExtendedLifetime(first) {}
    }

    @Test func optionsThatHaveNotBegunReserveMemoryWithoutWaiting() throws {
        let options = DecodeOptions(limits: DecodeLimits(maxMemoryBytes: 100))
        let both = try (options.begun().reserve(memory: 80), options.reserve(memory: 80))
        #expect(options.memory.used == 160)
        withExtendedLifetime(both) {}
    }
}

@Suite struct DecodeLimitsTests {
    @Test func framesAndTheirPixelsAreLimited() {
        let limits = DecodeLimits(maxFrames: 10, maxAnimationPixels: 1000)
        let size = PixelSize(width: 20, height: 5)
        #expect(failureCode { try limits.check(frames: 10, of: size) } == nil)
        #expect(failureCode { try limits.check(frames: 11, of: size) } == "too-many-frames")
        let wide = PixelSize(width: 201, height: 1)
        #expect(failureCode { try limits.check(frames: 5, of: wide) } == "too-many-animation-pixels")
        let huge = PixelSize(width: .max, height: .max)
        #expect(failureCode { try limits.check(frames: 1, of: huge) } == "too-many-animation-pixels")
    }

    @Test func tooSlowPictureIsRejected() throws {
        let picture = PixelBuffer.noise(60, 50, channels: 3)
        for format in OutputFormat.readable {
            let source = MemorySource(try encode(picture, EncodeOptions(format: format)))
            let options = DecodeOptions(limits: DecodeLimits(maxSeconds: 0)).begun()
            #expect(
                failureCode {
                    let reader = try rowReader(source, inspect(source), options: options)
                    let row = AlignedBuffer(count: 180)
                    for _ in 0..<50 { try reader.readRow(into: row.bytes) }
                } == "too-slow")
        }
    }

    @Test func uninterruptibleWorkOverTheTimeLimitIsRejected() throws {
        let options = { DecodeOptions(limits: DecodeLimits(maxSeconds: $0)).begun() }
        // A solid picture takes no time, but the limit assumes the slowest picture of that size.
        let size = PixelSize(width: 2000, height: 3000)
        let picture = PixelBuffer(size: size, filledWith: [9, 8, 7])
        let still = MemorySource(try encode(picture, EncodeOptions(format: .webp)))
        #expect(failureCode { _ = try WebPReader(still, size: size, options: options(1)) } == "too-slow")
        _ = try WebPReader(still, size: size, options: options(30))
        let animation = try WebPAnimationReader(still, options: options(1))
        #expect(failureCode { _ = try animation.nextFrame() } == "too-slow")
        for format in [OutputFormat.avif, .webp] {
            let drain = EncoderOutput(format, MemorySink())
            drain.checkpoint = { try options(1).check(before: $0) }
            #expect(
                failureCode {
                    if format == .avif {
                        let encoding = EncodeOptions(format: .avif)
                        _ = try AVIFWriter(size: size, channels: 3, options: encoding, into: drain)
                    } else {
                        let encoding = EncodeOptions(format: .webp, quality: 50)
                        let writer = try WebPAnimationWriter(
                            encoding, size: size, plays: 1, limits: .standard, into: drain)
                        try writer.write(picture.bytes, delay: 1)
                    }
                } == "too-slow")
        }
    }

    @Test func stepMustFitTheRemainingTime() throws {
        let step = UninterruptibleCost.encodingAVIF(PixelSize(width: 1000, height: 500))
        #expect(step.seconds == 1)
        try DecodeOptions(limits: DecodeLimits(maxSeconds: 1)).check(before: step)
        #expect(
            failureCode { try DecodeOptions(limits: DecodeLimits(maxSeconds: 0.99)).check(before: step) } == "too-slow")
        // Some of this picture's time has passed.
        #expect(
            failureCode { try DecodeOptions(limits: DecodeLimits(maxSeconds: 1)).begun().check(before: step) }
                == "too-slow")
        let endless = UninterruptibleCost.encodingAVIF(PixelSize(width: .max, height: 2))
        try DecodeOptions(limits: DecodeLimits(maxSeconds: .infinity)).begun().check(before: endless)
        #expect(failureCode { try DecodeOptions().check(before: endless) } == "too-slow")
    }

    @Test func costOfJPEGXLGrowsWithFramesAndChannels() {
        func seconds(_ megapixels: Int, isModular: Bool = false, extra: Int = 0, frames: Int = 1) -> Double {
            let size = PixelSize(width: megapixels * 1000, height: 1000)
            let frame = JPEGXLPicture.Frame(size: size, isModular: isModular)
            return UninterruptibleCost.decodingJPEGXL(
                JPEGXLPicture(size: size, extraChannels: extra, frames: Array(repeating: frame, count: frames))
            ).seconds
        }
        #expect(seconds(108) == 18 && seconds(108, isModular: true) == 54)
        #expect(seconds(30, extra: 1) == 10 && seconds(30, isModular: true, extra: 1) == 20)
        #expect(seconds(30, frames: 4) == 20)
    }

    @Test func memoryOfWebPFramesIsReserved() throws {
        let picture = PixelBuffer.waves(100, 50, channels: 4)
        let source = MemorySource(try encode(picture, EncodeOptions(format: .webp)))
        // The code tables of the alpha channel: at most 5700 bytes for each of 25 x 13 blocks of 4 x 4 pixels. Another
        // 6 bytes per pixel are for libwebp, and 4 for the returned picture or 8 for the two canvases of an animation.
        let tables = 25 * 13 * 5700
        let (still, animation) = (5000 * 10 + source.count + tables, 5000 * 14 + source.count + tables)
        for (needed, read) in [
            (still, { try WebPReader(source, size: picture.size, options: $0).finish() }),
            (animation, { _ = try WebPAnimationReader(source, options: $0) }),
        ] as [(Int, (DecodeOptions) throws -> Void)] {
            try read(DecodeOptions(limits: DecodeLimits(maxMemoryBytes: needed)).begun())
            let less = DecodeOptions(limits: DecodeLimits(maxMemoryBytes: needed - 1)).begun()
            #expect(failureCode { try read(less) } == "out-of-memory-limit")
        }
    }

    /// A lossless WebP of 1024 x 1024 pixels that take no bits, with 65 536 groups of code tables. The tables take 300
    /// KB in the file and 360 MB in memory (WebP lossless bitstream, §5.2 and §6).
    private static let tableBomb: [UInt8] = {
        var bits: [UInt8] = []
        func write(_ value: Int, _ count: Int) { for bit in 0..<count { bits.append(UInt8(value >> bit & 1)) } }
        // A code with the single symbol 0, which takes no bits.
        func simpleCode() { write(0b0001, 4) }
        // Writes a prefix code for an alphabet of `all` symbols: the first `symbols` have codes of 8 bits, the others
        // none. The code for these lengths contains only the lengths 0 and 8, the third and the twelfth in its order.
        func code(_ symbols: Int, of all: Int) {
            write(0, 1)
            write(12 - 4, 4)
            for place in 0..<12 { write([2, 11].contains(place) ? 1 : 0, 3) }
            write(0, 1)
            for symbol in 0..<all { write(symbol < symbols ? 1 : 0, 1) }
        }
        write(0x2F, 8)
        write(1023, 14)
        write(1023, 14)
        write(0, 4)
        // No transform and no colour cache, then a picture of group numbers: 256 x 256 blocks of 4 x 4 pixels.
        write(0b100, 3)
        write(0, 4)
        code(256, of: 280)
        code(256, of: 256)
        for _ in 0..<3 { simpleCode() }
        for group in 0..<65_536 { write(group, 16) }
        for _ in 0..<65_536 * 5 { simpleCode() }
        while bits.count % 16 != 0 { bits.append(0) }
        let data = stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 | bits[start + $1] << UInt8($1) }
        }
        func little(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) } }
        return Array("RIFF".utf8) + little(data.count + 12) + Array("WEBPVP8L".utf8) + little(data.count) + data
    }()

    @Test func memoryLimitIncludesTheCodeTablesOfAWebP() throws {
        let size = PixelSize(width: 1024, height: 1024)
        let source = MemorySource(Self.tableBomb)
        let limits = { DecodeLimits(maxMemoryBytes: $0) }
        for read in [
            { try WebPReader(source, size: size, options: $0).finish() },
            { _ = try WebPAnimationReader(source, options: $0) },
        ] as [(DecodeOptions) throws -> Void] {
            #expect(failureCode { try read(DecodeOptions(limits: limits(360 << 20)).begun()) } == "out-of-memory-limit")
            try read(DecodeOptions(limits: limits(400 << 20)).begun())
        }
    }

    @Test func timeLimitCanBeInfinite() throws {
        try DecodeOptions(limits: DecodeLimits(maxSeconds: .infinity)).begun().check()
    }
}
