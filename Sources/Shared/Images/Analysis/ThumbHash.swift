import Libc

/// A blurred preview of a picture in about 25 bytes, with its aspect ratio and transparency: ThumbHash, by Evan
/// Wallace (https://evanw.github.io/thumbhash/).
///
/// Stores a few cosine terms each of lightness (L), yellow against blue (P), red against green (Q), and opacity (A).
/// The bytes begin with two numbers, least significant bit first:
///
///     24 bits: L mean 6, P mean 6, Q mean 6, L scale 5, has alpha 1
///     16 bits: terms along the shorter side 3, P scale 6, Q scale 6, is landscape 1
///      8 bits, with alpha only: A mean 4, A scale 4
///
/// The terms of L, P, Q and A follow with 4 bits each, the low half of a byte first.
enum ThumbHash {
    /// The maximum number of columns and rows.
    static let maxSide = 100

    /// Returns the bytes for an RGBA picture (straight alpha) of at most 100x100 pixels. O(pixels), about 50 terms.
    static func bytes(_ picture: PixelBuffer) -> [UInt8] {
        let (width, height) = (picture.size.width, picture.size.height)
        let planes = Planes(picture)
        let hasAlpha = planes.hasAlpha
        // The number of L terms along each side, in proportion to the side: up to 7, or up to 5 if alpha is stored too.
        let limit = Double(hasAlpha ? 5 : 7) / Double(max(width, height))
        let across = max(nearest(limit * Double(width)), 1)
        let down = max(nearest(limit * Double(height)), 1)
        let cosines = Cosines(width: width, height: height)
        let lightness = Spectrum(planes.lightness, across: max(across, 3), down: max(down, 3), cosines)
        let yellowBlue = Spectrum(planes.yellowBlue, across: 3, down: 3, cosines)
        let redGreen = Spectrum(planes.redGreen, across: 3, down: 3, cosines)
        let isLandscape = width > height

        var bits = BitPacker()
        bits.append(nearest(63 * lightness.mean), 6)
        bits.append(nearest(31.5 + 31.5 * yellowBlue.mean), 6)
        bits.append(nearest(31.5 + 31.5 * redGreen.mean), 6)
        bits.append(nearest(31 * lightness.scale), 5)
        bits.append(hasAlpha ? 1 : 0, 1)
        bits.append(isLandscape ? down : across, 3)
        bits.append(nearest(63 * yellowBlue.scale), 6)
        bits.append(nearest(63 * redGreen.scale), 6)
        bits.append(isLandscape ? 1 : 0, 1)
        var spectra = [lightness, yellowBlue, redGreen]
        if hasAlpha {
            let opacity = Spectrum(planes.opacity, across: 5, down: 5, cosines)
            bits.append(nearest(15 * opacity.mean), 4)
            bits.append(nearest(15 * opacity.scale), 4)
            spectra.append(opacity)
        }
        for spectrum in spectra {
            for term in spectrum.terms { bits.append(nearest(15 * term), 4) }
        }
        return bits.bytes
    }

    /// Rounds halves up, also for negative numbers. The tolerance compensates for floating-point errors: a term of zero
    /// scales to exactly 7.5.
    private static func nearest(_ value: Double) -> Int { Int((value + 0.5 + 1e-9).rounded(.down)) }

    /// Lightness and the two colour differences, with transparent pixels composed over the mean colour.
    private struct Planes {
        var lightness: [Double] = []
        var yellowBlue: [Double] = []
        var redGreen: [Double] = []
        var opacity: [Double] = []
        let hasAlpha: Bool

        init(_ picture: PixelBuffer) {
            let samples = picture.bytes.map { Double($0) / 255 }
            let pixels = stride(from: 0, to: samples.count, by: 4)
            var mean = (red: 0.0, green: 0.0, blue: 0.0)
            var total = 0.0
            for i in pixels {
                let alpha = samples[i + 3]
                mean.red += alpha * samples[i]
                mean.green += alpha * samples[i + 1]
                mean.blue += alpha * samples[i + 2]
                total += alpha
            }
            if total > 0 { mean = (mean.red / total, mean.green / total, mean.blue / total) }
            hasAlpha = pixels.contains { picture.bytes[$0 + 3] < 255 }
            for i in pixels {
                let alpha = samples[i + 3]
                let red = mean.red * (1 - alpha) + alpha * samples[i]
                let green = mean.green * (1 - alpha) + alpha * samples[i + 1]
                let blue = mean.blue * (1 - alpha) + alpha * samples[i + 2]
                lightness.append((red + green + blue) / 3)
                yellowBlue.append((red + green) / 2 - blue)
                redGreen.append(red - green)
                opacity.append(alpha)
            }
        }
    }

    /// cos(π k (i + ½) / n) for each term and position along each side.
    private struct Cosines {
        /// At most seven terms are stored along a side.
        static let terms = 7
        let across: [[Double]]
        let down: [[Double]]

        init(width: Int, height: Int) {
            func table(_ count: Int) -> [[Double]] {
                (0..<Self.terms).map { term in
                    (0..<count).map { cos(Double.pi / Double(count) * Double(term) * (Double($0) + 0.5)) }
                }
            }
            across = table(width)
            down = table(height)
        }
    }

    /// The low-frequency cosine terms of a plane: a triangle of `across` by `down` terms.
    private struct Spectrum {
        private(set) var mean = 0.0
        /// The largest magnitude of the terms.
        private(set) var scale = 0.0
        /// The terms except the mean, row by row, scaled to 0...1 with ½ for zero.
        private(set) var terms: [Double] = []

        init(_ plane: [Double], across: Int, down: Int, _ cosines: Cosines) {
            let width = cosines.across[0].count
            let height = cosines.down[0].count
            // First transforms each row, then the columns of the result.
            let rows = (0..<across).map { term in
                (0..<height).map { y in
                    (0..<width).reduce(0.0) { $0 + plane[y * width + $1] * cosines.across[term][$1] }
                }
            }
            for v in 0..<down {
                for u in 0..<across where u * down < across * (down - v) {
                    let sum = (0..<height).reduce(0.0) { $0 + rows[u][$1] * cosines.down[v][$1] }
                    let term = sum / Double(width * height)
                    if u == 0 && v == 0 {
                        mean = term
                    } else {
                        terms.append(term)
                        scale = max(scale, abs(term))
                    }
                }
            }
            let scale = scale
            // A smaller scale is only the rounding error of a flat plane.
            if scale > 1e-9 { terms = terms.map { 0.5 + 0.5 / scale * $0 } }
        }
    }

    /// Appends numbers of a few bits, least significant bit first.
    private struct BitPacker {
        private(set) var bytes: [UInt8] = []
        private var filled = 0

        mutating func append(_ value: Int, _ width: Int) {
            for bit in 0..<width {
                if filled % 8 == 0 { bytes.append(0) }
                bytes[filled / 8] |= UInt8(value >> bit & 1) << UInt8(filled % 8)
                filled += 1
            }
        }
    }
}
