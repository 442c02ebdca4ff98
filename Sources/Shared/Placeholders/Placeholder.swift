import Formats
import Images
import Support

/// The picture that is shown where a real one is missing: an icon that says what is missing, and a message.
public struct Placeholder: Sendable, Hashable {
    /// What is missing, or why: what the icon shows.
    public enum Missing: String, Sendable, Hashable, CaseIterable {
        /// There is no picture, or one that cannot be read: mountains and the sun in a frame.
        case picture
        /// There is a film in place of a picture: a piece of film.
        case video
        /// It cannot be fetched now: a cloud, struck through.
        case network
        /// It may not be fetched: a padlock.
        case forbidden
    }

    /// Whether the picture is for a bright page or a dark one.
    public enum Theme: String, Sendable, Hashable, CaseIterable { case light, dark }

    public var missing: Missing
    /// What is written beneath the icon. It may come from anyone: line breaks become blanks, what cannot be seen and
    /// what reverses the order of letters is dropped, and 2,000 characters are looked at. Empty: the icon alone.
    public var message: String
    public var theme: Theme
    /// The path of a font file, or else the name of a family, as fontconfig knows it. A name with a slash is a path.
    /// Nil, or empty: a font without serifs that covers the message.
    public var font: String?

    public init(missing: Missing, message: String = "", theme: Theme = .light, font: String? = nil) {
        self.missing = missing
        self.message = message
        self.theme = theme
        self.font = font
    }

    /// Pictures of at most that width and height are drawn.
    public static let largestSide = 8192

    /// Draws the picture.
    ///
    /// The message is written as large as its place allows and wrapped; it is shortened with an ellipsis if the
    /// smallest letters are still too large. If the picture is too small for words it has the icon alone, and if
    /// it is too small for that, the background alone. The same placeholder, size, scale and fonts give the same
    /// bytes.
    ///
    /// Text needs Pango, which is loaded when text is first drawn. Without it, and without a font, the picture has the
    /// icon alone, and `warnings` gives the reason; that is no error.
    ///
    /// Any number of threads may draw at once; one of them at a time draws text.
    ///
    /// - Parameters:
    ///   - size: 1x1 to 8192x8192 pixels.
    ///   - scale: pixels of the picture to a pixel of the page that it is shown on, from 0.25 to 16: at 2, the
    ///     smallest letters have twice as many pixels.
    ///   - gradient: shades the background, beneath icon and message.
    ///   - icon: gives the picture that is drawn in the icon's place, at most as large as the square that it is told;
    ///     nil is the icon of what is missing.
    /// - Throws: `PlaceholderError` if the size is out of range, and what `icon` throws.
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
            // What an icon leaves out shows what is behind it.
            palette.background = palette.background(row: place.y + place.height / 2, of: size.height, gradient)
            Icon(missing: missing, side: place.width).draw(on: &canvas, x: place.x, y: place.y, palette)
        }
        if let words, let box = places.text { words.draw(in: box, palette.text, on: &canvas) }
        return Drawing(pixels: canvas.pixels, warnings: warnings)
    }
}

/// A placeholder that was drawn.
public struct Drawing: Sendable, Hashable {
    /// RGB, exactly of the size that was asked for.
    public var pixels: PixelBuffer
    /// What is not as it was asked for, in sentences without a full stop, such as a font that is not there. They
    /// may quote `font`.
    public var warnings: [String]
}

/// Why a placeholder cannot be drawn.
public enum PlaceholderError: Failure, Equatable {
    /// No picture has that width or height.
    case size(PixelSize)

    public var code: String { "placeholder-size" }

    public var message: String {
        switch self {
        case .size(let size):
            "cannot draw a placeholder of \(size) pixels: width and height go from 1 to \(Placeholder.largestSide)"
        }
    }

    public var exitCode: ExitCode { .usage }
}
