import CTIFF
import Support

/// Converts TIFF samples to rows of 8-bit or 16-bit samples: gray, RGB, or CMYK in which 255 or 65,535 is no ink. Alpha
/// is straight.
struct TIFFSamples {
    /// The layout of a row. CMYK with alpha also has the layout `.cmyk`.
    let layout: RowLayout
    let hasAlpha: Bool
    /// The number of samples per pixel that are used. Further samples are ignored.
    let used: Int
    private let bits: Int
    /// Interleaved samples per pixel.
    private let step: Int
    private let isSeparate: Bool
    /// Whether larger values are darker: 0 is white or no ink.
    private let isInverted: Bool
    /// Whether colours are multiplied by their alpha.
    private let isPremultiplied: Bool
    /// R, G and B of each index; empty without a palette.
    private var palette: [UInt8] = []

    /// Throws `ImageError.unsupported` for other kinds of samples.
    ///
    /// - Parameter hasAlpha: whether the first sample after the colours is alpha.
    init(_ page: ctiff_page, hasAlpha: Bool) throws {
        func unsupported(_ what: String) -> ImageError { .unsupported(.tiff, what) }
        guard page.sample_format == 1 || page.sample_format == 4 else {
            throw unsupported("samples other than unsigned integers")
        }
        guard [1, 2, 4, 8, 16].contains(page.bits) else { throw unsupported("\(page.bits) bits per sample") }
        let colours: Int
        switch page.photometric {
        case 0, 1: colours = 1
        case 2: colours = 3
        case 3:
            guard page.bits <= 8, let red = page.red, let green = page.green, let blue = page.blue else {
                throw unsupported("a palette of \(page.bits) bits")
            }
            palette = Self.palette(red, green, blue, count: 1 << Int(page.bits))
            colours = 1
        case 5:
            guard page.ink_set == 1 else { throw unsupported("inks other than cyan, magenta, yellow and black") }
            colours = 4
        default: throw unsupported("photometric interpretation \(page.photometric)")
        }
        let samples = Int(page.samples)
        guard samples >= colours, samples <= 64 else { throw unsupported("\(counted(samples, "sample")) per pixel") }
        let hasAlpha = hasAlpha && samples > colours
        self.hasAlpha = hasAlpha
        used = colours + (hasAlpha ? 1 : 0)
        layout = colours == 4 ? .cmyk : RowLayout(channels: (palette.isEmpty ? colours : 3) + (hasAlpha ? 1 : 0))
        bits = Int(page.bits)
        isSeparate = page.is_separate != 0
        step = isSeparate ? 1 : samples
        isInverted = page.photometric == 0 || page.photometric == 5
        isPremultiplied = hasAlpha && page.extra == 1
    }

    /// Whether samples have 16 bits.
    var isWide: Bool { bits == 16 }

    /// Unpacks `count` pixels into samples of 8 or 16 bits.
    ///
    /// - Parameter planes: a single plane of interleaved samples, or a plane per sample.
    func unpack<Sample: FixedWidthInteger & UnsignedInteger>(
        _ planes: [UnsafePointer<UInt8>], count: Int, into row: UnsafeMutablePointer<Sample>
    ) {
        if palette.isEmpty {
            for sample in 0..<used { spread(sample, of: planes, count, to: sample, of: used, row) }
        } else {
            let channels = layout.channels
            for x in 0..<count {
                let colour = Int(number(planes[0], x * step)) * 3
                for channel in 0..<3 { row[x * channels + channel] = Sample(palette[colour + channel]) }
            }
            if hasAlpha { spread(1, of: planes, count, to: 3, of: channels, row) }
        }
        let channels = palette.isEmpty ? used : layout.channels
        if isPremultiplied { unpremultiply(row, count: count, channels: channels) }
        guard isInverted else { return }
        for x in 0..<count {
            for colour in 0..<channels - (hasAlpha ? 1 : 0) { row[x * channels + colour] ^= .max }
        }
    }

    /// Scales a sample of each pixel to the full range, and writes it into a channel of the row.
    private func spread<Sample: FixedWidthInteger & UnsignedInteger>(
        _ sample: Int, of planes: [UnsafePointer<UInt8>], _ count: Int, to channel: Int, of channels: Int,
        _ row: UnsafeMutablePointer<Sample>
    ) {
        // Exact, because 255 is a multiple of the maximum of 1, 2 and 4 bits, and 65,535 is a multiple of 255.
        let scale: UInt32 = bits < 8 ? 255 / (1 << UInt32(bits) - 1) : 1
        let divisor: UInt32 = isWide && Sample.bitWidth == 8 ? 257 : 1
        let (plane, first) = isSeparate ? (planes[sample], 0) : (planes[0], sample)
        for x in 0..<count {
            let value = number(plane, x * step + first) * scale
            row[x * channels + channel] = Sample(truncatingIfNeeded: (value + divisor / 2) / divisor)
        }
    }

    /// Returns sample `index` of a row. Samples of fewer than 8 bits are packed into bytes, the first sample in the
    /// highest bits. Samples of 16 bits are in native byte order.
    private func number(_ plane: UnsafePointer<UInt8>, _ index: Int) -> UInt32 {
        switch bits {
        case 8: return UInt32(plane[index])
        case 16: return UInt32(UnsafeRawPointer(plane).load(fromByteOffset: index * 2, as: UInt16.self))
        default:
            let bit = index * bits
            return UInt32(plane[bit / 8]) >> UInt32(8 - bits - bit % 8) & (1 << UInt32(bits) - 1)
        }
    }

    /// Converts a palette of 16-bit values to 8 bits. If no value exceeds 255, the writer has stored 8-bit values.
    private static func palette(
        _ red: UnsafePointer<UInt16>, _ green: UnsafePointer<UInt16>, _ blue: UnsafePointer<UInt16>, count: Int
    ) -> [UInt8] {
        let all = (0..<count).flatMap { [red[$0], green[$0], blue[$0]] }
        let isNarrow = all.allSatisfy { $0 < 256 }
        return all.map { isNarrow ? UInt8($0) : UInt8($0 >> 8) }
    }
}
