/// Words put into lines, at the largest size at which they fit a box.
///
/// Widths are in ems, which is possible as nothing is hinted: at twice the size all is twice as wide.
struct TextFitting {
    /// A part of the text that is not wrapped if that can be helped.
    struct Part: Sendable, Hashable {
        /// Its characters' places in the text.
        var characters: Range<Int>
        var width: Double
        /// Whether a reader pauses here, so that a line had best end.
        var endsClause = false
    }

    /// A line, as places in the text; blanks within it are included.
    struct Line: Sendable, Hashable {
        var characters: Range<Int>
        /// In ems, with the ellipsis if there is one.
        var width: Double
        var endsInEllipsis = false
    }

    struct Result: Sendable, Hashable {
        /// The size of the font, in pixels per em.
        var size: Double
        var lines: [Line]
    }

    var parts: [Part]
    var blankWidth: Double
    var ellipsisWidth: Double
    /// From one baseline to the next, in ems.
    var lineHeight: Double
    /// The widths of a range's characters, asked for if a part has to be broken.
    var characterWidths: (Range<Int>) -> [Double]

    /// More lines are no longer a message.
    static let lineLimit = 8

    /// The largest size of those from `sizes.upperBound` down at which the text fits into a box of that many pixels.
    ///
    /// Many lines of large letters are no easier to read than fewer of smaller ones, so more than three lines are
    /// taken at smaller sizes alone, and a size down to four fifths is taken if the lines are better for it. Parts
    /// are broken if they are too wide at the smallest size; what then is still too long ends in an ellipsis. Nil
    /// if not even one line fits.
    func fitted(width: Double, height: Double, sizes: ClosedRange<Double>) -> Result? {
        func lineLimit(_ size: Double) -> Int {
            Int(min(height / (size * lineHeight) + 1e-9, Double(Self.lineLimit)))
        }
        guard !parts.isEmpty, lineLimit(sizes.lowerBound) >= 1, width > 0 else { return nil }
        func fits(_ size: Double, breaksParts: Bool) -> [Line]? {
            let isLarge = size > 0.62 * sizes.upperBound && size > sizes.lowerBound
            let limit = min(lineLimit(size), isLarge ? 3 : Self.lineLimit)
            guard let lines = wrapped(width: width / size, breaksParts: breaksParts) else { return nil }
            return lines.count <= limit ? lines : nil
        }
        let candidates = Self.candidates(sizes)
        for breaksParts in [false, true] {
            for (index, size) in candidates.enumerated() {
                guard let lines = fits(size, breaksParts: breaksParts) else { continue }
                if breaksParts { return Result(size: size, lines: lines) }
                return bettered(Result(size: size, lines: lines), by: candidates[(index + 1)...], width: width) {
                    fits($0, breaksParts: false)
                }
            }
        }
        let size = sizes.lowerBound
        guard let lines = wrapped(width: width / size, breaksParts: true) else { return nil }
        return Result(size: size, lines: cut(lines, to: lineLimit(size), width: width / size))
    }

    /// What fits at the largest size, or at one that is down to a fifth smaller: two lines rather than three, and lines
    /// that end better, if that is worth the loss.
    private func bettered(
        _ largest: Result, by smaller: ArraySlice<Double>, width: Double, fits: (Double) -> [Line]?
    ) -> Result {
        guard largest.lines.count > 1 else { return largest }
        func weighed(_ result: Result) -> (result: Result, cost: Double) {
            let (lines, cost) = balanced(result.lines, width: width / result.size)
            let third = lines.count > 2 ? 0.2 : 0
            return (Result(size: result.size, lines: lines), cost + third + 0.5 * (1 - result.size / largest.size))
        }
        var best = weighed(largest)
        guard largest.lines.count <= 3 else { return best.result }
        for size in smaller where size >= 0.8 * largest.size {
            // What ends in one line is not two lines that were made smaller.
            guard let lines = fits(size), lines.count > 1 else { continue }
            let other = weighed(Result(size: size, lines: lines))
            if other.cost < best.cost { best = other }
        }
        return best.result
    }

    /// Sizes to try, a little smaller each.
    private static func candidates(_ sizes: ClosedRange<Double>) -> [Double] {
        var result: [Double] = []
        var size = sizes.upperBound
        while size > sizes.lowerBound {
            result.append(size)
            size *= 0.95
        }
        return result + [sizes.lowerBound]
    }

    /// As many parts on each line as it holds; nil if a part is wider than a line and may not be broken.
    func wrapped(width: Double, breaksParts: Bool) -> [Line]? {
        var lines: [Line] = []
        var line: Line?
        for part in parts {
            if let begun = line {
                let blank = part.characters.lowerBound > begun.characters.upperBound ? blankWidth : 0
                let longer = begun.width + blank + part.width
                if longer <= width {
                    line = Line(characters: begun.characters.lowerBound..<part.characters.upperBound, width: longer)
                    continue
                }
                lines.append(begun)
                line = nil
            }
            if part.width <= width {
                line = Line(characters: part.characters, width: part.width)
                continue
            }
            if !breaksParts { return nil }
            var pieces = broken(part, width: width)
            line = pieces.removeLast()
            lines += pieces
        }
        if let line { lines.append(line) }
        return lines
    }

    /// A part as lines of as many characters as fit, one at least.
    private func broken(_ part: Part, width: Double) -> [Line] {
        var lines: [Line] = []
        let start = part.characters.lowerBound
        var line = Line(characters: start..<start, width: 0)
        for (index, advance) in zip(part.characters, characterWidths(part.characters)) {
            if !line.characters.isEmpty && line.width + advance > width {
                lines.append(line)
                line = Line(characters: index..<index, width: 0)
            }
            line.characters = line.characters.lowerBound..<index + 1
            line.width += advance
        }
        return lines + [line]
    }

    /// The same number of lines, as even in width as they can be, and ending where a clause or at least a word does.
    ///
    /// The sum of what speaks against each line is made as small as possible, by looking for the best way to have
    /// so many lines begin at each part. Messages of more than 12 lines stay as they are.
    /// Gives that sum too.
    private func balanced(_ lines: [Line], width: Double) -> (lines: [Line], cost: Double) {
        guard lines.count > 1, lines.count <= 12 else { return (lines, 0) }
        let mean = lines.reduce(0) { $0 + $1.width } / Double(lines.count)
        // For each part: the least cost of wrapping all from it on, and where the first of these lines ends.
        var costs = [Double](repeating: .infinity, count: parts.count) + [0]
        var ends: [[Int]] = []
        for _ in lines {
            var longer = [Double](repeating: .infinity, count: parts.count + 1)
            var chosen = [Int](repeating: parts.count, count: parts.count)
            for first in parts.indices {
                var lineWidth = 0.0
                for last in first..<parts.count {
                    lineWidth += (last > first ? blank(before: last) : 0) + parts[last].width
                    if lineWidth > width { break }
                    let cost = costs[last + 1] + cost(of: lineWidth, endingWith: last, mean: mean, width: width)
                    if cost < longer[first] {
                        longer[first] = cost
                        chosen[first] = last + 1
                    }
                }
            }
            costs = longer
            ends.append(chosen)
        }
        guard costs[0].isFinite else { return (lines, 0) }
        var first = 0
        let even = ends.reversed().map { chosen in
            let range = first..<chosen[first]
            first = range.upperBound
            let width = range.reduce(0) { $0 + parts[$1].width + ($1 > range.lowerBound ? blank(before: $1) : 0) }
            let start = parts[range.lowerBound].characters.lowerBound
            let end = parts[range.upperBound - 1].characters.upperBound
            return Line(characters: start..<end, width: width)
        }
        return (even, costs[0])
    }

    private func blank(before part: Int) -> Double {
        parts[part].characters.lowerBound > parts[part - 1].characters.upperBound ? blankWidth : 0
    }

    /// What speaks against a line: that it is longer or shorter than the others, and that it ends within a clause, or
    /// even between two ideographs, which may be of one word.
    private func cost(of lineWidth: Double, endingWith part: Int, mean: Double, width: Double) -> Double {
        let unevenness = (lineWidth - mean) / width
        let cost = unevenness * unevenness
        if part == parts.count - 1 || parts[part].endsClause { return cost }
        return cost + (blank(before: part + 1) > 0 ? 0.02 : 0.08)
    }

    /// The first lines; the last of them takes what fits of the rest of the text, and an ellipsis.
    private func cut(_ lines: [Line], to limit: Int, width: Double) -> [Line] {
        guard lines.count > limit, limit > 0 else { return lines }
        let start = lines[limit - 1].characters.lowerBound
        // As wide as a line and one part more at most, of which the ellipsis takes some away again.
        let end = lines[limit].characters.upperBound
        var taken = start
        var total = 0.0
        for (index, advance) in zip(start..<end, characterWidths(start..<end)) {
            if total + advance + ellipsisWidth > width { break }
            total += advance
            taken = index + 1
        }
        let last = Line(characters: start..<taken, width: total + ellipsisWidth, endsInEllipsis: true)
        return lines[..<(limit - 1)] + [last]
    }
}
