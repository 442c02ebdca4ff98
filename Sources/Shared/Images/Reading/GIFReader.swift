import Formats
import Support

/// The rows of a GIF's first frame on its logical screen (GIF89a §18), which is transparent where the frame doesn't
/// cover it. One line is in memory, or the frame's indices where it is interlaced.
final class GIFReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    var profile: [UInt8]? { nil }
    private let stream: GIFStream
    private let image: GIFStream.Image
    private var line: [UInt8]
    private var whole: [UInt8] = []
    private var y = 0

    /// - Parameter size: of the logical screen.
    init(_ source: any ByteSource, size: PixelSize, options: DecodeOptions) throws {
        let limits = options.limits
        try limits.check(pixels: size)
        self.size = size
        stream = try GIFStream(source, options: options)
        guard let image = try stream.nextImage() else { throw ImageError.corrupt(.gif, "no frame") }
        self.image = image
        if image.isInterlaced {
            let frameSize = PixelSize(width: image.width, height: image.height)
            try limits.check(pixels: frameSize)
            try limits.check(memory: frameSize, bytesPerPixel: 1)
        }
        let covers =
            image.left == 0 && image.top == 0 && image.width >= size.width && image.height >= size.height
        layout = covers && image.transparent == nil ? .rgb : .rgba
        line = [UInt8](repeating: 0, count: image.width)
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        defer { y += 1 }
        let channels = layout.channels
        if layout == .rgba { row.update(repeating: 0, count: size.width * 4) }
        guard y >= image.top, y < image.top + image.height else { return }
        try readLine(y - image.top)
        let visible = min(image.width, size.width - image.left)
        guard visible > 0 else { return }
        line.withUnsafeBufferPointer {
            image.palette.draw(
                UnsafeBufferPointer(rebasing: $0[..<visible]), transparent: image.transparent,
                on: row + image.left * channels, channels: channels)
        }
    }

    /// Puts the frame's row `index` into `line`; rows are asked for in order.
    private func readLine(_ index: Int) throws {
        guard image.isInterlaced else { return try stream.readLine(into: &line) }
        if whole.isEmpty {
            whole = [UInt8](repeating: 0, count: image.width * image.height)
            for row in image.rowOrder {
                try stream.readLine(into: &line)
                whole.replaceSubrange(row * image.width..<(row + 1) * image.width, with: line)
            }
        }
        line.replaceSubrange(0..<image.width, with: whole[index * image.width..<(index + 1) * image.width])
    }

    func finish() {}
}
