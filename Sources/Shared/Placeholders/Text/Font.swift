import CText
import Images
import Libc
import Support

/// A face of a font file, open for shaping and drawing. One thread at a time may use it.
///
/// A font given by name may be anyone's: what it says of itself is bounded here before it is reckoned with.
final class Font {
    /// Why a file is no font for us, in words.
    struct Fault: Error {
        var reason: String
    }

    /// A glyph and where it stands, in ems from the start of its run; up is positive.
    struct Glyph: Sendable, Hashable {
        var index: UInt32
        var x: Double, y: Double
    }

    /// Characters of one direction, script and font, from left to right.
    struct Run: Sendable, Hashable {
        var glyphs: [Glyph]
        var width: Double
    }

    private let handle: OpaquePointer
    /// How far letters reach above the baseline, and below it, in ems.
    let ascent: Double, descent: Double

    /// Opens a file's face. A mapping of the file, some 0.1 ms.
    init(path: String, index: Int32 = 0) throws(Fault) {
        var opened: OpaquePointer?
        switch path.withPathPointer({ ctext_open($0, index, &opened) }) {
        case CTEXT_UNREADABLE: throw Fault(reason: String(cString: strerror(errno)))
        case CTEXT_TOO_LARGE: throw Fault(reason: "it is over 256 MiB")
        default: break
        }
        guard let opened else { throw Fault(reason: "it is no OpenType font with outlines") }
        handle = opened
        let extents = ctext_line_extents(opened)
        // Some fonts have none, or those of their tallest ornament.
        ascent = min(max(Self.ems(extents.ascent), 0.7), 1.2)
        descent = min(max(Self.ems(extents.descent), 0.15), 0.5)
    }

    deinit { ctext_close(handle) }

    func has(_ scalar: Unicode.Scalar) -> Bool { ctext_has(handle, scalar.value) }

    /// Shapes characters that go together. What the font lacks is drawn as its sign for that.
    func shaped(_ scalars: ArraySlice<Unicode.Scalar>, isRightToLeft: Bool, language: String?) -> Run {
        let values = scalars.map(\.value)
        var capacity = 2 * values.count + 16
        while true {
            var count = 0
            let glyphs = [ctext_glyph](unsafeUninitializedCapacity: capacity) { buffer, initialized in
                count = ctext_shape(
                    handle, values, values.count, isRightToLeft, language, buffer.baseAddress!, capacity)
                initialized = max(0, min(count, capacity))
            }
            // HarfBuzz itself stops fonts that make very many glyphs of few characters.
            if count > capacity && count < 1 << 16 {
                capacity = count
                continue
            }
            return Self.run(glyphs)
        }
    }

    private static func run(_ glyphs: [ctext_glyph]) -> Run {
        var run = Run(glyphs: [], width: 0)
        run.glyphs.reserveCapacity(glyphs.count)
        for glyph in glyphs {
            let (x, y) = (bounded(glyph.x_offset), bounded(glyph.y_offset))
            run.glyphs.append(Glyph(index: glyph.glyph, x: run.width + x, y: y))
            run.width = max(0, run.width + bounded(glyph.advance))
        }
        return run
    }

    /// Draws a glyph whose origin is at that place, in pixels, as far as it lies within `clip`.
    func draw(
        _ glyph: UInt32, size: Double, x: Double, baseline: Int, _ color: RGB, on canvas: inout Canvas, clip: PixelRect
    ) {
        // Quarters of a pixel are as exact as one sees.
        let quarters = Int((x * 4).rounded(.down))
        let column = quarters >> 2
        var coverage = ctext_coverage()
        guard ctext_draw(handle, glyph, Int32((size * 64).rounded()), Int32((quarters & 3) * 16), &coverage),
            let rows = coverage.rows
        else { return }
        let left = column + Int(coverage.left)
        let top = baseline - Int(coverage.top)
        let box = PixelRect(x: left, y: top, width: Int(coverage.width), height: Int(coverage.height))
        let pitch = coverage.pitch
        canvas.blend(color, in: box.intersection(clip).intersection(canvas.bounds)) { x, y in
            Int(rows[(y - top) * pitch + (x - left)])
        }
    }

    private static func ems(_ length: Int32) -> Double { Double(length) / Double(CTEXT_EM) }

    /// No glyph that is meant well is wider than this.
    private static func bounded(_ length: Int32) -> Double { min(max(ems(length), -16), 16) }
}
