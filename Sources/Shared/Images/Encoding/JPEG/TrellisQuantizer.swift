import Formats

/// Chooses the level of each coefficient of a block by rate and distortion: finds the path through all choices with
/// the smallest sum of bits and weighted errors.
///
/// mozjpeg calls this trellis quantisation. Errors weigh less in busy blocks, which hide errors.
struct TrellisQuantizer {
    /// The cost in bits of a squared error of one step in a block without detail. Of the values from 20 to 80, tried on
    /// ten pictures by SSIMULACRA2, 60 gave the smallest files.
    private static let errorWeight: Float = 60
    /// In a block whose coefficients have this mean square, errors have half the weight: mozjpeg's value, 38 levels
    /// squared.
    private static let masking: Float = 38 * 38

    private let steps: [Float]
    private let zigzag = JPEGBlock.zigzag

    /// - Parameter steps: 64, row-major.
    init(steps: [UInt8]) { self.steps = steps.map(Float.init) }

    /// Quantises the row-major coefficients of a block.
    ///
    /// - Parameter costs: nil rounds to the nearest step.
    func quantize(
        _ coefficients: UnsafeBufferPointer<Float>, _ costs: CodeCosts?, to block: UnsafeMutableBufferPointer<Int16>
    ) {
        for place in 0..<64 { block[place] = Int16((coefficients[place] / steps[place]).rounded()) }
        guard let costs else { return }
        var energy: Float = 0
        for place in 1..<64 { energy += coefficients[place] * coefficients[place] }
        let weight = Self.errorWeight * Self.masking / (Self.masking + energy / 63)

        withUnsafeTemporaryAllocation(of: Choice.self, capacity: 64) { choices in
            // Choice 0 is the start of all paths, before any nonzero coefficient.
            choices[0] = Choice(cost: 0, before: 0, magnitude: 0, zeroed: 0)
            var zeroed: Float = 0
            var count = 1
            var best = (choice: 0, cost: Float.infinity)
            withUnsafeTemporaryAllocation(of: Int.self, capacity: 64) { places in
                places[0] = 0
                for position in 1..<64 {
                    let place = zigzag[position]
                    let value = abs(coefficients[place]) / steps[place]
                    let nearest = Int(block[place].magnitude)
                    if nearest > 0 {
                        choices[count] = choice(
                            value, nearest, position, zeroed, weight, costs, UnsafeBufferPointer(choices),
                            UnsafeBufferPointer(places), count)
                        places[count] = position
                        count += 1
                    }
                    zeroed += weight * value * value
                }
                for index in 0..<count {
                    let end = places[index] == 63 ? 0 : costs.end
                    let cost = choices[index].cost + zeroed - choices[index].zeroed + end
                    if cost < best.cost { best = (index, cost) }
                }
                // Coefficients outside the path become 0.
                var index = best.choice
                for other in (1..<count).reversed() {
                    let place = zigzag[places[other]]
                    guard other == index else {
                        block[place] = 0
                        continue
                    }
                    let magnitude = Int16(choices[other].magnitude)
                    block[place] = block[place] < 0 ? -magnitude : magnitude
                    index = choices[other].before
                }
            }
        }
    }

    /// The best path that ends with a nonzero coefficient at a position.
    private struct Choice {
        /// The sum of bits and weighted errors up to this coefficient.
        var cost: Float
        /// The index of the previous choice.
        var before: Int
        var magnitude: Int
        /// The weighted error if all coefficients up to the position were 0.
        var zeroed: Float
    }

    private func choice(
        _ value: Float, _ nearest: Int, _ position: Int, _ zeroed: Float, _ weight: Float, _ costs: CodeCosts,
        _ choices: UnsafeBufferPointer<Choice>, _ places: UnsafeBufferPointer<Int>, _ count: Int
    ) -> Choice {
        var best = Choice(cost: .infinity, before: 0, magnitude: 0, zeroed: zeroed + weight * value * value)
        let bits = CodeCosts.magnitudeBits(nearest)
        // Tries the nearest level, and the largest level with one bit less. The levels between have a larger error and
        // save no bits.
        for (magnitude, bits) in [(nearest, bits), (1 << (bits - 1) - 1, bits - 1)] where magnitude > 0 {
            let error = value - Float(magnitude)
            for before in 0..<count {
                let zeros = position - places[before] - 1
                let cost =
                    choices[before].cost + zeroed - choices[before].zeroed + weight * error * error
                    + costs.coefficient(zeros: zeros, magnitudeBits: bits)
                if cost < best.cost { (best.cost, best.before, best.magnitude) = (cost, before, magnitude) }
            }
        }
        return best
    }
}
