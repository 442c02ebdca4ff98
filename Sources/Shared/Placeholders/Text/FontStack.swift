import CText
import Libc

/// The fonts that a message is drawn in: the one that was asked for, or the system's, and those that have what it
/// lacks.
struct FontStack {
    /// Why there is no font, and what else is to be said about those that there are.
    struct Finding {
        /// Nil if no text can be drawn.
        var stack: FontStack?
        var warnings: [String] = []
    }

    private(set) var fonts: [Font]
    let language: String?

    /// How often fontconfig is asked for what still lacks. A message in more scripts than that is a test.
    private static let fallbackLimit = 6

    /// Names that fontconfig resolves to a family of the system's choice.
    private static let genericFamilies: Set<String> = [
        "sans-serif", "sans", "serif", "monospace", "mono", "system-ui", "cursive", "fantasy", "emoji", "math",
    ]

    /// Finds fonts for a text.
    ///
    /// - Parameter font: the path of a font file, else the name of a family; nil for the family that fontconfig
    ///   prefers of those without serifs that cover the text.
    ///
    /// Some 10 ms when fontconfig is first asked, as it reads its list of fonts.
    static func find(for text: String, font: String?) -> Finding {
        if let reason = ctext_load() {
            return Finding(warnings: ["\(String(cString: reason)): the message is not drawn"])
        }
        var finding = Finding()
        let language = MessageText.language(of: text)
        let needed = needed(text)
        if let font, isPath(font) {
            do throws(Font.Fault) {
                finding.stack = FontStack(fonts: [try Font(path: font)], language: language)
            } catch {
                finding.warnings = ["cannot use the font \(font): \(error.reason); the message is not drawn"]
                return finding
            }
        } else {
            if let reason = ctext_load_fontconfig() {
                return Finding(warnings: ["\(String(cString: reason)): no font is found, the message is not drawn"])
            }
            // Else one font for all of the text looks best, so that what covers it is preferred.
            let family = font ?? "sans-serif"
            guard let (first, name) = firstFont(family, language, font == nil ? needed : [], accepts: { _ in true })
            else { return Finding(warnings: ["no font is installed: the message is not drawn"]) }
            if let font, name.lowercased() != font.lowercased(), !genericFamilies.contains(font.lowercased()) {
                finding.warnings = ["there is no font family \(font): \(name) is used"]
            }
            finding.stack = FontStack(fonts: [first], language: language)
        }
        finding.stack?.addFallbacks(for: needed)
        return finding
    }

    /// Whether `font` is meant as a file's path rather than as a family's name.
    private static func isPath(_ font: String) -> Bool {
        font.utf8.contains(UInt8(ascii: "/")) || font.withPathPointer { access($0, F_OK) } == 0
    }

    /// What has to be in a font to draw the text, with the ellipsis that may end it.
    private static func needed(_ text: String) -> [Unicode.Scalar] {
        var seen: Set<Unicode.Scalar> = []
        var result: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars where needsGlyph(scalar) {
            if seen.insert(scalar).inserted { result.append(scalar) }
        }
        if seen.insert("…").inserted { result.append("…") }
        return result
    }

    private static func needsGlyph(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
    }

    private mutating func addFallbacks(for needed: [Unicode.Scalar]) {
        var missing = needed.filter { font(having: $0) == nil }
        for _ in 0..<Self.fallbackLimit {
            guard !missing.isEmpty, ctext_load_fontconfig() == nil else { return }
            let lacking = missing
            let found = Self.firstFont("sans-serif", language, lacking) { font in
                lacking.contains { font.has($0) }
            }
            guard let (font, _) = found else { return }
            missing.removeAll { font.has($0) }
            fonts.append(font)
        }
    }

    /// The first of the fonts that fontconfig proposes which can be opened and is accepted, and its family.
    private static func firstFont(
        _ family: String, _ language: String?, _ scalars: [Unicode.Scalar], accepts: @escaping (Font) -> Bool
    ) -> (Font, family: String)? {
        // fontconfig's proposals are of all formats, of which some are not read.
        let limit: Int32 = 24
        let values = scalars.map(\.value)
        var search = Search(accepts: accepts)
        withUnsafeMutablePointer(to: &search) { context in
            // English if the letters don't tell: else the locale would choose.
            _ = ctext_find(
                family, language ?? "en", values, values.count, limit,
                { context, path, index, family in
                    let search = context!.assumingMemoryBound(to: Search.self)
                    guard let font = try? Font(path: String(pathPointer: path), index: index),
                        search.pointee.accepts(font)
                    else { return true }
                    search.pointee.found = (font, String(cString: family))
                    return false
                }, context)
        }
        return search.found
    }

    private struct Search {
        let accepts: (Font) -> Bool
        var found: (Font, family: String)?
    }

    /// The place of the first font that has a character; nil if none does.
    func font(having scalar: Unicode.Scalar) -> Int? { fonts.firstIndex { $0.has(scalar) } }

    /// The text without the characters that no font has, and those.
    func covered(_ text: String) -> (text: String, missing: [Unicode.Scalar]) {
        var kept = String.UnicodeScalarView()
        var missing: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars {
            if !Self.needsGlyph(scalar) || font(having: scalar) != nil {
                kept.append(scalar)
            } else if !missing.contains(scalar) {
                missing.append(scalar)
            }
        }
        return (String(kept), missing)
    }
}
