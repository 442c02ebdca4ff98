import CKernels
import Libc
import Support
import TestSupport
import Testing

@testable import JPEG

/// Random DCT blocks of a component.
private struct Blocks {
    let layout: BlockLayout
    var dc: [Int16] = []
    var acOffsets: [Int32] = []
    var coefficients: [Int16] = []
    var steps: [UInt16]

    /// The range of coefficients and quantisation steps.
    enum Kind: CaseIterable { case sane, sparse, hostile }

    init(size: Int, count: Int, _ kind: Kind, _ random: inout SeededRandom) {
        layout = BlockLayout(size: size)
        let (area, stride) = (layout.area, layout.stride)
        steps = (0..<area).map { _ in
            kind == .hostile ? .random(in: 0 ... .max, using: &random) : .random(in: 1...20, using: &random)
        }
        for _ in 0..<count {
            dc.append(
                kind == .hostile ? .random(in: .min ... .max, using: &random) : .random(in: -50...50, using: &random))
            if random.below(4) == 0 {
                acOffsets.append(-1)
                continue
            }
            acOffsets.append(Int32(coefficients.count))
            let isFlat = random.below(4) == 0
            for place in 0..<area {
                let isThere =
                    place % stride < size && (!isFlat || place < stride) && (kind != .sparse || random.below(8) == 0)
                let range: ClosedRange<Int16> = kind == .hostile ? .min ... .max : -8...8
                coefficients.append(isThere ? .random(in: range, using: &random) : 0)
            }
        }
    }

    /// Returns the samples of a row of blocks that begin `step` samples apart, and of their surroundings, which must
    /// not change.
    ///
    /// - Parameter stride: the distance between the DC coefficients of adjacent blocks.
    func samples(_ level: apod_kernel_level, offset: Int16 = 3, step: Int, stride: Int = 1) -> [[UInt8]] {
        let size = layout.size
        let dc = dc.flatMap { [$0] + [Int16](repeating: 0, count: stride - 1) }
        let acOffsets = acOffsets.flatMap { [$0] + [Int32](repeating: -1, count: stride - 1) }
        let count = self.dc.count
        var rows = [[UInt8]](repeating: [UInt8](repeating: 7, count: count * step + 5), count: size)
        var coefficients = coefficients + [0]
        dc.withUnsafeBufferPointer { dc in
            acOffsets.withUnsafeBufferPointer { acOffsets in
                coefficients.withUnsafeMutableBufferPointer { coefficients in
                    steps.withUnsafeBufferPointer { steps in
                        var blocks = apod_dct_blocks(
                            dc: dc.baseAddress, ac_offsets: acOffsets.baseAddress, stride: stride,
                            coefficients: coefficients.baseAddress, dc_offset: offset, steps: steps.baseAddress)
                        let memory = AlignedBuffer(count: size * rows[0].count)
                        memory.bytes.update(repeating: 7, count: memory.count)
                        var pointers = (0..<size).map { Optional(memory.bytes + $0 * rows[0].count) }
                        apod_inverse_dct(level, Int32(size), &blocks, count, &pointers, 2, step)
                        for y in 0..<size {
                            rows[y] = Array(UnsafeBufferPointer(start: pointers[y], count: rows[0].count))
                        }
                    }
                }
            }
        }
        return rows
    }

    /// Returns a sample by the definition of the inverse DCT, in floating point.
    func exactSample(_ block: Int, _ x: Int, _ y: Int, offset: Int16 = 3) -> Double {
        let size = layout.size
        var sum = 0.0
        for v in 0..<size {
            for u in 0..<size {
                let place = v * layout.stride + u
                let isMean = place == 0
                let coefficient =
                    isMean
                    ? Int(dc[block] + offset)
                    : acOffsets[block] < 0 ? 0 : Int(coefficients[Int(acOffsets[block]) + place])
                func basis(_ k: Int, _ n: Int) -> Double {
                    k == 0 ? (1.0 / 8).squareRoot() : cos(Double((2 * n + 1) * k) * Double.pi / Double(2 * size)) / 2
                }
                sum += Double(coefficient * Int(steps[place])) * basis(u, x) * basis(v, y)
            }
        }
        return min(max(sum + 128, 0), 255)
    }
}

@Suite struct InverseDCTTests {
    @Test(arguments: BlockLayout.sizes)
    func allInstructionSetsGiveEqualSamples(_ size: Int) {
        var random = SeededRandom(seed: UInt64(size))
        for round in 0..<300 {
            for kind in Blocks.Kind.allCases {
                let blocks = Blocks(size: size, count: 1 + random.below(12), kind, &random)
                let (step, stride) = (size + random.below(4), 1 + random.below(3))
                let expected = blocks.samples(APOD_KERNEL_SCALAR, step: step, stride: stride)
                for level in apod_kernel_level.available.dropFirst() {
                    let samples = blocks.samples(level, step: step, stride: stride)
                    #expect(samples == expected, "\(level), \(round), \(kind)")
                }
            }
        }
    }

    @Test(arguments: BlockLayout.sizes)
    func samplesMatchTheDefinition(_ size: Int) {
        var random = SeededRandom(seed: 100 + UInt64(size))
        let blocks = Blocks(size: size, count: 200, .sane, &random)
        let step = size + 3
        let samples = blocks.samples(apod_kernel_best(), step: step)
        var squares = 0.0
        for block in 0..<200 {
            for y in 0..<size {
                for x in 0..<size {
                    let difference = Double(samples[y][2 + block * step + x]) - blocks.exactSample(block, x, y)
                    #expect(abs(difference) < 1)
                    squares += difference * difference
                }
            }
        }
        // Rounding alone causes a mean squared error of 1/12.
        #expect(squares / Double(200 * size * size) < 0.1)
    }
    @Test(arguments: BlockLayout.sizes)
    func dcOnlyBlockEqualsTheFullTransform(_ size: Int) {
        var random = SeededRandom(seed: 200 + UInt64(size))
        for kind in Blocks.Kind.allCases {
            var blocks = Blocks(size: size, count: 100, kind, &random)
            blocks.acOffsets = [Int32](repeating: -1, count: 100)
            let flat = blocks.samples(APOD_KERNEL_SCALAR, step: size)
            let area = blocks.layout.area
            blocks.coefficients = [Int16](repeating: 0, count: 100 * area)
            blocks.acOffsets = (0..<100).map { Int32($0 * area) }
            for level in apod_kernel_level.available {
                #expect(blocks.samples(level, step: size) == flat, "\(level), \(kind)")
            }
        }
    }

    /// As in libjpeg-turbo, whose first pass only shifts the DC coefficients if all rows below the first are 0.
    @Test func tooLargeDCWrapsOnlyIfTheLowerCoefficientRowsAreZero() {
        var random = SeededRandom(seed: 300)
        var blocks = Blocks(size: 8, count: 3, .sane, &random)
        blocks.dc = [8192, 8192, 8192]
        blocks.acOffsets = [-1, 0, 64]
        blocks.coefficients = [Int16](repeating: 0, count: 128)
        blocks.coefficients[64 + 8] = 1
        blocks.steps = [UInt16](repeating: 1, count: 64)
        let row: [UInt8] = [7, 7] + [UInt8](repeating: 0, count: 16) + [UInt8](repeating: 255, count: 8) + [7, 7, 7]
        for level in apod_kernel_level.available {
            #expect(blocks.samples(level, offset: 0, step: 8) == [[UInt8]](repeating: row, count: 8), "\(level)")
        }
    }
}
