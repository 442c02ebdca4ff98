/// An encoder of animated PNGs (PNG specification, third edition, §11.3.4) with control over all features that a
/// decoder must handle.
public struct DrawnPNGAnimation: Sendable {
    public struct Frame: Sendable {
        public var x = 0
        public var y = 0
        public var width: Int
        public var height: Int
        /// The RGBA bytes or the palette index of each pixel.
        public var bytes: [UInt8]
        public var delay = (UInt16(1), UInt16(10))
        /// The disposal method: 0 keeps the frame, 1 clears it to transparency, 2 restores the previous canvas.
        public var disposal: UInt8 = 0
        /// The blend operation: 0 replaces the canvas, 1 blends the frame over it.
        public var blend: UInt8 = 0

        public init(width: Int, height: Int, bytes: [UInt8]) {
            self.width = width
            self.height = height
            self.bytes = bytes
        }
    }

    public var width: Int
    public var height: Int
    public var frames: [Frame]
    public var plays: UInt32 = 0
    /// RGB colours; if empty, pixels are RGBA.
    public var palette: [UInt8] = []
    /// The picture for viewers without animation; nil for the first frame.
    public var still: [UInt8]?
    /// The number of chunks for the data of each frame.
    public var pieces = 1

    public init(width: Int, height: Int, frames: [Frame]) {
        self.width = width
        self.height = height
        self.frames = frames
    }

    /// The chunks in order, for tests that change them.
    public var chunks: [PNGChunk] {
        let kind: [UInt8] = palette.isEmpty ? [8, 6, 0, 0, 0] : [8, 3, 0, 0, 0]
        var chunks = [PNGChunk("IHDR", Self.long(width) + Self.long(height) + kind)]
        chunks.append(PNGChunk("acTL", Self.long(frames.count) + Deflate.bigEndian(plays)))
        if !palette.isEmpty { chunks.append(PNGChunk("PLTE", palette)) }
        if let still { chunks.append(PNGChunk("IDAT", packed(still, width))) }
        var number = 0
        func next() -> [UInt8] {
            defer { number += 1 }
            return Self.long(number)
        }
        for (index, frame) in frames.enumerated() {
            let place = Self.long(frame.width) + Self.long(frame.height) + Self.long(frame.x) + Self.long(frame.y)
            let delay = Self.short(frame.delay.0) + Self.short(frame.delay.1)
            chunks.append(PNGChunk("fcTL", next() + place + delay + [frame.disposal, frame.blend]))
            let data = packed(frame.bytes, frame.width)
            let step = (data.count + pieces - 1) / pieces
            for start in stride(from: 0, to: data.count, by: step) {
                let piece = Array(data[start..<min(start + step, data.count)])
                let isStill = index == 0 && still == nil
                chunks.append(isStill ? PNGChunk("IDAT", piece) : PNGChunk("fdAT", next() + piece))
            }
        }
        return chunks + [PNGChunk("IEND", [])]
    }

    public func png() -> [UInt8] { Self.png(chunks) }

    public static func png(_ chunks: [PNGChunk]) -> [UInt8] {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunks.flatMap(\.bytes)
    }

    private func packed(_ bytes: [UInt8], _ width: Int) -> [UInt8] {
        let row = width * (palette.isEmpty ? 4 : 1)
        return Deflate.zlib(
            stride(from: 0, to: bytes.count, by: row).flatMap { [PNGFilter.none.rawValue] + bytes[$0..<$0 + row] })
    }

    private static func long(_ value: Int) -> [UInt8] { Deflate.bigEndian(UInt32(value)) }

    private static func short(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }
}
