import Formats
import Support

/// What one scan of a progressive JPEG brings (ITU-T T.81 B.2.3, G.1.1.1).
struct JPEGScan: Hashable {
    /// The number of its only component; nil if there are several, as there may be in scans of the blocks' means.
    var component: Int?
    /// The band of coefficients in zigzag order: 0...0 for the blocks' means, else a part of 1...63.
    var band: ClosedRange<Int>
    /// For a scan that refines coefficients which have come before: how many of their lowest bits were missing. 0 for
    /// the first scan of a band.
    var missingBits: Int

    /// Of a scan of all four components that there may be.
    static let longestHeader = 4 + 2 * 4
}

extension JPEGScan {
    /// - Parameter header: what follows the length in a scan's header; nil if that makes no sense.
    init?(header: [UInt8]) {
        guard let count = header.first, header.count == 4 + 2 * Int(count), count > 0 else { return nil }
        let parameters = header.suffix(3).map { Int($0) }
        guard parameters[0] <= parameters[1], parameters[1] < 64 else { return nil }
        self.init(
            component: count == 1 ? Int(header[1]) : nil, band: parameters[0]...parameters[1],
            missingBits: parameters[2] >> 4)
    }
}

/// What is known of a component before its scans come.
struct JPEGComponent: Hashable {
    /// What scans know it by.
    var number: Int
    /// The larger quantisation step of its two lowest frequencies but the mean; 0 if it isn't known.
    var step: Int
    /// Its blocks of 64 coefficients.
    var blocks: Int
}

/// How much of a JPEG in several scans is decoded for an output of a given size: a pure function of what its headers
/// say.
struct ScanChoice: Hashable {
    /// Of each component the square of lowest frequencies in each block that is kept: 1, 2, 4, or 8 for all.
    let sides: [Int]
    /// Whether each scan is decoded.
    let includes: [Bool]

    /// - Parameters:
    ///   - scans: those behind the first one, which is always decoded; nil for one that makes no sense.
    ///   - scale: eighths of its size at which the picture is decoded.
    ///   - reduction: the picture's size over the output's.
    init(
        scans: [JPEGScan?], components: [JPEGComponent], scale: Int, reduction: Double, quality: DecodeOptions.Quality
    ) {
        // Larger pictures than those that were measured get all that there is.
        guard quality != .full, scale <= 4, reduction >= 4 else {
            sides = components.map { _ in 8 }
            includes = scans.map { _ in true }
            return
        }
        // A decoder at N eighths makes N x N samples of a block: its N x N lowest frequencies are all that it needs,
        // and libjpeg-turbo, which mixes in some of the others, comes out no further from the truth without them.
        let side = [1, 2].first { $0 >= scale } ?? 4
        func isNeeded(_ scan: JPEGScan, _ component: JPEGComponent) -> Bool {
            scan.missingBits == 0
                || Self.error(step: component.step, missingBits: scan.missingBits, reduction: reduction) > 0.11
        }
        func isDetail(_ scan: JPEGScan?, of component: JPEGComponent) -> Bool {
            guard let scan else { return false }
            return scan.band.lowerBound > 0 && scan.component == component.number
        }
        let sides = components.map { component in
            // A scan that refines can be decoded only if all that it refines is known.
            let isRefined =
                side > 1
                && scans.contains {
                    isDetail($0, of: component) && $0!.missingBits > 0 && isNeeded($0!, component)
                }
            return isRefined ? 8 : side
        }
        includes = scans.map { scan in
            // The blocks' means always come to their last bit.
            guard let scan, let index = components.firstIndex(where: { isDetail(scan, of: $0) }) else { return true }
            if sides[index] == 8 { return isNeeded(scan, components[index]) }
            // The last coefficient in zigzag order that lies in the square (T.81 figure A.6).
            let last = [1: 0, 2: 4, 4: 24][side] ?? 63
            return scan.missingBits == 0 && scan.band.lowerBound <= last
        }
        self.sides = sides
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
