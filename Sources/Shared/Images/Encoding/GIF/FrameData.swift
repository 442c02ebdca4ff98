import Support

/// The pixels of a frame as stored in a GIF: compressed palette indices.
struct FrameData {
    /// Bits per index, 2 to 8: enough for the highest used index.
    let depth: Int
    /// The index of skipped pixels; nil if no pixel is skipped.
    let transparent: UInt8?
    /// Compressed, but not yet divided into sub-blocks.
    let bytes: [UInt8]

    /// The treatment of pixels that need not be drawn.
    enum Spare {
        /// These pixels are skipped.
        case skipped
        /// These pixels are drawn if the palette has their colour.
        case drawn
        /// Each of these pixels is skipped or drawn, whichever makes the LZW string longer.
        case free
    }
}

extension FrameData {
    /// - Parameter palette: must be able to draw the frame (`FilePalette.serves`).
    init(
        _ frame: DrawnFrame, _ colours: FrameColours, _ palette: FilePalette, _ spare: Spare, lookAhead: Int,
        checking drain: EncoderOutput
    ) throws {
        let perPixel = spare == .free ? 2 : 1
        var choices = [UInt8](repeating: 0, count: frame.pixels.count * perPixel)
        var highest: UInt8 = 0
        var skipsPixels = false
        let transparent = palette.transparent(in: colours)
        var last = PackedColour.transparent
        var lastIndex: UInt8?
        for place in frame.pixels.indices {
            let pixel = frame.pixels[place]
            if pixel != last {
                last = pixel
                lastIndex = palette.index(of: pixel)
            }
            let isFree = !frame.isChanged[place]
            let own = pixel.isTransparent || isFree && lastIndex == transparent ? nil : lastIndex
            // `own` or `left` is not nil, because the palette can draw the frame.
            let left = isFree ? transparent : nil
            let index = (spare == .drawn ? own ?? left : left ?? own) ?? 0
            choices[place * perPixel] = index
            highest = max(highest, index)
            if isFree, index == transparent { skipsPixels = true }
            if spare == .free {
                let other = own ?? index
                choices[place * 2 + 1] = other
                highest = max(highest, other)
            }
        }
        depth = LZW.depth(highest: highest)
        self.transparent = skipsPixels ? transparent : nil
        bytes = try LZW.compressed(
            choices, choicesPerPixel: perPixel, depth: depth, lookAhead: lookAhead, checking: drain)
    }
}
