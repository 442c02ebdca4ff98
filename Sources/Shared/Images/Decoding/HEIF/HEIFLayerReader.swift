import Formats
import Support

/// Reads the rows of an overlay, which consists of pictures drawn over each other on a canvas. The rows are sRGB. The
/// whole canvas is in memory.
final class HEIFLayerReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    var transform: ColourTransform? { nil }
    private let placement: HEIFPlacement
    private let canvas: PixelBuffer
    private let memory: MemoryReservation
    private var y = 0

    init(
        _ picture: HEIFPicture, _ layers: [HEIFPicture.Layer], canvas size: PixelSize, background: [UInt16],
        of source: any ByteSource, _ format: ImageFormat, options: DecodeOptions
    ) throws {
        try options.limits.check(pixels: size)
        memory = try options.reserve(memory: size, bytesPerPixel: 4)
        self.size = picture.size
        placement = picture.placement
        layout = picture.hasAlpha ? .rgba : .rgb
        var canvas = PixelBuffer(size: size, filledWith: background.map { UInt8($0 >> 8) })
        for layer in layers {
            try options.check()
            guard case .tiles(let colours, let alpha) = layer.picture.content else { continue }
            try options.limits.check(pixels: layer.picture.size)
            // Memory for the layer and its rotated copy.
            let room = try options.reserve(memory: layer.picture.size, bytesPerPixel: 8)
            let stored = try HEIFReader(layer.picture, colours, alpha, of: source, format, options: options)
            let reader: any RowReader = stored.transform.map { SRGBRows(stored, $0, options: options) } ?? stored
            canvas.draw(
                try reader.pixels(orientation: layer.picture.placement.orientation, options: options), layer.x,
                layer.y)
            withExtendedLifetime(room) {}
        }
        self.canvas = canvas
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
        let channels = layout.channels
        let start = (placement.y + y) * canvas.size.width + placement.x
        for x in 0..<size.width {
            for channel in 0..<channels { row[x * channels + channel] = canvas.bytes[(start + x) * 4 + channel] }
        }
        y += 1
    }

    func finish() {}
}

extension PixelBuffer {
    /// Draws a picture of 3 or 4 channels over this picture of 4 channels, clipped to its bounds.
    fileprivate mutating func draw(_ picture: PixelBuffer, _ left: Int, _ top: Int) {
        let columns = (max(left, 0)..<max(left, 0, min(left + picture.size.width, size.width)))
        for y in max(top, 0)..<max(top, 0, min(top + picture.size.height, size.height)) {
            for x in columns {
                let from = ((y - top) * picture.size.width + x - left) * picture.channels
                let to = (y * size.width + x) * 4
                let alpha = picture.channels == 4 ? Int(picture.bytes[from + 3]) : 255
                // The weight of the lower picture, in units of 1 / (255 * 255).
                let beneath = Int(bytes[to + 3]) * (255 - alpha)
                let sum = alpha * 255 + beneath
                guard sum > 0 else { continue }
                for channel in 0..<3 {
                    let mixed = Int(picture.bytes[from + channel]) * alpha * 255 + Int(bytes[to + channel]) * beneath
                    bytes[to + channel] = UInt8((mixed + sum / 2) / sum)
                }
                bytes[to + 3] = UInt8((sum + 127) / 255)
            }
        }
    }
}
