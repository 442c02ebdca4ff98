import CText
import Formats
import Images
import Libc
import Support

/// A rendered message, as the coverage of each pixel.
struct MessageDrawing {
    /// The width of the widest line, and the height of all lines, in pixels.
    let size: PixelSize
    /// The margin around `size` for slanted letters and marks, in pixels.
    private let margin: Int
    private let pitch: Int
    private let coverage: [UInt8]

    /// Locked during all calls of Pango, which is not thread-safe.
    private static let turn = Monitor(())

    /// Draws a message at the largest size that fits into `space`, with centred or start-aligned lines. `text` must
    /// come from `MessageText.cleaned`.
    ///
    /// - Returns: the drawing, or nil if nothing can be drawn; and warnings for the user.
    static func draw(
        _ text: String, font: String?, in space: Composition.TextSpace, isCentered: Bool
    ) -> (drawing: MessageDrawing?, warnings: [String]) {
        turn.withLock { _ in
            if let reason = ctext_load() { return (nil, ["\(String(cString: reason)); the message is not drawn"]) }
            let file = font.flatMap { isPath($0) ? $0 : nil }
            if let file, let reason = fault(of: file) { return (nil, [unusable(file, reason)]) }
            // Default to English, because the locale must not affect the picture.
            let language = MessageText.language(of: text) ?? "en"
            guard let layout = ctext_open(file == nil ? font ?? "sans-serif" : "font of a file", file, language) else {
                let warning = file.map { unusable($0, "it is not an OpenType font with outlines") }
                return (nil, [warning ?? "no font is installed; the message is not drawn"])
            }
            defer { ctext_close(layout) }
            var warnings: [String] = []
            let found = String(cString: ctext_family(layout))
            if let font, file == nil, found.lowercased() != font.lowercased(), !generic.contains(font.lowercased()) {
                warnings = ["the font family \(font) is not installed; using \(found)"]
            }
            let (covered, missing) = MessageText.covered(text) { ctext_has(layout, $0.value) }
            if !missing.isEmpty { warnings.append(MessageText.warning(missing)) }
            let shown = MessageText.joined(MessageText.cleaned(covered))
            return (MessageDrawing(shown, layout, space, isCentered: isCentered), warnings)
        }
    }

    /// Returns nil if not even one line fits, the font is damaged, or memory is exhausted.
    private init?(_ text: String, _ layout: OpaquePointer, _ space: Composition.TextSpace, isCentered: Bool) {
        let whole = ctext_set_text(layout, text, text.utf8.count)
        // Clamp the heights, because some fonts report 0, or the height of their tallest ornament.
        let (ascent, descent) = (min(max(whole.ascent, 0.7), 1.2), min(max(whole.descent, 0.15), 0.5))
        let lineHeight = max(1.3, ascent + descent)
        let fitting = TextFitting(width: whole.width, lineHeight: lineHeight) { width, breaksWords in
            let lines = ctext_wrap(layout, width, breaksWords, 0)
            return TextFitting.Lines(count: Int(lines.count), width: lines.width)
        }
        let fitted = fitting.fitted(width: Double(space.width), height: Double(space.height), sizes: space.sizes)
        guard let fitted else { return nil }
        let lines = ctext_wrap(layout, fitted.width, fitted.breaksWords, Int32(fitted.lineLimit))
        let size = fitted.size
        self.size = PixelSize(
            width: max(1, min(space.width, Int((lines.width * size).rounded(.up)))),
            height: min(space.height, Int((Double(lines.count) * lineHeight * size).rounded(.up))))
        margin = Int(size / 2)
        let (width, height) = (self.size.width + 2 * margin, self.size.height + 2 * margin)
        pitch = (width + 3) / 4 * 4
        // Centre the letters vertically in the line.
        let place = ctext_place(
            size: size, margin: Double(margin),
            baseline: Double(margin) + (lineHeight + ascent - descent) / 2 * size, line_height: lineHeight * size,
            is_centered: isCentered)
        var coverage = [UInt8](repeating: 0, count: pitch * height)
        guard ctext_draw(layout, place, &coverage, Int32(width), Int32(height), Int32(pitch)) else { return nil }
        self.coverage = coverage
    }

    /// Blends the letters over a canvas. The size of `box` must be `size`.
    func draw(in box: PixelRect, _ color: RGB, on canvas: inout Canvas) {
        let (left, top) = (box.x - margin, box.y - margin)
        let around = PixelRect(x: left, y: top, width: box.width + 2 * margin, height: box.height + 2 * margin)
        canvas.blend(color, in: around.intersection(canvas.bounds)) { x, y in
            Int(coverage[(y - top) * pitch + x - left])
        }
    }

    /// Generic families, which fontconfig resolves.
    private static let generic: Set<String> = [
        "sans-serif", "sans", "serif", "monospace", "mono", "system-ui", "cursive", "fantasy", "emoji", "math",
    ]

    /// Returns whether `font` is the path of a file rather than the name of a family.
    private static func isPath(_ font: String) -> Bool {
        font.utf8.contains(UInt8(ascii: "/")) || font.withPathPointer { access($0, F_OK) } == 0
    }

    /// Returns the reason why a file cannot be a font, or nil. Does not block on a named pipe.
    private static func fault(of path: String) -> String? {
        do {
            let file = try File.open(path, O_RDONLY | O_NONBLOCK)
            if !file.isRegular { return "it is not a regular file" }
            // The largest font files, which contain all CJK characters in all weights, have about 100 MB.
            return file.count > 256 << 20 ? "it is larger than 256 MiB" : nil
        } catch {
            return (error as? SystemFailure).map { systemMessage($0.errno) } ?? "\(error)"
        }
    }

    private static func unusable(_ font: String, _ reason: String) -> String {
        "cannot use the font \(font): \(reason); the message is not drawn"
    }
}
