import Formats
import Support

/// The canvas of an animation, RGBA with straight alpha, and the pixels to restore after a frame.
final class AnimationCanvas {
    private let size: PixelSize
    private let canvas: AlignedBuffer
    /// The saved pixels, at the same positions as on the canvas. Nil if no frame has "restore to previous".
    private let saved: AlignedBuffer?
    private let memory: MemoryReservation

    /// - Parameter saves: whether a frame has "restore to previous", which needs memory for a second canvas.
    init(size: PixelSize, saves: Bool, options: DecodeOptions) throws {
        self.size = size
        memory = try options.reserve(memory: size, bytesPerPixel: saves ? 8 : 4)
        canvas = AlignedBuffer(count: saves ? memory.bytes / 2 : memory.bytes)
        saved = saves ? AlignedBuffer(count: memory.bytes / 2) : nil
    }

    var pixels: UnsafePointer<UInt8> { UnsafePointer(canvas.bytes) }

    func pixel(_ x: Int, _ y: Int) -> UnsafeMutablePointer<UInt8> { canvas.bytes + (y * size.width + x) * 4 }

    func clear(_ area: CanvasArea) {
        for y in area.rows { pixel(area.columns.lowerBound, y).update(repeating: 0, count: area.columns.count * 4) }
    }

    func save(_ area: CanvasArea) { copy(area, from: canvas, to: saved!) }

    func restore(_ area: CanvasArea) { copy(area, from: saved!, to: canvas) }

    private func copy(_ area: CanvasArea, from source: AlignedBuffer, to target: AlignedBuffer) {
        for y in area.rows {
            let offset = (y * size.width + area.columns.lowerBound) * 4
            (target.bytes + offset).update(from: source.bytes + offset, count: area.columns.count * 4)
        }
    }
}
