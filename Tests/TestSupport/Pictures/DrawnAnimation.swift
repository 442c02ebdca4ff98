/// A GIF encoder (GIF89a) with control over all features that a decoder must handle.
public struct DrawnAnimation: Sendable {
    public struct Frame: Sendable {
        /// The offset of the frame on the canvas.
        public var x = 0
        public var y = 0
        public var width: Int
        public var height: Int
        /// `width * height` palette indices, top row first.
        public var pixels: [UInt8]
        /// The delay in hundredths of a second.
        public var delay = 10
        /// The disposal method: 1 keeps the frame, 2 restores the background, 3 restores the previous canvas.
        public var disposal = 1
        /// The palette index of transparent pixels.
        public var transparent: UInt8?
        /// Whether the rows are stored in four passes.
        public var isInterlaced = false

        public init(width: Int, height: Int, pixels: [UInt8]) {
            precondition(pixels.count == width * height, "a frame's pixels must fit its size")
            self.width = width
            self.height = height
            self.pixels = pixels
        }

        /// The pixels in storage order (appendix E).
        var storedPixels: [UInt8] {
            guard isInterlaced else { return pixels }
            return [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { first, step in
                stride(from: first, to: height, by: step).flatMap { pixels[$0 * width..<($0 + 1) * width] }
            }
        }
    }

    public var width: Int
    public var height: Int
    /// 1 to 256 RGB colours.
    public var palette: [[UInt8]]
    public var frames: [Frame]
    /// The number of repetitions: 0 is infinite; nil plays once (no Netscape extension).
    public var loop: Int?

    public init(width: Int, height: Int, palette: [[UInt8]], frames: [Frame], loop: Int? = 0) {
        self.width = width
        self.height = height
        self.palette = palette
        self.frames = frames
        self.loop = loop
    }

    /// Uses pictures of equal size as frames, in a uniform palette of 256 colours (3 bits red, 3 green, 2 blue).
    public init(_ pictures: [DrawnPicture], delay: Int = 10, loop: Int? = 0) {
        let frames = pictures.map { picture in
            var frame = Frame(width: picture.width, height: picture.height, pixels: picture.evenColours())
            frame.delay = delay
            return frame
        }
        self.init(
            width: pictures.first?.width ?? 1, height: pictures.first?.height ?? 1, palette: DrawnPicture.evenPalette,
            frames: frames, loop: loop)
    }

    /// Returns the GIF file.
    public func gif() -> [UInt8] {
        var depth = 1
        while 1 << depth < palette.count { depth += 1 }
        var result = Array("GIF89a".utf8)
        result += Self.number(width) + Self.number(height) + [0xF0 | UInt8(depth - 1), 0, 0]
        for index in 0..<1 << depth { result += index < palette.count ? palette[index] : [0, 0, 0] }
        if let loop { result += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1] + Self.number(loop) + [0] }
        for frame in frames {
            let flags = UInt8(frame.disposal << 2) | (frame.transparent == nil ? 0 : 1)
            result += [0x21, 0xF9, 4, flags] + Self.number(frame.delay) + [frame.transparent ?? 0, 0]
            result += [0x2C] + Self.number(frame.x) + Self.number(frame.y)
            result += Self.number(frame.width) + Self.number(frame.height) + [frame.isInterlaced ? 0x40 : 0]
            let codeSize = max(2, depth)
            result.append(UInt8(codeSize))
            let data = LZW.encode(frame.storedPixels, codeSize: codeSize)
            for start in stride(from: 0, to: data.count, by: 255) {
                let block = data[start..<min(start + 255, data.count)]
                result.append(UInt8(block.count))
                result += block
            }
            result.append(0)
        }
        return result + [0x3B]
    }

    private static func number(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8 & 0xFF)] }
}

extension DrawnPicture {
    /// Returns a GIF with one frame, in the uniform palette of 256 colours.
    public func gif() -> [UInt8] { DrawnAnimation([self], loop: nil).gif() }

    static let evenPalette: [[UInt8]] = (0..<256).map { index in
        let red = (index >> 5) * 255 / 7
        let green = (index >> 2 & 7) * 255 / 7
        let blue = (index & 3) * 255 / 3
        return [UInt8(red), UInt8(green), UInt8(blue)]
    }

    /// Returns the index of the nearest colour of the uniform palette for each pixel.
    func evenColours() -> [UInt8] {
        (0..<width * height).map { index in
            let start = index * channels
            let red = (Int(bytes[start]) * 7 + 127) / 255
            let green = (Int(bytes[channels >= 3 ? start + 1 : start]) * 7 + 127) / 255
            let blue = (Int(bytes[channels >= 3 ? start + 2 : start]) * 3 + 127) / 255
            return UInt8(red << 5 | green << 2 | blue)
        }
    }
}

/// The LZW encoder of GIF (GIF89a, appendix F).
private enum LZW {
    static func encode(_ pixels: [UInt8], codeSize: Int) -> [UInt8] {
        let clear = 1 << codeSize
        var output: [UInt8] = []
        output.reserveCapacity(pixels.count / 2)
        var pending = 0
        var count = 0
        var width = codeSize + 1
        // Maps a code and the next pixel to the code of both; 0 if there is none yet.
        var table = [UInt16](repeating: 0, count: 4096 << 8)
        var next = clear + 2

        func put(_ code: Int) {
            pending |= code << count
            count += width
            while count >= 8 {
                output.append(UInt8(pending & 0xFF))
                pending >>= 8
                count -= 8
            }
        }

        put(clear)
        var prefix = -1
        for pixel in pixels {
            if prefix < 0 {
                prefix = Int(pixel)
                continue
            }
            let slot = prefix << 8 | Int(pixel)
            if table[slot] != 0 {
                prefix = Int(table[slot])
                continue
            }
            put(prefix)
            prefix = Int(pixel)
            if next < 4096 {
                table[slot] = UInt16(next)
                // A decoder adds the entry one code later, so the width grows only when the entry's number does not
                // fit.
                if next == 1 << width { width += 1 }
                next += 1
            } else {
                put(clear)
                table.withUnsafeMutableBufferPointer { $0.update(repeating: 0) }
                width = codeSize + 1
                next = clear + 2
            }
        }
        if prefix >= 0 {
            put(prefix)
            // The decoder has now added the last entry.
            if next == 1 << width && width < 12 { width += 1 }
        }
        put(clear + 1)
        if count > 0 { output.append(UInt8(pending & 0xFF)) }
        return output
    }
}
