import Formats

/// The layout of icon and message: stacked, or side by side in a banner.
struct Composition: Sendable, Hashable {
    enum Arrangement: Sendable, Hashable { case above, beside }

    /// The space for the message, in pixels.
    struct TextSpace: Sendable, Hashable {
        var width: Int, height: Int
        /// Font sizes in pixels per em.
        var sizes: ClosedRange<Double>
    }

    var size: PixelSize
    var arrangement: Arrangement
    /// The icon's width and height; 0 if it does not fit.
    var iconSide: Int
    var gap: Int
    /// Nil if no text fits.
    var text: TextSpace?

    /// The smallest legible letters, in pixels per em at scale 1.
    static let smallestLetters = 11.0
    /// The smallest recognisable icon, in pixels.
    static let smallestIcon = 10

    /// - Parameter scale: picture pixels per page pixel.
    init(size: PixelSize, hasMessage: Bool, scale: Double) {
        self.size = size
        let (width, height) = (size.width, size.height)
        let short = Double(min(width, height))
        let smallest = Self.smallestLetters * (scale.isFinite ? min(max(scale, 0.25), 16) : 1)
        arrangement = width >= 3 * height ? .beside : .above
        if hasMessage {
            switch arrangement {
            case .beside:
                let padding = max(2, Int((short * 0.12).rounded()))
                iconSide = Int((short * (short < 100 ? 0.6 : 0.5)).rounded())
                gap = Int((short * 0.22).rounded())
                let space = PixelSize(
                    width: width - 2 * max(padding, width / 40) - iconSide - gap, height: height - 2 * padding)
                text = Self.space(space, largest: min(short * 0.32, Double(width) * 0.035), smallest: smallest)
            case .above:
                let padding = max(2, Int((short * 0.08).rounded()))
                iconSide = Int((short * 0.32).rounded())
                gap = Int((short * 0.06).rounded())
                // Lines longer than about 30 ems are hard to read.
                let widest = min(width - 2 * max(padding, width / 12), Int(short * 1.8))
                let space = PixelSize(width: widest, height: height - 2 * padding - iconSide - gap)
                text = Self.space(space, largest: short * 0.066, smallest: smallest)
            }
            if text != nil && iconSide >= Self.smallestIcon { return }
        }
        text = nil
        gap = 0
        // In small pictures, enlarge the icon so that it can be recognised.
        iconSide = Int((short * (short < 40 ? 0.75 : short < 72 ? 0.6 : 0.46)).rounded())
        if iconSide < Self.smallestIcon { iconSide = 0 }
    }

    /// Returns nil if the box is too small for a short word.
    private static func space(_ box: PixelSize, largest: Double, smallest: Double) -> TextSpace? {
        guard Double(box.width) >= 6 * smallest, Double(box.height) >= 1.4 * smallest else { return nil }
        let largest = max(largest, smallest)
        // A long message is shortened, because filling the picture with small print would make it hard to read.
        return TextSpace(width: box.width, height: box.height, sizes: max(smallest, largest * 0.5)...largest)
    }

    /// Returns the rectangles of the icon and of a text of the given size, centred as a group.
    func placed(text: PixelSize?) -> (icon: PixelRect?, text: PixelRect?) {
        let gap = text == nil ? 0 : gap
        let (textWidth, textHeight) = (text?.width ?? 0, text?.height ?? 0)
        var icon = PixelRect(x: 0, y: 0, width: iconSide, height: iconSide)
        var words = PixelRect(x: 0, y: 0, width: textWidth, height: textHeight)
        switch arrangement {
        case .above:
            icon.x = (size.width - iconSide) / 2
            words.x = (size.width - textWidth) / 2
            icon.y = (size.height - iconSide - gap - textHeight) / 2
            words.y = icon.maxY + gap
        case .beside:
            icon.y = (size.height - iconSide) / 2
            words.y = (size.height - textHeight) / 2
            icon.x = (size.width - iconSide - gap - textWidth) / 2
            words.x = icon.maxX + gap
        }
        return (iconSide > 0 ? icon : nil, text == nil ? nil : words)
    }
}
