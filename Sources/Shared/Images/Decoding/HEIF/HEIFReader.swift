import CHEIF
import Formats
import Support

extension ImageDecoder {
    static let heif = ImageDecoder(
        formats: [.avif, .heic], library: { cheif_version().map { "libheif \(String(cString: $0))" } },
        rows: { source, info, keepsProfile, options in
            if let fault = cheif_load() { throw ImageError.decoderMissing(info.format, String(cString: fault)) }
            let options = options.begun()
            let picture = try HEIFPicture(source, info.format)
            switch picture.content {
            case .tiles(let colours, let alpha):
                return try HEIFReader(
                    picture, colours, alpha, of: source, info.format, options: options, keepsProfile: keepsProfile)
            case .layers(let layers, let canvas, let background):
                return try HEIFLayerReader(
                    picture, layers, canvas: canvas, background: background, of: source, info.format, options: options)
            }
        })
}

extension UninterruptibleCost {
    /// The cost of decoding an AVIF or HEIC. Noise takes 1 s for about 8 megapixels.
    static func decodingHEIF(_ size: PixelSize) -> UninterruptibleCost {
        UninterruptibleCost(size, pixelsPerSecond: 3e6)
    }
}

/// Reads the rows of a coded picture, which may consist of tiles.
final class HEIFReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    let sampleBytes: Int
    let profile: [UInt8]?
    let transform: ColourTransform?
    private let placement: HEIFPlacement
    private let colours: CodedTiles
    private let alpha: CodedTiles?
    private let memory: MemoryReservation
    private let isPremultiplied: Bool
    /// A row of alpha; nil unless alpha and colours differ in size.
    private let otherAlpha: AlignedBuffer?
    private var y = 0

    /// - Parameter keepsProfile: whether rows stay in the embedded profile, instead of being converted to sRGB.
    init(
        _ picture: HEIFPicture, _ colours: HEIFPicture.Tiling, _ alpha: HEIFPicture.Tiling?, of source: any ByteSource,
        _ format: ImageFormat, options: DecodeOptions, keepsProfile: Bool = false
    ) throws {
        for tiling in [colours, alpha].compactMap({ $0 }) {
            try options.limits.check(pixels: tiling.size)
            try options.limits.check(pixels: tiling.tileSize)
            try options.check(before: .decodingHEIF(tiling.tileSize))
        }
        memory = try options.reserve(memory: HEIFMemory.bytes(colours: colours, alpha: alpha))
        size = picture.size
        placement = picture.placement
        layout = alpha == nil ? .rgb : .rgba
        isPremultiplied = picture.isPremultiplied
        let wanted = (colours.tiles + (alpha?.tiles ?? [])).contains(where: \.isWide) ? 2 : 1
        let embedded = try picture.profile.flatMap {
            $0.count <= ColourTransform.profileByteLimit ? try source.bytes($0) : nil
        }
        profile = keepsProfile ? embedded : nil
        if keepsProfile && embedded != nil {
            transform = nil
        } else if let embedded {
            transform = ColourTransform(profile: embedded, layout: layout, sampleBytes: wanted)
        } else {
            let layout = layout
            transform = Self.signal(picture).flatMap {
                ColourTransform(signal: $0, layout: layout, sampleBytes: wanted)
            }
        }
        sampleBytes = transform == nil ? 1 : wanted
        self.colours = CodedTiles(colours, of: source, format, isAlpha: false, options)
        self.alpha = alpha.map { CodedTiles($0, of: source, format, isAlpha: true, options) }
        otherAlpha = alpha.flatMap { $0.size == colours.size ? nil : AlignedBuffer(count: $0.size.width * 2) }
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) throws {
        if sampleBytes == 2 {
            try row.withMemoryRebound(to: UInt16.self, capacity: size.width * layout.channels) { try read(into: $0) }
        } else {
            try read(into: row)
        }
        y += 1
    }

    func finish() {}

    private func read<Sample: FixedWidthInteger & UnsignedInteger>(into row: UnsafeMutablePointer<Sample>) throws {
        let channels = layout.channels
        let columns = placement.x..<placement.x + size.width
        try colours.read(row: placement.y + y, columns, into: row, channels: channels)
        guard let alpha else { return }
        if let otherAlpha {
            let (all, whole) = (alpha.tiling.size, colours.tiling.size)
            let levels = UnsafeMutableRawPointer(otherAlpha.bytes).assumingMemoryBound(to: Sample.self)
            try alpha.read(
                row: (placement.y + y) * all.height / whole.height, 0..<all.width, into: levels, channels: 1)
            for (x, column) in columns.enumerated() { row[x * 4 + 3] = levels[column * all.width / whole.width] }
        } else {
            try alpha.read(row: placement.y + y, columns, into: row, channels: channels)
        }
        if isPremultiplied { unpremultiply(row, count: size.width, channels: channels) }
    }

    /// Returns the colours that a file without a profile signals, or nil for sRGB. Cameras and encoders signal a
    /// television curve for sRGB pictures, so these curves are read as sRGB, as in viewers.
    private static func signal(_ picture: HEIFPicture) -> ColourSignal? {
        let transfer = [1, 2, 6, 14, 15].contains(picture.transfer) ? 13 : picture.transfer
        return ColourSignal(
            primaries: picture.primaries == 2 ? 1 : UInt8(clamping: picture.primaries),
            transfer: UInt8(clamping: transfer), matrix: 0, fullRange: 1, peak: nil)
    }
}
