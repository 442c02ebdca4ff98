import Formats
import Support
import TestSupport

@testable import Placeholders

/// The fonts that tests need, which may not be installed.
enum InstalledFonts {
    /// Returns whether a text is drawn without warnings. If not, prints that its tests are skipped.
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

    /// A font file that tests can copy and damage. If none is installed, it is nil and a message reports skipped tests.
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
