/// Pixels in a PNG colour type: samples or palette indices, a byte each, before packing.
struct PNGPixels {
    let width: Int
    let height: Int
    /// PNG table 11.1: 0 gray, 2 RGB, 3 palette, 4 gray and alpha, 6 RGB and alpha.
    let colourType: UInt8
    /// Bits per sample: 8, or 1, 2 or 4 for a single sample per pixel.
    let depth: Int
    /// Row by row, a byte per sample with `depth` significant bits.
    let samples: [UInt8]
    /// RGBA of each index, translucent colours first; empty without a palette.
    var palette: [PackedColour] = []
    /// The colour of transparent pixels for a colour type without alpha: a sample for each channel.
    var key: [UInt8] = []

    /// Samples per pixel.
    var channels: Int {
        switch colourType {
        case 2: 3
        case 4: 2
        case 6: 4
        default: 1
        }
    }

    /// The size of PLTE and tRNS (PNG §11.2.2, §11.3.1.1), including chunk overhead.
    var paletteBytes: Int {
        (palette.isEmpty ? 0 : palette.count * 3 + 12) + (transparency.isEmpty ? 0 : transparency.count + 12)
    }

    /// The body of tRNS; empty without transparency.
    var transparency: [UInt8] {
        if !key.isEmpty { return key.flatMap { [0, $0] } }
        return palette.prefix { $0.alpha < 255 }.map { UInt8($0.alpha) }
    }
}

/// The properties of a picture that determine its possible PNG colour types.
struct PNGProperties {
    /// Nil if there are more than 256.
    private(set) var colours: ColourTable?
    private(set) var isOpaque = true
    private(set) var isGray = true
    /// The colour of all transparent pixels, with alpha 0. Nil if these pixels have different colours, if an opaque
    /// pixel has the same colour, or if a pixel is translucent.
    private(set) var key: PackedColour?

    init(_ pixels: UnsafeBufferPointer<UInt8>, channels: Int) {
        var table = ColourTable()
        var fits = true
        var canHaveKey = true
        var last: PackedColour?
        let count = pixels.count / channels
        for place in 0..<count {
            let colour = PackedColour(samples: pixels.baseAddress! + place * channels, channels: channels)
            if colour == last { continue }
            last = colour
            if fits { fits = table.insert(colour) }
            if isGray { isGray = colour.red == colour.green && colour.green == colour.blue }
            guard channels % 2 == 0, colour.alpha < 255 else { continue }
            isOpaque = false
            if colour.alpha > 0 || key != nil && key != colour { canHaveKey = false }
            key = colour
            if !fits, !canHaveKey, !isGray { break }
        }
        if let wanted = key, canHaveKey {
            let opaque = PackedColour(bits: wanted.bits | 0xFF00_0000)
            for place in 0..<count
            where PackedColour(samples: pixels.baseAddress! + place * channels, channels: channels) == opaque {
                canHaveKey = false
                break
            }
        }
        if !canHaveKey { key = nil }
        colours = fits ? table : nil
    }
}

extension PackedColour {
    fileprivate var luma: Int { red * 299 + green * 587 + blue * 114 }
    var alpha: Int { Int(bits >> 24) }

    /// Packs a pixel of 1 to 4 samples, including its straight alpha.
    @inline(__always) init(samples: UnsafePointer<UInt8>, channels: Int) {
        let isGray = channels < 3
        let alpha = channels % 2 == 0 ? samples[channels - 1] : 255
        let (green, blue) = (samples[isGray ? 0 : 1], samples[isGray ? 0 : 2])
        bits = UInt32(samples[0]) | UInt32(green) << 8 | UInt32(blue) << 16 | UInt32(alpha) << 24
    }
}

/// Returns the lossless representations of a picture that may give the smallest PNG.
///
/// - Parameters:
///   - pixels: of 1 to 4 channels.
///   - hasProfile: whether a profile is embedded, which prevents a change between gray and colour.
func pngCandidates(
    _ pixels: UnsafeBufferPointer<UInt8>, channels: Int, width: Int, height: Int, hasProfile: Bool, effort: Int
) -> [PNGPixels] {
    let properties = PNGProperties(pixels, channels: channels)
    let canBeGray = properties.isGray && (!hasProfile || channels < 3)
    let canBeColoured = !hasProfile || channels >= 3
    let hasAlpha = !properties.isOpaque && properties.key == nil
    let colourType: UInt8 = canBeGray ? (hasAlpha ? 4 : 0) : (hasAlpha ? 6 : 2)
    var plain = PNGPixels(
        width: width, height: height, colourType: colourType, depth: 8,
        samples: extracted(pixels, channels: channels, as: colourType))
    if let key = properties.key {
        plain.key = canBeGray ? [UInt8(key.red)] : [key.red, key.green, key.blue].map { UInt8($0) }
    }
    if colourType == 0, let colours = properties.colours, let reduced = plain.shallower(colours.colours) {
        plain = reduced
    }
    guard let colours = properties.colours, canBeColoured else { return [plain] }
    var orders = [colours.colours.sorted { ($0.alpha, $0.luma, $0.bits) < ($1.alpha, $1.luma, $1.bits) }]
    // Also tries the order of appearance, which gives adjacent areas similar indices.
    if effort >= 7 {
        orders.append(colours.colours.filter { $0.alpha < 255 } + colours.colours.filter { $0.alpha == 255 })
    }
    let candidates = orders.map { indexed(pixels, channels: channels, width: width, height: height, $0) }
    // A gray picture needs no palette if its samples have no more bits than the palette indices.
    if plain.colourType == 0, plain.depth <= candidates[0].depth, plain.key.isEmpty, effort < 7 { return [plain] }
    // Several samples per pixel never give a smaller file than a palette index, unless the picture is hardly larger
    // than its palette.
    if plain.channels > 1, width * height > 16_384, effort < 5 { return candidates }
    return candidates + [plain]
}

/// Extracts the samples of a colour type from each pixel.
private func extracted(_ pixels: UnsafeBufferPointer<UInt8>, channels: Int, as colourType: UInt8) -> [UInt8] {
    let places: [Int] =
        switch colourType {
        case 0: [0]
        case 4: [0, channels - 1]
        case 2: channels < 3 ? [0, 0, 0] : [0, 1, 2]
        default: channels < 3 ? [0, 0, 0, channels - 1] : [0, 1, 2, 3]
        }
    if places.count == channels { return Array(pixels) }
    let count = pixels.count / channels
    return [UInt8](unsafeUninitializedCapacity: count * places.count) { samples, initialized in
        var target = samples.baseAddress!
        for pixel in 0..<count {
            for place in places {
                target.initialize(to: pixels[pixel * channels + place])
                target += 1
            }
        }
        initialized = count * places.count
    }
}

private func indexed(
    _ pixels: UnsafeBufferPointer<UInt8>, channels: Int, width: Int, height: Int, _ palette: [PackedColour]
) -> PNGPixels {
    var table = ColourTable()
    for colour in palette { _ = table.insert(colour) }
    let count = pixels.count / channels
    let indices = [UInt8](unsafeUninitializedCapacity: count) { indices, initialized in
        var last = palette[0]
        var index: UInt8 = 0
        for pixel in 0..<count {
            let colour = PackedColour(samples: pixels.baseAddress! + pixel * channels, channels: channels)
            if colour != last {
                last = colour
                index = table.index(of: colour)!
            }
            (indices.baseAddress! + pixel).initialize(to: index)
        }
        initialized = count
    }
    let depth = palette.count <= 2 ? 1 : palette.count <= 4 ? 2 : palette.count <= 16 ? 4 : 8
    return PNGPixels(width: width, height: height, colourType: 3, depth: depth, samples: indices, palette: palette)
}

extension PNGPixels {
    /// Returns the same gray levels with fewer bits, or nil if this would change the levels.
    fileprivate func shallower(_ levels: [PackedColour]) -> PNGPixels? {
        for depth in [1, 2, 4] {
            let step = 255 / ((1 << depth) - 1)
            guard levels.allSatisfy({ $0.red % step == 0 }) else { continue }
            return PNGPixels(
                width: width, height: height, colourType: colourType, depth: depth,
                samples: samples.map { $0 / UInt8(step) }, key: key.map { $0 / UInt8(step) })
        }
        return nil
    }
}
