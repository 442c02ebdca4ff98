import CGIF
import Formats
import Support

/// The images of a GIF, one after the other, as giflib decodes them: palette indices, line by line.
///
/// giflib's `DGifSlurp` would take memory for whatever any frame claims. Here only one line is in memory, and what
/// giflib notes about images that are over is thrown away.
final class GIFStream {
    /// An image, as far as drawing it needs (GIF89a §20, §23).
    struct Image {
        let left: Int, top: Int, width: Int, height: Int
        let isInterlaced: Bool
        /// Colours by index, in memory R, G, B and 255.
        let palette: GIFPalette
        /// The index that leaves the canvas as it is.
        let transparent: UInt8?

        /// The rows in the order in which they are stored (GIF89a appendix E): every eighth from 0 and from 4, every
        /// fourth from 2, every second from 1.
        var rowOrder: some Sequence<Int> {
            let passes = isInterlaced ? [(0, 8), (4, 8), (2, 4), (1, 2)] : [(0, 1)]
            return passes.lazy.flatMap { [height] in stride(from: $0.0, to: height, by: $0.1) }
        }
    }

    private let input: Input
    private let file: UnsafeMutablePointer<GifFileType>
    private var pixels = ImagePixels()

    /// The compressed pixels of the image that is read.
    private struct ImagePixels {
        /// Nil before the first line.
        var lzw: LZWDecoder?
        /// What is left of the sub-block that has been read last (GIF89a §15).
        var block = UnsafeRawBufferPointer(start: nil, count: 0)
        /// Whether that was the one without bytes, behind all others.
        var isAtEnd = false
        var linesLeft = 0
    }

    /// What giflib reads from, by a C callback.
    private final class Input {
        let source: any ByteSource
        let options: DecodeOptions
        var offset = 0
        var buffer: [UInt8] = []
        var position = 0
        var failure: (any Error)?
        var isAtEnd = false

        init(_ source: any ByteSource, _ options: DecodeOptions) {
            self.source = source
            self.options = options
        }

        func read(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int) -> Int {
            var done = 0
            while done < count {
                if position == buffer.count {
                    do {
                        try options.check()
                        buffer = try source.bytes(offset..<offset + 65_536)
                    } catch {
                        failure = error
                        return done
                    }
                    position = 0
                    if buffer.isEmpty {
                        isAtEnd = true
                        return done
                    }
                    offset += buffer.count
                }
                let size = min(count - done, buffer.count - position)
                buffer.withUnsafeBufferPointer { (bytes + done).update(from: $0.baseAddress! + position, count: size) }
                done += size
                position += size
            }
            return done
        }
    }

    init(_ source: any ByteSource, options: DecodeOptions) throws {
        let input = Input(source, options)
        var code: Int32 = 0
        let opened = DGifOpen(
            Unmanaged.passUnretained(input).toOpaque(),
            { file, bytes, count in
                let input = Unmanaged<Input>.fromOpaque(file!.pointee.UserData).takeUnretainedValue()
                return Int32(input.read(bytes!, Int(count)))
            }, &code)
        guard let file = opened else { throw Self.failure(code, input) }
        self.input = input
        self.file = file
    }

    deinit {
        var code: Int32 = 0
        DGifCloseFile(file, &code)
    }

    /// Reads up to the next image's data, which must all have been read before; nil at the trailer.
    func nextImage() throws -> Image? {
        var transparent: UInt8?
        while true {
            var kind = UNDEFINED_RECORD_TYPE
            try check(DGifGetRecordType(file, &kind))
            switch kind {
            case IMAGE_DESC_RECORD_TYPE:
                try check(DGifGetImageDesc(file))
                // giflib lists every image that it meets, with its palette.
                GifFreeSavedImages(file)
                file.pointee.SavedImages = nil
                file.pointee.ImageCount = 0
                return try image(transparent)
            case EXTENSION_RECORD_TYPE:
                var label: Int32 = 0
                var block: UnsafeMutablePointer<GifByteType>?
                try check(DGifGetExtension(file, &label, &block))
                // §23: size 4, packed fields with the transparency flag lowest, delay, index. Plain text (§25) is a
                // graphic of its own, which uses the control up.
                if label == GRAPHICS_EXT_FUNC_CODE, let block, block[0] >= 4 {
                    transparent = block[1] & 1 == 1 ? block[4] : nil
                } else if label == PLAINTEXT_EXT_FUNC_CODE {
                    transparent = nil
                }
                while block != nil { try check(DGifGetExtensionNext(file, &block)) }
            case TERMINATE_RECORD_TYPE:
                return nil
            default: break
            }
        }
    }

    private func image(_ transparent: UInt8?) throws -> Image {
        let image = file.pointee.Image
        guard image.Width > 0, image.Height > 0, image.Left >= 0, image.Top >= 0 else {
            throw ImageError.corrupt(.gif, "a frame without pixels")
        }
        guard let map = image.ColorMap ?? file.pointee.SColorMap else { throw ImageError.corrupt(.gif, "no palette") }
        let colours = UnsafeBufferPointer(start: map.pointee.Colors, count: Int(map.pointee.ColorCount))
        pixels = ImagePixels()
        pixels.linesLeft = Int(image.Height)
        return Image(
            left: Int(image.Left), top: Int(image.Top), width: Int(image.Width), height: Int(image.Height),
            isInterlaced: image.Interlace,
            palette: GIFPalette(colours.lazy.map { RGB(red: $0.Red, green: $0.Green, blue: $0.Blue) }),
            transparent: transparent)
    }

    /// Decodes the next line of the image into `line`, which has as many bytes as the image has columns.
    /// Throws `ImageError.truncated` if the data ends before the image does.
    func readLine(into line: inout [UInt8]) throws {
        if pixels.lzw == nil { try readFirstBlock() }
        try line.withUnsafeMutableBytes { line in
            var done = 0
            while true {
                let (read, written) = pixels.lzw!.decode(
                    pixels.block, into: UnsafeMutableRawBufferPointer(rebasing: line[done...]))
                pixels.block = UnsafeRawBufferPointer(rebasing: pixels.block[read...])
                done += written
                if done == line.count { break }
                switch pixels.lzw!.state {
                case .ended: throw ImageError.truncated(.gif)
                case .damaged: throw Self.failure(D_GIF_ERR_IMAGE_DEFECT, input)
                case .open:
                    // The end code stands before the last sub-block.
                    if pixels.isAtEnd { throw Self.failure(D_GIF_ERR_IMAGE_DEFECT, input) }
                    try readNextBlock()
                }
            }
        }
        pixels.linesLeft -= 1
        guard pixels.linesLeft == 0 else { return }
        while !pixels.isAtEnd { try readNextBlock() }
    }

    private func readFirstBlock() throws {
        var codeSize: Int32 = 0
        var block: UnsafeMutablePointer<GifByteType>?
        try check(DGifGetCode(file, &codeSize, &block))
        pixels.lzw = LZWDecoder(codeSize: Int(codeSize))
        take(block)
    }

    private func readNextBlock() throws {
        var block: UnsafeMutablePointer<GifByteType>?
        try check(DGifGetCodeNext(file, &block))
        take(block)
    }

    /// Takes a sub-block, which giflib keeps until the next one is read: its length, and so many bytes.
    private func take(_ block: UnsafeMutablePointer<GifByteType>?) {
        pixels.isAtEnd = block == nil
        pixels.block = UnsafeRawBufferPointer(start: block.map { $0 + 1 }, count: block.map { Int($0[0]) } ?? 0)
    }

    private func check(_ status: Int32) throws {
        guard status == GIF_OK else { throw Self.failure(file.pointee.Error, input) }
    }

    private static func failure(_ code: Int32, _ input: Input) -> any Error {
        if let failure = input.failure { return failure }
        switch code {
        // giflib says so too of a code size over 8, the largest that GIF89a appendix F has.
        case D_GIF_ERR_READ_FAILED where !input.isAtEnd:
            return ImageError.unsupported(.gif, "codes of more than 9 bits from the start")
        case D_GIF_ERR_READ_FAILED, D_GIF_ERR_EOF_TOO_SOON: return ImageError.truncated(.gif)
        case D_GIF_ERR_NOT_GIF_FILE: return ImageError.notAnImage
        case D_GIF_ERR_NOT_ENOUGH_MEM: return ImageError.outOfMemory
        default: return ImageError.corrupt(.gif, GifErrorString(code).map { String(cString: $0) } ?? "damaged")
        }
    }
}

/// Colours by palette index as pixels of a canvas: 32 bits, in memory R, G, B and alpha.
struct GIFPalette {
    /// An index behind the palette shows as black, as in browsers.
    private var pixels = [UInt32](repeating: GIFPalette.pixel(.black), count: 256)

    init(_ colours: some Sequence<RGB>) {
        for (index, colour) in colours.prefix(256).enumerated() { pixels[index] = Self.pixel(colour) }
    }

    static func pixel(_ colour: RGB) -> UInt32 {
        UInt32(littleEndian: UInt32(colour.red) | UInt32(colour.green) << 8 | UInt32(colour.blue) << 16 | 0xFF00_0000)
    }

    /// Lays the colours of `indices` on `row`, as pixels of 3 or 4 channels; `transparent` leaves it as it is.
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
