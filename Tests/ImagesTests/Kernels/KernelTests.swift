import CKernels
import TestSupport
import Testing

@Suite struct KernelTests {
    @Test func everyInstructionSetGivesTheSameVerticalPass() {
        var random = SeededRandom(seed: 7)
        for (count, taps) in [(1, 2), (64, 6), (65, 8), (200, 24), (333, 2)] {
            let stride = (count + 63) / 64 * 64
            let samples = (0..<taps * stride).map { _ in UInt8.random(in: 0...255, using: &random) }
            let weights = (0..<taps).map { _ in Int16.random(in: -2000...8000, using: &random) }
            let results = apod_kernel_level.available.map { level in
                var out = [Int16](repeating: 0, count: stride)
                samples.withUnsafeBufferPointer { samples in
                    let rows = (0..<taps).map { Optional(samples.baseAddress! + $0 * stride) }
                    apod_vertical(level, rows, weights, taps, &out, count)
                }
                return Array(out[0..<count])
            }
            for result in results { #expect(result == results[0]) }
        }
    }

    @Test func everyInstructionSetGivesTheSameHorizontalPass() {
        var random = SeededRandom(seed: 8)
        for (count, taps) in [(1, 8), (3, 8), (4, 16), (9, 24), (50, 40)] {
            let input = (0..<400).map { _ in Int16.random(in: -3000...19000, using: &random) }
            let starts = (0..<count).map { _ in Int32.random(in: 0...Int32(400 - taps), using: &random) }
            let weights = (0..<count * taps).map { _ in Int16.random(in: -1500...3000, using: &random) }
            let results = apod_kernel_level.available.map { level in
                var out = [UInt8](repeating: 0, count: count)
                apod_horizontal(level, input, starts, weights, taps, &out, count)
                return out
            }
            for result in results { #expect(result == results[0]) }
        }
    }

    @Test func partialBoxesAtTheEdgeAverageTheirPixels() {
        var sums = [UInt32](repeating: 0, count: 2)
        var out = [UInt8](repeating: 0, count: 2)
        apod_box_add([10, 20, 30, 40, 50], 1, 5, 3, &sums)
        apod_box_add([10, 20, 30, 42, 52], 1, 5, 3, &sums)
        apod_box_divide(&sums, 1, 5, 3, 2, &out)
        #expect(out == [20, 46])
        #expect(sums == [0, 0])
    }

    @Test func everyInstructionSetQuantisesAlike() {
        var random = SeededRandom(seed: 9)
        for round in 0..<60 {
            // Noise, or only black and white.
            let samples = (0..<8 * 24).map { _ in
                round % 2 == 0 ? UInt8.random(in: 0...255, using: &random) : Bool.random(using: &random) ? 255 : 0
            }
            let steps = (0..<64).map { _ in UInt8.random(in: 1...(round % 3 == 0 ? 4 : 255), using: &random) }
            var divisors = apod_divisors_of(steps)
            let results = apod_kernel_level.available.map { level in
                var blocks = [Int16](repeating: 0, count: 3 * 64)
                var nonzero = [UInt64](repeating: 0, count: 3)
                samples.withUnsafeBufferPointer { samples in
                    let rows = (0..<8).map { Optional(samples.baseAddress! + $0 * 24) }
                    apod_quantize(level, rows, 3, &divisors, &blocks, &nonzero)
                }
                for (place, value) in blocks.enumerated() {
                    #expect((nonzero[place / 64] >> UInt64(place % 64) & 1 == 1) == (value != 0))
                }
                return blocks
            }
            for result in results { #expect(result == results[0]) }
            // The transform has an error of less than a quarter, and the quotient is rounded.
            var exact = [Float](repeating: 0, count: 64)
            samples.withUnsafeBufferPointer { apod_forward_dct($0.baseAddress!, 24, &exact) }
            for place in 0..<64 {
                #expect(
                    abs(Float(results[0][place]) - exact[place] / Float(steps[place])) < 0.5 + 0.5 / Float(steps[place])
                )
            }
        }
    }
}
