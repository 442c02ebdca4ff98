import CKernels

/// What is done to each resampled row before it is written: alpha divided out again, the profile's colours turned into
/// sRGB, inks into light, and transparent pixels laid on a background where the output has no alpha.
final class RowFinish {
    /// Samples of a pixel of the finished row.
    let channels: Int
    private let layout: RowLayout
    private let isPremultiplied: Bool
    private let transform: ColourTransform?
    private let background: [UInt8]?
    private let width: Int
    private let scratch: AlignedBuffer

    /// - Parameters:
    ///   - transform: from the picture's profile to sRGB; nil where nothing needs to be done.
    ///   - background: what transparent pixels are laid on; nil keeps alpha.
    init(
        _ layout: RowLayout, transform: ColourTransform?, isPremultiplied: Bool, background: RGB?, width: Int
    ) {
        self.layout = layout
        self.isPremultiplied = isPremultiplied && layout.hasAlpha
        self.width = width
        self.transform = transform
        if let background, layout.hasAlpha {
            let colour = layout == .rgba ? [background.red, background.green, background.blue] : [background.luma]
            self.background = colour
            channels = layout.channels - 1
        } else {
            self.background = nil
            channels = layout.outputChannels
        }
        scratch = AlignedBuffer(count: width * 4)
    }

    /// Finishes `row` in place or into a buffer of its own; the result is valid until the next call.
    func apply(_ row: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        if isPremultiplied { apod_unpremultiply(row, layout.channels, width) }
        if layout == .cmyk {
            if let transform {
                transform.apply(row, scratch.bytes, count: width)
            } else {
                apod_cmyk_to_rgb(row, scratch.bytes, width)
            }
            return scratch.bytes
        }
        transform?.apply(row, row, count: width)
        guard let background else { return row }
        apod_flatten(row, layout.channels, background, scratch.bytes, width)
        return scratch.bytes
    }
}
