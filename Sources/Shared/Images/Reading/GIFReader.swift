import CGIF
import Formats
import Support

/// The rows of a GIF's first frame, laid on its logical screen (GIF89a §18), which is transparent where the frame
/// doesn't cover it.
///
/// giflib's `DGifSlurp` would take memory for whatever any frame claims; only the first one is read here, line by line,
/// and kept as a whole only where it is interlaced.
final class GIFReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    var profile: [UInt8]? { nil }
    private let feed: Feed
    private let file: UnsafeMutablePointer<GifFileType>
    private let frame: (left: Int, top: Int, width: Int, height: Int)
    private let isInterlaced: Bool
    private let palette: [GifColorType]
    private let transparent: Int?
    private let memory: MemoryReservation?
    private var line: [UInt8]
    private var whole: [UInt8] = []
    /// Which rows are in `whole`.
    private var hasCome: [Bool] = []
    private var y = 0
    private(set) var isTruncated = false
    private let allowsTruncated: Bool

    /// What giflib reads from, by a C callback.
    private final class Feed {
        let source: any ByteSource
        let options: DecodeOptions
        var offset = 0
        var buffer: [UInt8] = []
        var position = 0
        var failure: (any Error)?

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
                    if buffer.isEmpty { return done }
                    offset += buffer.count
                    position = 0
                }
                let size = min(count - done, buffer.count - position)
                buffer.withUnsafeBufferPointer { (bytes + done).update(from: $0.baseAddress! + position, count: size) }
                done += size
                position += size
            }
            return done
        }
    }

    /// - Parameter size: of the logical screen.
    init(_ source: any ByteSource, size: PixelSize, options: DecodeOptions) throws {
        let options = options.begun()
        let limits = options.limits
        try limits.check(pixels: size)
        self.size = size
        allowsTruncated = options.allowsTruncated
        feed = Feed(source, options)
        var code: Int32 = 0
        let opened = DGifOpen(
            Unmanaged.passUnretained(feed).toOpaque(),
            { file, bytes, count in
                Int32(Unmanaged<Feed>.fromOpaque(file!.pointee.UserData).takeUnretainedValue().read(bytes!, Int(count)))
            }, &code)
        guard let file = opened else { throw Self.failure(code, feed) }
        var transparent: Int?
        var memory: MemoryReservation?
        do {
            transparent = try Self.advanceToFirstFrame(file, feed)
            let image = file.pointee.Image
            frame = (Int(image.Left), Int(image.Top), Int(image.Width), Int(image.Height))
            guard frame.width > 0, frame.height > 0, frame.left >= 0, frame.top >= 0 else {
                throw ImageError.corrupt(.gif, "a frame without pixels")
            }
            isInterlaced = image.Interlace
            if isInterlaced {
                let frameSize = PixelSize(width: frame.width, height: frame.height)
                try limits.check(pixels: frameSize)
                memory = try options.reserve(memory: frameSize, bytesPerPixel: 1)
            }
            guard let map = image.ColorMap ?? file.pointee.SColorMap else {
                throw ImageError.corrupt(.gif, "no palette")
            }
            palette = Array(UnsafeBufferPointer(start: map.pointee.Colors, count: Int(map.pointee.ColorCount)))
        } catch {
            DGifCloseFile(file, &code)
            throw error
        }
        self.file = file
        self.transparent = transparent
        self.memory = memory
        let covers =
            frame.left == 0 && frame.top == 0 && frame.width >= size.width && frame.height >= size.height
        layout = covers && transparent == nil ? .rgb : .rgba
        line = [UInt8](repeating: 0, count: frame.width)
    }

    deinit {
        var code: Int32 = 0
        DGifCloseFile(file, &code)
    }

    /// Reads up to the first image descriptor; gives the transparent index of a graphic control extension before it.
    private static func advanceToFirstFrame(_ file: UnsafeMutablePointer<GifFileType>, _ feed: Feed) throws -> Int? {
        var transparent: Int?
        while true {
            var kind = UNDEFINED_RECORD_TYPE
            guard DGifGetRecordType(file, &kind) == GIF_OK else { throw failure(file.pointee.Error, feed) }
            switch kind {
            case IMAGE_DESC_RECORD_TYPE:
                guard DGifGetImageDesc(file) == GIF_OK else { throw failure(file.pointee.Error, feed) }
                return transparent
            case EXTENSION_RECORD_TYPE:
                var code: Int32 = 0
                var block: UnsafeMutablePointer<GifByteType>?
                guard DGifGetExtension(file, &code, &block) == GIF_OK else { throw failure(file.pointee.Error, feed) }
                // GIF89a §23: size 4, packed fields with the transparency flag lowest, delay, index.
                if code == GRAPHICS_EXT_FUNC_CODE, let block, block[0] >= 4 {
                    transparent = block[1] & 1 == 1 ? Int(block[4]) : nil
                }
                while block != nil {
                    guard DGifGetExtensionNext(file, &block) == GIF_OK else { throw failure(file.pointee.Error, feed) }
                }
            case TERMINATE_RECORD_TYPE:
                throw ImageError.corrupt(.gif, "no frame")
            default: break
            }
        }
    }

    private static func failure(_ code: Int32, _ feed: Feed) -> any Error {
        if let failure = feed.failure { return failure }
        switch code {
        case D_GIF_ERR_READ_FAILED, D_GIF_ERR_EOF_TOO_SOON: return ImageError.truncated(.gif)
        case D_GIF_ERR_NOT_GIF_FILE: return ImageError.notAnImage
        case D_GIF_ERR_NOT_ENOUGH_MEM: return ImageError.outOfMemory
        default: return ImageError.corrupt(.gif, GifErrorString(code).map { String(cString: $0) } ?? "damaged")
        }
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        defer { y += 1 }
        let channels = layout.channels
        guard y >= frame.top, y < frame.top + frame.height else {
            row.update(repeating: 0, count: size.width * channels)
            return
        }
        guard try hasLine(y - frame.top) else {
            row.update(repeating: 0, count: size.width * channels)
            return
        }
        if layout == .rgba { row.update(repeating: 0, count: size.width * 4) }
        let visible = min(frame.width, size.width - frame.left)
        for x in 0..<max(visible, 0) {
            let index = Int(line[x])
            if index == transparent { continue }
            // An index behind the palette shows as black, as in browsers.
            let colour = index < palette.count ? palette[index] : GifColorType(Red: 0, Green: 0, Blue: 0)
            let pixel = row + (frame.left + x) * channels
            pixel[0] = colour.Red
            pixel[1] = colour.Green
            pixel[2] = colour.Blue
            if channels == 4 { pixel[3] = 255 }
        }
    }

    /// Whether the frame's row `index` is there, in `line`: one that is missing is transparent, or black.
    private func hasLine(_ index: Int) throws -> Bool {
        if isTruncated && !isInterlaced { return false }
        do {
            try readLine(index)
        } catch let error as ImageError where allowsTruncated && error == .truncated(.gif) {
            isTruncated = true
            guard isInterlaced else { return false }
            try readLine(index)
        }
        return !isInterlaced || hasCome[index]
    }

    /// Puts the frame's row `index` into `line`; rows are asked for in order.
    private func readLine(_ index: Int) throws {
        guard isInterlaced else {
            try decodeLine()
            return
        }
        if whole.isEmpty {
            whole = [UInt8](repeating: 0, count: frame.width * frame.height)
            hasCome = [Bool](repeating: false, count: frame.height)
            // GIF89a appendix E: every eighth row from 0 and from 4, every fourth from 2, every second from 1.
            for (first, step) in [(0, 8), (4, 8), (2, 4), (1, 2)] {
                for row in stride(from: first, to: frame.height, by: step) {
                    try decodeLine()
                    hasCome[row] = true
                    whole.replaceSubrange(row * frame.width..<(row + 1) * frame.width, with: line)
                }
            }
        }
        line.replaceSubrange(0..<frame.width, with: whole[index * frame.width..<(index + 1) * frame.width])
    }

    private func decodeLine() throws {
        let status = line.withUnsafeMutableBufferPointer { DGifGetLine(file, $0.baseAddress, Int32($0.count)) }
        guard status == GIF_OK else { throw Self.failure(file.pointee.Error, feed) }
    }

    func finish() {}
}
