import Formats
import Images
import Support

/// A generated picture that replaces a missing picture: an icon and a message.
public struct Placeholder: Sendable, Hashable {
    /// The missing content, or the reason for its absence. Selects the icon.
    public enum Missing: String, Sendable, Hashable, CaseIterable {
        /// A picture that is absent or unreadable. Icon: mountains and the sun in a frame.
        case picture
        /// The picture of a record that has a video instead. Icon: a film strip.
        case video
        /// A picture that is temporarily unavailable. Icon: a crossed-out cloud.
        case network
        /// A picture that is not allowed. Icon: a padlock.
        case forbidden
    }

    public enum Theme: String, Sendable, Hashable, CaseIterable { case light, dark }

    public var missing: Missing
    /// The text beneath or beside the icon, from any source. Line breaks become blanks; invisible characters,
    /// directional controls and text beyond 2,000 characters are removed. If empty, only the icon is drawn.
    public var message: String
    public var theme: Theme
    /// The path of a font file, or a family name for fontconfig. A text that contains a slash or names an existing file
    /// is a path. Nil or empty means the default sans-serif font. Characters that the font lacks are drawn with other
    /// installed fonts.
    public var font: String?

    public init(missing: Missing, message: String = "", theme: Theme = .light, font: String? = nil) {
        self.missing = missing
        self.message = message
        self.theme = theme
        self.font = font
    }

    /// The maximum width and height.
    public static let largestSide = 8192

    /// Draws the picture.
    ///
    /// The message is wrapped and drawn as large as possible. A message that is too long for the smallest letters ends
    /// in an ellipsis. A picture that is too small for text has only the icon, and an even smaller picture only the
    /// background. Equal placeholders, sizes, scales and fonts produce equal bytes.
    ///
    /// Text requires Pango, which is loaded on first use. Without Pango or without a font, the picture has only the
    /// icon, and `warnings` states the reason; this is not an error.
    ///
    /// Thread-safe. Only one thread draws text at a time.
    ///
    /// - Parameters:
    ///   - size: 1x1 to 8192x8192 pixels.
    ///   - scale: picture pixels per page pixel, clamped to 0.25 to 16. Scale 2 doubles the smallest font size.
    ///   - gradient: shades the background, beneath icon and message.
    ///   - icon: returns a picture to draw instead of the built-in icon, at most as large as the square that is passed;
    ///     nil draws the built-in icon.
    /// - Throws: `PlaceholderError` if the size is out of range, and errors of `icon`.
    public func draw(
        size: PixelSize, scale: Double = 1, gradient: Gradient = .none, icon: ((PixelSize) throws -> PixelBuffer)? = nil
    ) throws -> Drawing {
        let sides = 1...Self.largestSide
        guard sides.contains(size.width), sides.contains(size.height) else { throw PlaceholderError.size(size) }
        var palette = Palette(theme)
        var canvas = Canvas(size: size) { palette.background(row: $0, of: size.height, gradient) }
        var warnings: [String] = []
        let text = MessageText.cleaned(message)
        var composition = Composition(size: size, hasMessage: !text.isEmpty, scale: scale)
        var words: MessageDrawing?
        if let space = composition.text {
            (words, warnings) = MessageDrawing.draw(
                text, font: font == "" ? nil : font, in: space, isCentered: composition.arrangement == .above)
        }
        if words == nil { composition = Composition(size: size, hasMessage: false, scale: scale) }
        let places = composition.placed(text: words?.size)
        if let place = places.icon, let icon {
            let picture = try icon(PixelSize(width: place.width, height: place.height))
            canvas.draw(
                picture, x: place.x + (place.width - picture.size.width) / 2,
                y: place.y + (place.height - picture.size.height) / 2)
        } else if let place = places.icon {
            // The gaps in an icon have the colour of the background behind the icon's centre.
            palette.background = palette.background(row: place.y + place.height / 2, of: size.height, gradient)
            Icon(missing: missing, side: place.width).draw(on: &canvas, x: place.x, y: place.y, palette)
        }
        if let words, let box = places.text { words.draw(in: box, palette.text, on: &canvas) }
        return Drawing(pixels: canvas.pixels, warnings: warnings)
    }
}

/// A drawn placeholder.
public struct Drawing: Sendable, Hashable {
    /// RGB of exactly the requested size.
    public var pixels: PixelBuffer
    /// Warnings for the user, such as a missing font: sentences without a full stop. They may quote `font`.
    public var warnings: [String]
}

/// The reason why a placeholder cannot be drawn.
public enum PlaceholderError: Failure, Equatable {
    /// The size is out of range.
    case size(PixelSize)

    public var code: String { "placeholder-size" }

    public var message: String {
        switch self {
        case .size(let size):
            "cannot draw a placeholder of \(size) pixels; use a width and height from 1 to \(Placeholder.largestSide)"
        }
    }

    public var exitCode: ExitCode { .usage }
}
