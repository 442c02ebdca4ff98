import CKernels
import Formats
import Libc
import Support
import TestSupport
import Testing

@testable import Images

@Suite struct TrellisTests {
    private static let steps = QuantizationTables(tunedFor: 82, .halved).steps[..<64]

    /// The code costs of a noisy plane.
    private let costs = CodeCosts(of: [
        QuantizedPlane(
            size: PixelSize(width: 64, height: 64), row: rows(of: .noise(64, 64, channels: 1)), steps: steps, costs: nil
        )
    ])

    private static func rows(of picture: PixelBuffer) -> (Int) -> UnsafePointer<UInt8> {
        let buffer = AlignedBuffer(count: picture.bytes.count)
        buffer.bytes.update(from: picture.bytes, count: picture.bytes.count)
        return { UnsafePointer(buffer.bytes + $0 * picture.size.width) }
    }

    @Test func each16ZerosCostACode() {
        func cost(_ zeros: Int) -> Float { costs.coefficient(zeros: zeros, magnitudeBits: 2) }
        let code = cost(19) - cost(3)
        #expect(code > 1 && abs(cost(35) - cost(3) - 2 * code) < 0.001)
    }

    @Test func codingOrderIsZigzag() {
        let order = JPEGBlock.zigzag
        #expect(order.prefix(12) == [0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25])
        #expect(order.suffix(4) == [47, 55, 62, 63])
        #expect(order.sorted() == Array(0..<64))
    }

    @Test func transformMatchesTheStandard() {
        let samples = PixelBuffer.noise(8, 8, channels: 1).bytes
        var out = [Float](repeating: 0, count: 64)
        apod_forward_dct(samples, 8, &out)
        // The transform is defined in T.81, A.3.3.
        for v in 0..<8 {
            for u in 0..<8 {
                var sum = 0.0
                for place in 0..<64 {
                    sum +=
                        (Double(samples[place]) - 128) * cos(Double(2 * (place % 8) + 1) * Double(u) * .pi / 16)
                        * cos(Double(2 * (place / 8) + 1) * Double(v) * .pi / 16)
                }
                let expected = sum / 4 * (u == 0 ? 0.5.squareRoot() : 1) * (v == 0 ? 0.5.squareRoot() : 1)
                #expect(abs(Double(out[v * 8 + u]) - expected) < 0.01)
            }
        }
    }

    private func quantized(_ coefficients: [Float], _ costs: CodeCosts?) -> [Int16] {
        var block = [Int16](repeating: 0, count: 64)
        coefficients.withUnsafeBufferPointer { coefficients in
            block.withUnsafeMutableBufferPointer {
                TrellisQuantizer(steps: Array(Self.steps)).quantize(coefficients, costs, to: $0)
            }
        }
        return block
    }

    @Test func withoutCostsCoefficientsAreRounded() {
        let coefficients = (0..<64).map { Float($0 * $0 % 97) - 48 }
        let expected = zip(coefficients, Self.steps).map { Int16(($0 / Float($1)).rounded()) }
        #expect(quantized(coefficients, nil) == expected)
    }

    /// The cost of a block by definition: the bits of its codes plus its weighted errors.
    private func cost(_ block: [Int16], _ coefficients: [Float]) -> Float {
        var energy: Float = 0
        for place in 1..<64 { energy += coefficients[place] * coefficients[place] }
        let weight = 60 * Float(38 * 38) / (38 * 38 + energy / 63)
        var (sum, zeros): (Float, Int) = (0, 0)
        for place in JPEGBlock.zigzag.dropFirst() {
            let error = coefficients[place] / Float(Self.steps[place]) - Float(block[place])
            sum += weight * error * error
            if block[place] == 0 {
                zeros += 1
            } else {
                let bits = CodeCosts.magnitudeBits(Int(block[place].magnitude))
                sum += costs.coefficient(zeros: zeros, magnitudeBits: bits)
                zeros = 0
            }
        }
        return zeros > 0 ? sum + costs.end : sum
    }

    @Test(arguments: 0..<120 as Range<UInt64>) func chosenLevelsHaveTheLowestCost(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var coefficients = (0..<64).map { Float(Self.steps[$0]) * Float.random(in: -0.45...0.45, using: &random) }
        var places = Array((1..<63).shuffled(using: &random).prefix(6))
        for place in places {
            coefficients[place] = Float(Self.steps[place]) * Float.random(in: -9...9, using: &random)
        }
        // A nonzero last coefficient saves the code for the end of the block.
        if seed % 2 == 0 {
            places.append(63)
            coefficients[63] = Float(Self.steps[63]) * Float.random(in: 0.5...1.2, using: &random)
        }
        let nearest = quantized(coefficients, nil)
        let candidates = places.map { place -> [Int16] in
            let magnitude = Int(nearest[place].magnitude)
            let sign: Int16 = nearest[place] < 0 ? -1 : 1
            return [0, nearest[place]]
                + (magnitude > 1 ? [sign * Int16(1 << (CodeCosts.magnitudeBits(magnitude) - 1) - 1)] : [])
        }
        var best = Float.infinity
        func tryAll(_ index: Int, _ block: [Int16]) {
            if index == places.count {
                best = min(best, cost(block, coefficients))
                return
            }
            for value in candidates[index] {
                var block = block
                block[places[index]] = value
                tryAll(index + 1, block)
            }
        }
        tryAll(0, nearest)
        let chosen = quantized(coefficients, costs)
        #expect(chosen[0] == nearest[0])
        #expect(abs(cost(chosen, coefficients) - best) < best * 1e-4 + 1e-3)
    }

    @Test(arguments: [(1, 37, 21), (3, 37, 21), (3, 1, 1), (3, 16, 16), (1, 8, 8), (3, 90, 65)])
    func trellisQuantisationKeepsThePicture(channels: Int, width: Int, height: Int) throws {
        let picture = PixelBuffer.waves(width, height, channels: channels)
        for chroma in ChromaChoice.allCases {
            let plain = try encode(picture, EncodeOptions(effort: 6, chroma: chroma))
            let chosen = try encode(picture, EncodeOptions(effort: 9, chroma: chroma))
            #expect(chosen.count <= plain.count)
            let (a, b) = (try decode(MemorySource(plain)), try decode(MemorySource(chosen)))
            #expect(a.size == b.size && psnr(a.bytes, b.bytes) > 33)
            let progressive = try encode(picture, EncodeOptions(effort: 9, chroma: chroma, isProgressive: true))
            #expect(FrameHeader(progressive)?.code == 0xC2)
            #expect(try decode(MemorySource(progressive)) == b)
        }
    }
}
