/// How much of a progressive JPEG is decoded for an output of a given size: a pure function of what its headers say.
enum ScanChoice {
    /// Whether each scan is decoded.
    ///
    /// - Parameters:
    ///   - last: of each component the last coefficient in zigzag order that is kept.
    ///   - scale: eighths of its size at which the picture is decoded.
    ///   - reduction: the picture's size over the output's.
    static func needed(
        _ scans: [JPEGFrame.Scan], last: [Int], scale: Int, reduction: Double, skipsFineScans: Bool
    ) -> [Bool] {
        // Larger pictures than those that were measured get all that there is.
        guard skipsFineScans, scale <= 4, reduction >= 4 else { return scans.map { _ in true } }
        /// The larger quantisation step of a component's two lowest frequencies but the mean; 0 if it isn't known.
        let steps = last.indices.map { index in
            let first = scans.lazy.flatMap(\.components).first { $0.index == index }
            return first?.steps.map { Int(max($0[1], $0[2])) } ?? 0
        }
        func isNeeded(_ scan: JPEGFrame.Scan, _ component: Int) -> Bool {
            scan.missingBits == 0
                || error(step: steps[component], missingBits: scan.missingBits, reduction: reduction) > 0.11
        }
        // What is refined has to be known, with all of its bands.
        let isRefined = last.indices.map { component in
            last[component] > 0
                && scans.contains {
                    $0.band.lowerBound > 0 && $0.components[0].index == component && $0.missingBits > 0
                        && isNeeded($0, component)
                }
        }
        return scans.map { scan in
            // The blocks' means always come to their last bit.
            guard scan.band.lowerBound > 0 else { return true }
            let component = scan.components[0].index
            if isRefined[component] { return isNeeded(scan, component) }
            return scan.missingBits == 0 && scan.band.lowerBound <= last[component]
        }
    }

    /// The mean square error of luma, at most, when the last bits of all coefficients are missing: they are wrong by
    /// about their step times 2^bits, of which the resampler leaves the less, the smaller the picture becomes. The
    /// factor and the power are those of the worst photograph measured. An error of 0.11 costs 0.03 dB at 36 dB, about
    /// what a small JPEG of quality 82 has.
    static func error(step: Int, missingBits: Int, reduction: Double) -> Double {
        guard step > 0 else { return .infinity }
        let lost = Double(step) * Double(1 << min(missingBits, 15))
        return 0.75 * lost * lost / (reduction * reduction * reduction)
    }
}
