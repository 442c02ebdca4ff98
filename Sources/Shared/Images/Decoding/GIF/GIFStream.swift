import Formats
import Support

/// Reads the images of a GIF in order, as lines of palette indices. Needs memory for a line.
///
/// Less strict than `GIFStructure`: accepts invalid blocks as long as pixels can be decoded.
final class GIFStream {
    /// The image descriptor, palette and transparent index of an image (GIF89a §20, §23).
    struct Image {
        let left: Int, top: Int, width: Int, height: Int
        let isInterlaced: Bool
        let palette: GIFPalette
        /// The palette index of pixels that leave the canvas unchanged; nil if there is none.
        let transparent: UInt8?

        /// The row numbers in stored order. In an interlaced image (GIF89a appendix E): every eighth row from row 0,
        /// every eighth from row 4, every fourth from row 2, every second from row 1.
        var rowOrder: some Sequence<Int> {
            let passes = isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
            return passes.lazy.flatMap { [height] in stride(from: $0.0, to: height, by: $0.1) }
        }
    }

    private let source: any ByteSource
    private let options: DecodeOptions
    /// A piece of the source, the position of its next unread byte, and the offset of its end in the source.
    private var piece: [UInt8] = []
    private var position = 0
    private var end = 0
    /// The global palette, used by images without a local palette. If the file has none, all colours are black, as in
    /// browsers.
    private var palette = GIFPalette([])
    /// The current sub-block (GIF89a §15).
    private let block = AlignedBuffer(count: 255)
    /// The unread bytes of `block`.
    private var unread = UnsafeRawBufferPointer(start: nil, count: 0)
    /// Whether `block` is the empty sub-block that ends the data.
    private var isAtEnd = false
    private var lzw = LZWDecoder(codeSize: 8)
    /// The number of lines of the current image that have not been read.
    private var linesLeft = 0

    init(_ source: any ByteSource, options: DecodeOptions) throws {
        self.source = source
        self.options = options
        // Signature and logical screen (§17, §18).
        let head = try bytes(13)
        guard ImageFormat.gif.matches(head[...]) else { throw ImageError.notAnImage }
        palette = try readPalette(head[10]) ?? palette
    }

    /// Reads up to the data of the next image. Returns nil at the trailer. The caller must have read or skipped the
    /// data of the previous image.
    func nextImage() throws -> Image? {
        var transparent: UInt8?
        while true {
            switch try byte() {
            case 0x2C: return try image(transparent)
            case 0x21:
                let label = try byte()
                try readBlock()
                // Graphic control extension (§23): packed fields with the transparency flag in the lowest bit, delay,
                // index. It applies to the next graphic, which may also be plain text (§25).
                if label == 0xF9, unread.count >= 4 {
                    transparent = unread[0] & 1 == 1 ? unread[3] : nil
                } else if label == 0x01 {
                    transparent = nil
                }
                while !isAtEnd { try readBlock() }
            case 0x3B: return nil
            case 0: break
            default: throw ImageError.corrupt(.gif, "a block that is not an image, extension or trailer")
            }
        }
    }

    private func image(_ transparent: UInt8?) throws -> Image {
        let head = try bytes(9)
        func number(at place: Int) -> Int { Int(head[place]) | Int(head[place + 1]) << 8 }
        let own = try readPalette(head[8])
        let codeSize = Int(try byte())
        // `GIFLayout` explains the limit.
        guard (1...11).contains(codeSize) else { throw ImageError.corrupt(.gif, "a code size outside 1 to 11") }
        let (width, height) = (number(at: 4), number(at: 6))
        guard width > 0, height > 0 else { throw ImageError.corrupt(.gif, "a frame without pixels") }
        lzw = LZWDecoder(codeSize: codeSize)
        unread = UnsafeRawBufferPointer(start: nil, count: 0)
        isAtEnd = false
        linesLeft = height
        return Image(
            left: number(at: 0), top: number(at: 2), width: width, height: height, isInterlaced: head[8] & 0x40 != 0,
            palette: own ?? palette, transparent: transparent)
    }

    /// Decodes the next line of the image into `line`, which has as many bytes as the image has columns.
    /// Throws `ImageError.truncated` if an end code or the end of the file comes before the end of the last line.
    func readLine(into line: inout [UInt8]) throws {
        try line.withUnsafeMutableBytes { line in
            var done = 0
            while true {
                let (read, written) = lzw.decode(
                    unread, into: UnsafeMutableRawBufferPointer(rebasing: line[done...]))
                unread = UnsafeRawBufferPointer(rebasing: unread[read...])
                done += written
                if done == line.count { break }
                if lzw.state == .ended { throw ImageError.truncated(.gif) }
                // `isAtEnd` means that the sub-blocks end without an end code.
                if lzw.state == .damaged || isAtEnd { throw ImageError.corrupt(.gif, "invalid pixel data") }
                try readBlock()
            }
        }
        linesLeft -= 1
        if linesLeft == 0 { try skipImage() }
    }

    /// Skips the rest of the image's data.
    func skipImage() throws {
        while !isAtEnd { try readBlock() }
    }

    /// Reads the palette after a descriptor. Returns nil if bit 7 of `flags` is clear. The low three bits encode the
    /// palette's size.
    private func readPalette(_ flags: UInt8) throws -> GIFPalette? {
        flags & 0x80 == 0 ? nil : GIFPalette(try bytes(6 << Int(flags & 7)))
    }

    private func readBlock() throws {
        let count = Int(try byte())
        try read(count, into: block.bytes)
        unread = UnsafeRawBufferPointer(start: block.bytes, count: count)
        isAtEnd = count == 0
    }

    private func byte() throws -> UInt8 {
        if position == piece.count { try readPiece() }
        defer { position += 1 }
        return piece[position]
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            try read(count, into: buffer.baseAddress!)
            initialized = count
        }
    }

    private func read(_ count: Int, into target: UnsafeMutablePointer<UInt8>) throws {
        var done = 0
        while done < count {
            if position == piece.count { try readPiece() }
            let size = min(count - done, piece.count - position)
            piece.withUnsafeBufferPointer { (target + done).update(from: $0.baseAddress! + position, count: size) }
            done += size
            position += size
        }
    }

    private func readPiece() throws {
        try options.check()
        piece = try source.bytes(end..<end + 65_536)
        position = 0
        end += piece.count
        if piece.isEmpty { throw ImageError.truncated(.gif) }
    }
}

/// A palette whose colours are 32-bit pixels, in memory R, G, B and alpha.
struct GIFPalette {
    /// Indices beyond the end of the palette are black, as in browsers.
    private var pixels = [UInt32](repeating: UInt32(littleEndian: 0xFF00_0000), count: 256)

    /// - Parameter colours: red, green and blue of each colour.
    init(_ colours: [UInt8]) {
        for index in 0..<colours.count / 3 {
            let (red, green, blue) = (colours[3 * index], colours[3 * index + 1], colours[3 * index + 2])
            pixels[index] = UInt32(littleEndian: UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000)
        }
    }

    /// Draws the colours of `indices` on `row`, as pixels of 3 or 4 channels. Pixels with the index `transparent` stay
    /// unchanged.
    func draw(
        _ indices: UnsafeBufferPointer<UInt8>, transparent: UInt8?, on row: UnsafeMutablePointer<UInt8>, channels: Int
    ) {
        let hidden = transparent.map(Int.init) ?? -1
        pixels.withUnsafeBufferPointer { pixels in
            if channels == 4 {
                let target = UnsafeMutableRawPointer(row)
                for x in 0..<indices.count where Int(indices[x]) != hidden {
                    target.storeBytes(of: pixels[Int(indices[x])], toByteOffset: x * 4, as: UInt32.self)
                }
                return
            }
            for x in 0..<indices.count where Int(indices[x]) != hidden {
                let pixel = UInt32(littleEndian: pixels[Int(indices[x])])
                row[x * 3] = UInt8(truncatingIfNeeded: pixel)
                row[x * 3 + 1] = UInt8(truncatingIfNeeded: pixel >> 8)
                row[x * 3 + 2] = UInt8(truncatingIfNeeded: pixel >> 16)
            }
        }
    }
}
