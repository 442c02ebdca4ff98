import Formats
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct MemoryBudgetTests {
    private let never = Interruption()

    @Test func whatIsReservedComesBackWithItsOwner() throws {
        let budget = MemoryBudget(bytes: 100)
        do {
            let first = try budget.reserve(60, for: budget.newPicture(), interruption: never)
            #expect(budget.used == 60 && first.bytes == 60)
        }
        #expect(budget.used == 0)
    }

    @Test func moreThanThereEverIsIsRefusedAtOnce() throws {
        let options = DecodeOptions(limits: DecodeLimits(maxMemoryBytes: 100)).begun()
        #expect(failureCode { _ = try options.reserve(memory: 101) } == "out-of-memory-limit")
        let first = try options.reserve(memory: 60)
        // One picture's reservations count together.
        #expect(failureCode { _ = try options.reserve(memory: 41) } == "out-of-memory-limit")
        try withExtendedLifetime(first) { _ = try options.reserve(memory: 40) }
    }

    /// Waits until so many pictures wait.
    private func wait(for count: Int, in budget: MemoryBudget) {
        while budget.waiting != count {}
    }

    @Test func aPictureWaitsForAnother() throws {
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

    @Test func twoPicturesThatBothWantMoreDoNotWaitForEachOther() throws {
        let budget = MemoryBudget(bytes: 100)
        let peak = Monitor(0)
        // Both hold their first part before either asks for its second.
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

    @Test func manyThreadsNeverStopEachOther() throws {
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

    @Test func aStoppedRunDoesNotWaitForMemory() throws {
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

    @Test func optionsThatHaveNotBegunOnlyCount() throws {
        let options = DecodeOptions(limits: DecodeLimits(maxMemoryBytes: 100))
        let both = try (options.begun().reserve(memory: 80), options.reserve(memory: 80))
        #expect(options.memory.used == 160)
        withExtendedLifetime(both) {}
    }
}

@Suite struct DecodeLimitsTests {
    @Test func framesAndTheirPixelsAreCounted() {
        let limits = DecodeLimits(maxFrames: 10, maxAnimationPixels: 1000)
        let size = PixelSize(width: 20, height: 5)
        #expect(failureCode { try limits.check(frames: 10, of: size) } == nil)
        #expect(failureCode { try limits.check(frames: 11, of: size) } == "too-many-frames")
        let wide = PixelSize(width: 201, height: 1)
        #expect(failureCode { try limits.check(frames: 5, of: wide) } == "too-many-animation-pixels")
        let huge = PixelSize(width: .max, height: .max)
        #expect(failureCode { try limits.check(frames: 1, of: huge) } == "too-many-animation-pixels")
    }

    @Test func aPictureThatTakesTooLongIsRefused() throws {
        let picture = PixelBuffer.noise(60, 50, channels: 3)
        for format in OutputFormat.readable {
            let source = MemorySource(try encode(picture, EncodeOptions(format: format)))
            let options = DecodeOptions(limits: DecodeLimits(maxSeconds: 0)).begun()
            #expect(
                failureCode {
                    let reader = try rowReader(source, inspect(source), scale: 8, options: options)
                    let row = AlignedBuffer(count: 180)
                    for _ in 0..<50 { try reader.readRow(into: row.bytes) }
                } == "too-slow")
        }
    }

    @Test func thereMayBeNoLimitOfTime() throws {
        try DecodeOptions(limits: DecodeLimits(maxSeconds: .infinity)).begun().check()
        #expect(ImageError.tooSlow(seconds: 60).message == "the picture takes more than 60 seconds")
        #expect(ImageError.tooSlow(seconds: 0.5).message == "the picture takes more than 0.5 seconds")
    }

    @Test func everyLimitHasItsOwnCode() {
        let size = PixelSize(width: 1, height: 1)
        let errors: [ImageError] = [
            .tooManyPixels(size, limit: 0), .tooManyBytes(1, limit: 0), .tooMuchMemory(bytes: 1, limit: 0),
            .tooManyFrames(1, limit: 0), .tooManyAnimationPixels(size, frames: 1, limit: 0), .tooSlow(seconds: 0),
            .tooManyScans(limit: 0),
        ]
        #expect(Set(errors.map(\.code)).count == errors.count)
        #expect(errors.allSatisfy { $0.exitCode == .notAllowed })
    }
}
