import Images

extension RGB {
    /// - Parameter hex: `0xRRGGBB`.
    init(_ hex: UInt32) {
        self.init(
            red: UInt8(truncatingIfNeeded: hex >> 16), green: UInt8(truncatingIfNeeded: hex >> 8),
            blue: UInt8(truncatingIfNeeded: hex))
    }
}

/// The colours of a theme.
struct Palette: Sendable, Hashable {
    var background: RGB
    /// The background under the darkest part of a gradient. Similar to `background`, so a light placeholder stays
    /// light.
    var shade: RGB
    var text: RGB
    /// The area within an icon's outline.
    var surface: RGB
    /// The secondary parts of an icon.
    var soft: RGB
    /// An icon's outline.
    var line: RGB
    /// The emphasised part of an icon.
    var accent: RGB

    init(_ theme: Placeholder.Theme) {
        switch theme {
        case .light:
            background = RGB(0xF3F5F8)
            shade = RGB(0xD9E0EA)
            text = RGB(0x333D4B)
            surface = RGB(0xFFFFFF)
            soft = RGB(0xBCC6D4)
            line = RGB(0x526078)
            accent = RGB(0x2857C5)
        case .dark:
            background = RGB(0x14181F)
            shade = RGB(0x090B0F)
            text = RGB(0xDDE3EC)
            surface = RGB(0x1E2530)
            soft = RGB(0x4A5769)
            line = RGB(0x8E9CB2)
            accent = RGB(0x7FA9FF)
        }
    }

    /// Returns the background colour of a row, counted from the top, under a gradient.
    func background(row: Int, of height: Int, _ gradient: Gradient) -> RGB {
        // 0.8 is the maximum opacity of a gradient.
        let share = gradient.alpha(row: row, height: height) / 0.8
        func mixed(_ from: UInt8, _ to: UInt8) -> UInt8 {
            UInt8((Double(from) + (Double(to) - Double(from)) * share).rounded())
        }
        return RGB(
            red: mixed(background.red, shade.red), green: mixed(background.green, shade.green),
            blue: mixed(background.blue, shade.blue))
    }
}
