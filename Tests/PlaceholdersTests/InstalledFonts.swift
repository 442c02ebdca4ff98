import Formats
import Support
import TestSupport

@testable import Placeholders

/// Fonts for the tests that draw text, which a machine may lack.
enum InstalledFonts {
    /// Whether a text is drawn in full. Says loudly that tests are skipped where it isn't.
    static func cover(_ text: String, of what: String) -> Bool {
        let drawing = try? Placeholder(missing: .picture, message: text).draw(size: PixelSize(width: 200, height: 120))
        if drawing?.warnings == [] { return true }
        Log.standardError(
            "\n*** NO FONT FOR \(what.uppercased()): tests that draw it are SKIPPED.\n"
                + "*** They need libpangocairo-1.0-0 and such a font.\n\n")
        return false
    }

    static let coverLatin = cover("Größe", of: "Latin")
    static let coverJapanese = cover("画像データ", of: "Japanese")
    static let coverArabic = cover("صورة", of: "Arabic")
    static let coverGreekAndCyrillic = cover("εικόνα картинка", of: "Greek and Cyrillic")

    /// A font file to make damaged copies of; nil, with a loud message, if there is none.
    static let file: String? = {
        let candidates = [
            "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
            "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
            "/usr/share/fonts/TTF/DejaVuSans.ttf",
            "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
            "/System/Library/Fonts/Geneva.ttf",
        ]
        if let found = candidates.first(where: TestFile.exists), coverLatin { return found }
        Log.standardError("\n*** NO FONT FILE: the tests on fonts from files are SKIPPED.\n\n")
        return nil
    }()
}
