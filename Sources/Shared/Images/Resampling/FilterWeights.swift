import Libc

/// The weights of a Lanczos filter with three lobes along an axis, in 14-bit fixed point.
///
/// The weights of each output sample sum to exactly 16384, so flat colours are preserved. At a scale of 1, the weights
/// are the identity.
struct FilterWeights: Sendable {
    /// 1 in fixed point.
    static let one = 16384

    let count: Int
    /// Weights per output sample, including zeros that pad shorter filters.
    let taps: Int
    /// For each output sample, the index of its first input sample.
    let starts: [Int32]
    /// For each output sample, the index after its last input sample.
    let ends: [Int32]
    let weights: [Int16]
}

extension FilterWeights {
    /// - Parameter multiple: `taps` is rounded up to a multiple of this, for kernels that process several taps at a
    ///   time.
    init(_ axis: ResamplingAxis, tapsMultipleOf multiple: Int) {
        let scale = axis.scale
        // For enlargements, the filter keeps its width of three input samples.
        let stretch = max(scale, 1)
        let support = 3 * stretch + (axis.sharpening > 0 ? 1 : 0)
        // For reductions, each sample counts by its part of the picture.
        let lastPart = scale > 1 ? axis.sourceLength - Double(axis.sourceCount - 1) : 1
        let widest = min(Int((2 * support).rounded(.up)) + 1, axis.sourceCount)
        let taps = (widest + multiple - 1) / multiple * multiple
        var starts = [Int32](repeating: 0, count: axis.targetCount)
        var ends = starts
        var weights = [Int16](repeating: 0, count: axis.targetCount * taps)
        withUnsafeTemporaryAllocation(of: Double.self, capacity: max(widest, 1)) { exact in
            for i in 0..<axis.targetCount {
                let centre = axis.sourceOffset + (Double(i) + 0.5) * scale
                var low = max(Int((centre - support + 0.5).rounded(.down)), 0)
                let high = min(Int((centre + support + 0.5).rounded(.down)), axis.sourceCount, low + widest)
                // If the centre is outside the samples, uses the edge sample.
                if high <= low { low = high > 0 ? high - 1 : 0 }
                let count = max(high - low, 1)
                Self.lanczos(
                    from: (Double(low) + 0.5 - centre) / stretch, step: 1 / stretch,
                    into: UnsafeMutableBufferPointer(rebasing: exact[0..<count]))
                if high == axis.sourceCount { exact[count - 1] *= lastPart }
                if axis.sharpening > 0 {
                    Self.sharpen(UnsafeMutableBufferPointer(rebasing: exact[0..<count]), axis.sharpening)
                }
                starts[i] = Int32(low)
                ends[i] = Int32(low + count)
                Self.round(exact, count: count, into: &weights, at: i * taps)
            }
        }
        self.init(count: axis.targetCount, taps: taps, starts: starts, ends: ends, weights: weights)
    }

    /// Returns the same weights for input samples that are counted from `first`.
    func counted(from first: Int) -> FilterWeights {
        guard first != 0 else { return self }
        return FilterWeights(
            count: count, taps: taps, starts: starts.map { $0 - Int32(first) }, ends: ends.map { $0 - Int32(first) },
            weights: weights)
    }

    /// Changes the weights of samples so that the result is as if the samples were first filtered with
    /// [-amount, 1 + 2 * amount, -amount].
    private static func sharpen(_ weights: UnsafeMutableBufferPointer<Double>, _ amount: Double) {
        var before = weights[0]
        for k in weights.indices {
            let weight = weights[k]
            let after = k + 1 < weights.count ? weights[k + 1] : weight
            weights[k] += (2 * weight - before - after) * amount
            before = weight
        }
    }

    /// Rounds weights to fixed point. Adds each rounding error to the next weight, so that the sum is exact and low
    /// frequencies keep their gain even if the weights are only a few units.
    private static func round(
        _ exact: UnsafeMutableBufferPointer<Double>, count: Int, into weights: inout [Int16], at offset: Int
    ) {
        var sum = 0.0
        for k in 0..<count { sum += exact[k] }
        // If the only sample is at the edge of the support, its weight is almost 0. Such a sample gets the weight 1.
        guard abs(sum) > 1e-6 else {
            weights[offset] = Int16(one)
            return
        }
        let gain = Double(one) / sum
        var carry = 0.0
        for k in 0..<count {
            let wanted = exact[k] * gain + carry
            let rounded = wanted.rounded()
            carry = wanted - rounded
            weights[offset + k] = Int16(max(min(rounded, 32767), -32768))
        }
    }

    /// Evaluates `3 sin(pi x) sin(pi x / 3) / (pi x)^2` at equal steps, 0 outside of -3...3. Computes sines by
    /// rotation, because two calls of `sin` per weight would take a noticeable part of the time for a small picture.
    private static func lanczos(from first: Double, step: Double, into values: UnsafeMutableBufferPointer<Double>) {
        let third = Double.pi / 3
        // sin(pi x) = sin(3a) = 3 sin(a) - 4 sin(a)^3 for a = pi x / 3, so a single rotation serves both sines.
        var sine = sin(first * third)
        var cosine = cos(first * third)
        let sineStep = sin(step * third)
        let cosineStep = cos(step * third)
        for k in values.indices {
            let x = first + Double(k) * step
            if abs(x) < 1e-8 {
                values[k] = 1
            } else if abs(x) >= 3 {
                values[k] = 0
            } else {
                let angle = x * third
                let outer = sine * (3 - 4 * sine * sine)
                values[k] = outer * sine / (3 * angle * angle)
            }
            (sine, cosine) = (sine * cosineStep + cosine * sineStep, cosine * cosineStep - sine * sineStep)
        }
    }
}
