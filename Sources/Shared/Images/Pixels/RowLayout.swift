/// The meaning of the samples of a pixel.
enum RowLayout: Sendable, Hashable {
    case gray, grayAlpha, rgb, rgba
    /// Four inks, 255 for none.
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

    /// The channels after conversion to sRGB.
    var outputChannels: Int { self == .cmyk ? 3 : channels }
}
