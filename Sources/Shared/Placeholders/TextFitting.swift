/// Finds the largest font size at which a text fits into a box, and the width at which it is wrapped.
///
/// Widths are in ems: without hinting, all widths are proportional to the font size.
struct TextFitting {
    /// The number of lines and the width of the widest line.
    struct Lines: Sendable, Hashable {
        var count: Int
        var width: Double
    }

    struct Result: Sendable, Hashable {
        /// Pixels per em.
        var size: Double
        var width: Double
        var breaksWords = false
        /// The maximum number of lines to draw. If the text needs more lines, the last line ends in an ellipsis.
        var lineLimit: Int
    }

    /// The width of the text on one line.
    var width: Double
    /// The distance between baselines, in ems.
    var lineHeight: Double
    /// Wraps the text at a width. `breaksWords` allows breaks within words that are too wide.
    var wrapped: (_ width: Double, _ breaksWords: Bool) -> Lines

    /// The maximum number of lines. Longer texts are unsuitable as messages.
    static let lineLimit = 8

    /// Returns the largest size at which the text fits into a box in pixels; nil if not even one line fits.
    ///
    /// Many lines of large letters are no easier to read than fewer lines of smaller letters. At most three lines are
    /// therefore allowed at sizes above 62 % of the largest size, and two lines are preferred to three lines if the
    /// letters are at most a fifth smaller. If the text does not fit at any size, words are broken, and the last line
    /// ends in an ellipsis if necessary.
    func fitted(width: Double, height: Double, sizes: ClosedRange<Double>) -> Result? {
        func lineLimit(_ size: Double) -> Int {
            Int(min(height / (size * lineHeight) + 1e-9, Double(Self.lineLimit)))
        }
        guard lineLimit(sizes.lowerBound) >= 1, width > 0, self.width > 0 else { return nil }
        func fits(_ size: Double, breaksWords: Bool) -> Lines? {
            let isLarge = size > 0.62 * sizes.upperBound && size > sizes.lowerBound
            let limit = min(lineLimit(size), isLarge ? 3 : Self.lineLimit)
            // A cheap test that avoids wrapping: each line break removes at most a blank.
            guard self.width <= Double(limit) * (width / size + 1) else { return nil }
            let lines = wrapped(width / size, breaksWords)
            return lines.count <= limit && lines.width * size <= width ? lines : nil
        }
        func result(_ size: Double, _ lines: Lines) -> Result {
            Result(size: size, width: narrowed(width / size, lines), lineLimit: lines.count)
        }
        let candidates = Self.candidates(sizes)
        for size in candidates {
            guard let lines = fits(size, breaksWords: false) else { continue }
            guard lines.count == 3 else { return result(size, lines) }
            for smaller in candidates where smaller < size && smaller >= 0.8 * size {
                if let lines = fits(smaller, breaksWords: false), lines.count == 2 { return result(smaller, lines) }
            }
            return result(size, lines)
        }
        let size = candidates.first { fits($0, breaksWords: true) != nil } ?? sizes.lowerBound
        return Result(size: size, width: width / size, breaksWords: true, lineLimit: lineLimit(size))
    }

    /// Returns the sizes to try, from large to small in steps of 5 %.
    private static func candidates(_ sizes: ClosedRange<Double>) -> [Double] {
        Array(sequence(first: sizes.upperBound) { $0 * 0.95 }.prefix { $0 > sizes.lowerBound }) + [sizes.lowerBound]
    }

    /// Returns the smallest width with the same number of lines, which makes the lines similarly wide.
    private func narrowed(_ width: Double, _ lines: Lines) -> Double {
        guard lines.count > 1 else { return width }
        var (low, high) = (width / 2, width)
        for _ in 0..<8 {
            let middle = (low + high) / 2
            let narrower = wrapped(middle, false)
            if narrower.count <= lines.count && narrower.width <= middle { high = middle } else { low = middle }
        }
        return high
    }
}
