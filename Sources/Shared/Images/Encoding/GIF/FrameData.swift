import CCodecs
import Support

/// The pixels of a frame as stored in a GIF: compressed palette indices.
struct FrameData {
    let palette: FilePalette
    /// Bits per index, 2 to 8: enough for the highest used index.
    let depth: Int
    /// The index of skipped pixels; nil if there are none.
    let transparent: UInt8?
    /// Compressed, but not yet divided into sub-blocks.
    let bytes: [UInt8]

    /// The treatment of pixels that need not be drawn.
    enum Spare: CaseIterable {
        /// Skipped.
        case skipped
        /// Drawn, if the palette has their colour.
        case drawn
        /// Skipped or drawn, whichever makes the LZW string longer, pixel by pixel.
        case free
    }

    /// - Parameter palette: must serve the frame's colours.
    init(
        _ frame: DrawnFrame, _ colours: FrameColours, _ palette: FilePalette, _ spare: Spare, lookAhead: Int,
        checking drain: ByteDrain
    ) throws {
        var first = [UInt8](repeating: 0, count: frame.pixels.count)
        var second = spare == .free ? first : []
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
            // At least one of `own` and `left` is not nil, because the palette serves the colours.
            let left = isFree ? transparent : nil
            let index = (spare == .drawn ? own ?? left : left ?? own) ?? 0
            first[place] = index
            highest = max(highest, index)
            if isFree, index == transparent { skipsPixels = true }
            if spare == .free {
                let other = own ?? index
                second[place] = other
                highest = max(highest, other)
            }
        }
        var depth = 2
        while Int(highest) >> depth != 0 { depth += 1 }
        self.palette = palette
        self.depth = depth
        self.transparent = skipsPixels ? transparent : nil
        bytes = try Self.compressed(
            first, spare == .free ? second : first, depth: depth, lookAhead: lookAhead, checking: drain)
    }

    private static func compressed(
        _ first: [UInt8], _ second: [UInt8], depth: Int, lookAhead: Int, checking drain: ByteDrain
    ) throws -> [UInt8] {
        try first.withUnsafeBufferPointer { first in
            try second.withUnsafeBufferPointer { second in
                guard
                    let lzw = apod_lzw_open(
                        first.baseAddress!, second.baseAddress!, first.count, Int32(depth), Int32(lookAhead))
                else { throw ImageError.outOfMemory }
                defer { apod_lzw_close(lzw) }
                while apod_lzw_step(lzw) != 0 { try drain.checkpoint(nil) }
                var count = 0
                let bytes = apod_lzw_finish(lzw, &count)
                return Array(UnsafeBufferPointer(start: bytes, count: count))
            }
        }
    }
}
