import CKernels

/// What is done to each resampled row as it is stored: alpha divided out again, the profile's colours turned into sRGB,
/// inks into light.
final class RowFinish {
    /// Samples of a pixel of the finished row.
    let channels: Int
    private let layout: RowLayout
    private let isPremultiplied: Bool
    private let transform: ColourTransform?
    private let width: Int
    private let scratch: AlignedBuffer

    /// - Parameter transform: from the picture's profile to sRGB; nil if nothing needs to be done.
    init(_ layout: RowLayout, transform: ColourTransform?, isPremultiplied: Bool, width: Int) {
        self.layout = layout
        self.isPremultiplied = isPremultiplied && layout.hasAlpha
        self.transform = transform
        self.width = width
        channels = layout.outputChannels
        scratch = AlignedBuffer(count: layout == .cmyk ? width * 3 : 0)
    }

    /// Finishes `row` in place or into a buffer of its own; the result is valid until the next call.
    /// Throws what `options.check` does.
    func apply(
        _ row: UnsafeMutablePointer<UInt8>, checking options: DecodeOptions
    ) throws -> UnsafeMutablePointer<UInt8> {
        if isPremultiplied { apod_unpremultiply(row, layout.channels, width) }
        let finished = layout == .cmyk ? scratch.bytes : row
        if let transform {
            try transform.apply(row, finished, count: width, checking: options)
        } else if layout == .cmyk {
            apod_cmyk_to_rgb(row, finished, width)
        }
        return finished
    }
}
