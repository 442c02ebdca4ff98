/// The colours of a frame.
struct FrameColours {
    /// The colours of changed pixels.
    var needed = ColourTable()
    /// The first 256 colours of unchanged pixels. Pixels of other colours, or of colours that the palette lacks, are
    /// skipped.
    var spare = ColourTable()
    /// Whether some pixels must be skipped.
    var leavesOut = false

    /// Whether some pixels need not be drawn.
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
