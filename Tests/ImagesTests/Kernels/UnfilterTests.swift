import CKernels
import TestSupport
import Testing

@Suite struct UnfilterTests {
    /// Reverses a filter byte by byte (PNG 9.2 and 9.4).
    private func model(_ filter: Int, pixel: Int, _ input: [UInt8], above: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        for i in input.indices {
            let a = i < pixel ? 0 : Int(out[i - pixel])
            let b = Int(above[i])
            let c = i < pixel ? 0 : Int(above[i - pixel])
            let p = a + b - c
            let nearest = [a, b, c].min { abs(p - $0) < abs(p - $1) }!
            let predicted = [0, a, b, (a + b) / 2, nearest][filter]
            out.append(UInt8(truncatingIfNeeded: Int(input[i]) + predicted))
        }
        return out
    }

    @Test(arguments: 0...4) func allInstructionSetsReverseFiltersAsPNGDefines(filter: Int) {
        var random = SeededRandom(seed: UInt64(filter) + 70)
        for pixel in 1...8 {
            for width in [1, 2, 3, 5, 16, 17, 63, 200] {
                let count = width * pixel
                // Half of the cases have few values, because implementations could differ in ties between neighbours.
                let range: ClosedRange<UInt8> = width % 2 == 0 ? 0...255 : 0...3
                let input = (0..<count).map { _ in UInt8.random(in: range, using: &random) }
                let above = (0..<count).map { _ in UInt8.random(in: range, using: &random) }
                let expected = model(filter, pixel: pixel, input, above: above)
                for level in apod_kernel_level.available {
                    // The byte after the row must not change.
                    var out = [UInt8](repeating: 0xA5, count: count + 1)
                    #expect(apod_unfilter(level, Int32(filter), pixel, input, above, &out, count) == 0)
                    #expect(Array(out.dropLast()) == expected, "\(pixel) bytes a pixel, \(width) pixels, \(level)")
                    #expect(out.last == 0xA5)
                }
            }
        }
    }

    /// Tries neighbours in every order, including ties, with the Paeth filter.
    @Test func allInstructionSetsChooseTheSamePaethNeighbour() {
        let values: [UInt8] = [0, 1, 2, 3, 61, 63, 64, 65, 85, 126, 127, 128, 129, 170, 190, 192, 252, 253, 254, 255]
        for upper in values {
            for corner in values {
                // Two pixels of a byte each: the first result is the left neighbour of the second.
                for left in values {
                    let (input, above): ([UInt8], [UInt8]) = ([left &- corner, 0], [corner, upper])
                    let expected = model(4, pixel: 1, input, above: above)
                    for level in apod_kernel_level.available {
                        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 2) { out in
                            #expect(apod_unfilter(level, 4, 1, input, above, out.baseAddress!, 2) == 0)
                            if !out.elementsEqual(expected) { Issue.record("\(left), \(upper), \(corner) by \(level)") }
                        }
                    }
                }
            }
        }
    }

    @Test func unknownFilterIsRejected() {
        var out: [UInt8] = [0]
        for level in apod_kernel_level.available { #expect(apod_unfilter(level, 5, 3, [0], [0], &out, 1) == -1) }
    }
}
