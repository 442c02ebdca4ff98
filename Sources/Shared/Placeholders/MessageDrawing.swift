import CText
import Formats
import Images

/// A message and its fonts: how wide it is, and how it is drawn.
struct MessageDrawing {
    private let stack: FontStack
    private let characters: [Character]
    private let isRightToLeft: Bool

    /// The text has no blanks at its ends.
    init(_ text: String, _ stack: FontStack) {
        self.stack = stack
        characters = Array(text)
        isRightToLeft = WritingDirection.isRightToLeft(text.unicodeScalars)
    }

    /// From one baseline to the next, in ems.
    private var lineHeight: Double { max(1.3, (stack.fonts.map { $0.ascent + $0.descent }.max() ?? 0)) }

    // MARK: Fitting

    private func fitted(to space: Composition.TextSpace) -> TextFitting.Result? {
        // Characters recur, and a word that has to be broken is looked at anew for each size.
        var known: [Character: Double] = [:]
        func characterWidth(_ character: Character) -> Double {
            if let width = known[character] { return width }
            let width = width(of: [character])
            known[character] = width
            return width
        }
        let parts = LineBreaking.parts(of: characters).map { part in
            TextFitting.Part(
                characters: part,
                width: part.count == 1 ? characterWidth(characters[part.lowerBound]) : width(of: characters[part]),
                endsClause: LineBreaking.endsClause(characters[part.upperBound - 1]))
        }
        let fitting = TextFitting(
            parts: parts, blankWidth: characterWidth(" "), ellipsisWidth: characterWidth("…"), lineHeight: lineHeight
        ) { range in range.map { characterWidth(characters[$0]) } }
        return fitting.fitted(width: Double(space.width), height: Double(space.height), sizes: space.sizes)
    }

    /// A message that is ready to be drawn.
    struct Block {
        fileprivate var lines: [Line]
        /// Pixels per em.
        var fontSize: Double
        /// Its widest line, and the height of all its lines, in pixels.
        var size: PixelSize
    }

    fileprivate struct Line {
        var runs: [PlacedRun]
        /// In ems.
        var width: Double { runs.reduce(0) { $0 + $1.run.width } }
    }

    /// The message as large as it fits; nil if not a line does.
    func block(in space: Composition.TextSpace) -> Block? {
        guard let fitted = fitted(to: space) else { return nil }
        let lines = fitted.lines.map { line in
            var scalars = Array(characters[line.characters].flatMap(\.unicodeScalars))
            if line.endsInEllipsis {
                while let last = scalars.last, Self.notBeforeEllipsis.contains(last) { scalars.removeLast() }
                scalars.append("…")
            }
            return Line(runs: runs(scalars))
        }
        // Words that are shaped together may differ a little from those that were measured one by one.
        let width = (lines.map(\.width).max() ?? 0) * fitted.size
        let height = Double(lines.count) * lineHeight * fitted.size
        let size = PixelSize(
            width: min(space.width, Int(width.rounded(.up))), height: min(space.height, Int(height.rounded(.up))))
        return Block(lines: lines, fontSize: fitted.size, size: size)
    }

    private static let notBeforeEllipsis: Set<Unicode.Scalar> = [
        " ", "\u{A0}", ".", ",", ";", ":", "-", "–", "—", "/", "(", "…", "،", "؛", "、", "。", "，", "．",
    ]

    private func width(of text: ArraySlice<Character>) -> Double {
        runs(text.flatMap(\.unicodeScalars)).reduce(0) { $0 + $1.run.width }
    }

    // MARK: Shaping

    fileprivate struct PlacedRun {
        var font: Font
        var run: Font.Run
        var level: UInt8
    }

    /// Text as runs, from left to right.
    private func runs(_ scalars: [Unicode.Scalar]) -> [PlacedRun] {
        guard !scalars.isEmpty else { return [] }
        let levels = WritingDirection.levels(scalars, isRightToLeft: isRightToLeft)
        let fonts = fontPlaces(scalars)
        let scripts = scripts(scalars)
        var runs: [PlacedRun] = []
        var start = 0
        for end in 1...scalars.count {
            if end < scalars.count, levels[end] == levels[start], fonts[end] == fonts[start],
                scripts[end] == scripts[start]
            {
                continue
            }
            let font = stack.fonts[fonts[start]]
            let run = font.shaped(
                scalars[start..<end], isRightToLeft: levels[start] % 2 == 1, language: stack.language)
            runs.append(PlacedRun(font: font, run: run, level: levels[start]))
            start = end
        }
        return WritingDirection.visualOrder(runs.map(\.level)).map { runs[$0] }
    }

    /// The place of each character's font. Blanks, marks and joiners stay with what stands before them.
    private func fontPlaces(_ scalars: [Unicode.Scalar]) -> [Int] {
        var current: Int?
        return scalars.map { scalar in
            let category = scalar.properties.generalCategory
            let isMark = category == .nonspacingMark || category == .enclosingMark || category == .spacingMark
            let isNeutral =
                isMark || scalar.properties.isWhitespace || scalar.properties.isDefaultIgnorableCodePoint
            if isNeutral, let current { return current }
            let place = stack.font(having: scalar) ?? 0
            current = place
            return place
        }
    }

    /// The script of each character; those that many scripts use are of the one before them, or else behind them.
    private func scripts(_ scalars: [Unicode.Scalar]) -> [UInt32] {
        func isOwn(_ script: UInt32) -> Bool {
            script != UInt32(CTEXT_COMMON) && script != UInt32(CTEXT_INHERITED)
        }
        var scripts = scalars.map { ctext_script($0.value) }
        guard var current = scripts.first(where: isOwn) else { return scripts.map { _ in 0 } }
        for index in scripts.indices {
            if isOwn(scripts[index]) { current = scripts[index] } else { scripts[index] = current }
        }
        return scripts
    }

    // MARK: Drawing

    /// Draws a block into `box`, which has its size: centred, or from the side where reading begins. Nothing is drawn
    /// further away from the box than half an em.
    func draw(_ block: Block, in box: PixelRect, isCentered: Bool, _ color: RGB, on canvas: inout Canvas) {
        let size = block.fontSize
        let ascent = stack.fonts.map(\.ascent).max() ?? 0
        let descent = stack.fonts.map(\.descent).max() ?? 0
        // Letters that lean, and marks, may reach over.
        let overhang = Int(size / 2)
        let clip = PixelRect(
            x: box.x - overhang, y: box.y - overhang, width: box.width + 2 * overhang,
            height: box.height + 2 * overhang)
        for (index, line) in block.lines.enumerated() {
            let room = Double(box.width) - line.width * size
            let indent = isCentered ? room / 2 : isRightToLeft ? room : 0
            // The letters stand in the middle of their line.
            let above = (lineHeight + ascent - descent) / 2 * size
            let baseline = Int((Double(box.y) + Double(index) * lineHeight * size + above).rounded())
            var x = Double(box.x) + indent
            for placed in line.runs {
                for glyph in placed.run.glyphs {
                    placed.font.draw(
                        glyph.index, size: size, x: x + glyph.x * size,
                        baseline: baseline - Int((glyph.y * size).rounded()), color, on: &canvas, clip: clip)
                }
                x += placed.run.width * size
            }
        }
    }
}
