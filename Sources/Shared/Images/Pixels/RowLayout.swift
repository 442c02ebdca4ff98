/// The meaning of the samples of a pixel.
enum RowLayout: Sendable, Hashable {
    case gray, grayAlpha, rgb, rgba
    /// Cyan, magenta, yellow and black; 255 is no ink.
    case cmyk

    init(channels: Int) {
        switch channels {
        case 1: self = .gray
        case 2: self = .grayAlpha
        case 3: self = .rgb
        default: self = .rgba
        }
    }

    var channels: Int {
        switch self {
        case .gray: 1
        case .grayAlpha: 2
        case .rgb: 3
        case .rgba, .cmyk: 4
        }
    }

    var hasAlpha: Bool { self == .grayAlpha || self == .rgba }

    /// The number of channels after conversion to sRGB.
    var outputChannels: Int { self == .cmyk ? 3 : channels }
}

/// Divides premultiplied colours by their alpha, in pixels of 2 or 4 samples with alpha last.
func unpremultiply<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: UnsafeMutablePointer<Sample>, count: Int, channels: Int
) {
    let most = UInt64(Sample.max)
    for x in 0..<count {
        let pixel = row + x * channels
        let alpha = UInt64(pixel[channels - 1])
        guard alpha > 0, alpha < most else { continue }
        for channel in 0..<channels - 1 {
            pixel[channel] = Sample(min((UInt64(pixel[channel]) * most + alpha / 2) / alpha, most))
        }
    }
}
