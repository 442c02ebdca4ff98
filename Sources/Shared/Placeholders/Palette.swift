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
    var text: RGB
    /// The area within an icon's outline.
    var surface: RGB
    /// An icon's quiet parts, which it does not need to be understood.
    var soft: RGB
    /// An icon's outline.
    var line: RGB
    /// The part of an icon that catches the eye.
    var accent: RGB

    init(_ theme: Placeholder.Theme) {
        switch theme {
        case .light:
            background = RGB(0xF3F5F8)
            text = RGB(0x333D4B)
            surface = RGB(0xFFFFFF)
            soft = RGB(0xBCC6D4)
            line = RGB(0x64748B)
            accent = RGB(0x3B6FE0)
        case .dark:
            background = RGB(0x14181F)
            text = RGB(0xDDE3EC)
            surface = RGB(0x1E2530)
            soft = RGB(0x4A5769)
            line = RGB(0x8E9CB2)
            accent = RGB(0x7FA9FF)
        }
    }
}
