import Formats
import Support

/// A pixel for a palette: red in the lowest byte, then green, blue and alpha. GIF has no translucency: alpha is
/// then 255, or all bits of a transparent pixel are 0.
struct PackedColour: Hashable {
    var bits: UInt32

    static let transparent = PackedColour(bits: 0)

    init(bits: UInt32) { self.bits = bits }

    init(red: Int, green: Int, blue: Int) {
        bits = UInt32(truncatingIfNeeded: red | green << 8 | blue << 16 | 0xFF00_0000)
    }

    /// Converts a pixel with straight alpha for GIF. A pixel with alpha below one half becomes transparent; any other
    /// pixel is composed over `background`. A nil background keeps the pixel's colour, because mixing it with white
    /// would leave a light fringe on a dark page.
    init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8, on background: RGB?) {
        guard alpha >= 128 else {
            self = .transparent
            return
        }
        guard let background, alpha < 255 else {
            self.init(red: Int(red), green: Int(green), blue: Int(blue))
            return
        }
        func blend(_ sample: UInt8, _ below: UInt8) -> Int {
            (Int(sample) * Int(alpha) + Int(below) * (255 - Int(alpha)) + 127) / 255
        }
        self.init(
            red: blend(red, background.red), green: blend(green, background.green), blue: blend(blue, background.blue))
    }

    var isTransparent: Bool { bits == 0 }
    var red: Int { Int(bits & 0xFF) }
    var green: Int { Int(bits >> 8 & 0xFF) }
    var blue: Int { Int(bits >> 16 & 0xFF) }

    /// Returns the squared distance in sRGB.
    @inline(__always) func distance(to other: PackedColour) -> Int {
        let (dr, dg, db) = (red &- other.red, green &- other.green, blue &- other.blue)
        return dr &* dr &+ dg &* dg &+ db &* db
    }
}

/// A picture of packed colours, row by row from the top.
final class PackedCanvas {
    let size: PixelSize
    private let memory: AlignedBuffer

    init(_ size: PixelSize) {
        self.size = size
        memory = AlignedBuffer(count: size.width * size.height * 4)
    }

    var width: Int { size.width }
    var height: Int { size.height }
    var whole: CanvasArea { CanvasArea(columns: 0..<width, rows: 0..<height) }

    /// Valid for the lifetime of the canvas.
    var pixels: UnsafeMutablePointer<PackedColour> {
        UnsafeMutableRawPointer(memory.bytes).assumingMemoryBound(to: PackedColour.self)
    }

    func clear(_ area: CanvasArea) {
        for y in area.rows {
            (pixels + y * width + area.columns.lowerBound).update(repeating: .transparent, count: area.columns.count)
        }
    }

    /// Sets all pixels from RGBA.
    func set(_ rgba: UnsafePointer<UInt8>, background: RGB?) {
        for y in 0..<height { setRow(y, rgba + y * width * 4, channels: 4, background: background) }
    }

    /// Sets a row from pixels of 1 to 4 samples.
    func setRow(_ y: Int, _ row: UnsafePointer<UInt8>, channels: Int, background: RGB?) {
        let target = pixels + y * width
        for x in 0..<width {
            let sample = row + x * channels
            target[x] =
                switch channels {
                case 1: PackedColour(red: Int(sample[0]), green: Int(sample[0]), blue: Int(sample[0]))
                case 2:
                    PackedColour(red: sample[0], green: sample[0], blue: sample[0], alpha: sample[1], on: background)
                case 3: PackedColour(red: Int(sample[0]), green: Int(sample[1]), blue: Int(sample[2]))
                default:
                    PackedColour(red: sample[0], green: sample[1], blue: sample[2], alpha: sample[3], on: background)
                }
        }
    }
}
