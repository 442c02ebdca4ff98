/// The colours of a frame.
struct FrameColours {
    /// Of the pixels that change.
    var needed = ColourTable()
    /// Of those that do not; if they are not in the palette, the pixels are left out. Without those that are not among
    /// the first 256.
    var spare = ColourTable()
    /// Whether a pixel can only be left out.
    var leavesOut = false

    /// Whether a pixel need not be drawn.
    var hasStill: Bool { leavesOut || !spare.colours.isEmpty }

    init(_ frame: DrawnFrame) {
        var last = PackedColour.transparent
        var lastIsChanged = false
        for (pixel, isChanged) in zip(frame.pixels, frame.isChanged) where pixel != last || isChanged != lastIsChanged {
            (last, lastIsChanged) = (pixel, isChanged)
            if isChanged {
                _ = needed.insert(pixel)
            } else if pixel.isTransparent || !spare.insert(pixel) {
                leavesOut = true
            }
        }
        if frame.pixels.first == .transparent { leavesOut = true }
    }
}
