import Formats
import Support

extension ImageDecoder {
    static let gif = ImageDecoder(
        formats: [.gif],
        rows: { source, info, _, options in try GIFReader(source, size: info.storedSize, options: options) },
        frames: { source, options in try GIFAnimationReader(source, options: options) },
        frameCount: { source in try GIFStructure.read(source).frames.count })
}

/// Reads the rows of a GIF's first frame on its logical screen (GIF89a §18), which is transparent outside of the frame.
/// Needs memory for a line, or for the indices of an interlaced frame.
final class GIFReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    private let stream: GIFStream
    private let image: GIFStream.Image
    private let memory: MemoryReservation?
    private let options: DecodeOptions
    private var line: [UInt8]
    /// The rows of an interlaced frame, as palette indices; nil for missing rows.
    private var whole: [[UInt8]?] = []
    /// Whether the data ended early. All later rows are missing.
    private(set) var isTruncated = false
    /// Whether invalid data was found. All later rows are missing.
    private(set) var isDamaged = false
    private var y = 0

    /// If `options.allowsTruncated` or `options.allowsDamage` is set, missing rows are transparent, or black in a
    /// picture without transparency. Otherwise, they are an error.
    ///
    /// - Parameter size: the size of the logical screen.
    init(_ source: any ByteSource, size: PixelSize, options: DecodeOptions) throws {
        let options = options.begun()
        let limits = options.limits
        try limits.check(pixels: size)
        self.size = size
        self.options = options
        stream = try GIFStream(source, options: options)
        guard let image = try stream.nextImage() else { throw ImageError.corrupt(.gif, "no frame") }
        self.image = image
        if image.isInterlaced {
            let frameSize = PixelSize(width: image.width, height: image.height)
            try limits.check(pixels: frameSize)
            memory = try options.reserve(memory: frameSize, bytesPerPixel: 1)
        } else {
            memory = nil
        }
        let covers =
            image.left == 0 && image.top == 0 && image.width >= size.width && image.height >= size.height
        layout = covers && image.transparent == nil ? .rgb : .rgba
        line = [UInt8](repeating: 0, count: image.width)
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        defer { y += 1 }
        let channels = layout.channels
        if layout == .rgba { row.update(repeating: 0, count: size.width * channels) }
        guard y >= image.top, y < image.top + image.height else { return }
        guard try readLine(y - image.top) else {
            row.update(repeating: 0, count: size.width * channels)
            return
        }
        let visible = min(image.width, size.width - image.left)
        guard visible > 0 else { return }
        line.withUnsafeBufferPointer {
            image.palette.draw(
                UnsafeBufferPointer(rebasing: $0[..<visible]), transparent: image.transparent,
                on: row + image.left * channels, channels: channels)
        }
    }

    /// Reads row `index` of the frame into `line`. Returns false if the row is missing. Rows must be read in order.
    private func readLine(_ index: Int) throws -> Bool {
        guard image.isInterlaced else { return try decodeLine() }
        if whole.isEmpty {
            whole = [[UInt8]?](repeating: nil, count: image.height)
            for row in image.rowOrder {
                guard try decodeLine() else { break }
                whole[row] = line
            }
        }
        guard let row = whole[index] else { return false }
        line = row
        whole[index] = nil
        return true
    }

    private func decodeLine() throws -> Bool {
        if isTruncated || isDamaged { return false }
        do {
            try stream.readLine(into: &line)
            return true
        } catch ImageError.truncated where options.allowsTruncated {
            isTruncated = true
        } catch ImageError.corrupt where options.allowsDamage {
            isDamaged = true
        }
        return false
    }

    func finish() {}
}
