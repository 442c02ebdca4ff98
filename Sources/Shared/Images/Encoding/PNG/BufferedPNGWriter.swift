import CDeflate
import Formats

extension UninterruptibleCost {
    /// The cost of filtering a PNG and compressing it with libdeflate. Noise with alpha takes 1 s for 10 megapixels.
    /// From level 10 on, libdeflate searches for the shortest parse, and noise takes 1 s for 1.5 megapixels.
    static func compressingPNG(_ size: PixelSize, level: Int32) -> UninterruptibleCost {
        UninterruptibleCost(size, pixelsPerSecond: level < 10 ? 3e6 : 0.5e6)
    }
}

/// Encodes rows of 1 to 4 channels as a PNG that is as small as the effort permits: drops unneeded alpha, colour and
/// bits, tries a palette, chooses a filter for each row, and compresses with libdeflate. Collects the rows first.
final class BufferedPNGWriter: RowWriter {
    private let size: PixelSize
    private let channels: Int
    private let options: EncodeOptions
    private let kept: PassthroughPNG?
    private let drain: EncoderOutput
    private var pixels: [UInt8] = []

    /// - Parameter kept: image data with the same pixels, which is copied unless the new encoding is smaller.
    init(size: PixelSize, channels: Int, options: EncodeOptions, kept: PassthroughPNG? = nil, into drain: EncoderOutput)
    {
        self.kept = kept
        self.size = size
        self.channels = channels
        self.options = options
        self.drain = drain
        pixels.reserveCapacity(size.width * size.height * channels)
    }

    func write(_ row: UnsafePointer<UInt8>) {
        pixels.append(contentsOf: UnsafeBufferPointer(start: row, count: size.width * channels))
    }

    func finish() throws {
        let profile = options.metadata.profile(isGray: channels < 3)
        let candidates = pixels.withUnsafeBufferPointer {
            pngCandidates(
                $0, channels: channels, width: size.width, height: size.height, hasProfile: profile != nil,
                effort: options.effort)
        }
        pixels = []
        let (held, data) = try smallest(candidates)
        if let kept, kept.byteCount <= data.count + 12 + held.paletteBytes {
            return try kept.write(options.metadata, isGray: channels < 3, into: drain)
        }
        let file = PNGFile(drain)
        try file.begin(size, depth: held.depth, colourType: held.colourType, isInterlaced: options.isProgressive)
        try file.write(options.metadata, isGray: channels < 3)
        if !held.palette.isEmpty {
            try file.write("PLTE", held.palette.flatMap { [UInt8($0.red), UInt8($0.green), UInt8($0.blue)] })
        }
        if !held.transparency.isEmpty { try file.write("tRNS", held.transparency) }
        try file.write("IDAT", data)
        try file.write("IEND", [])
    }

    private func smallest(_ candidates: [PNGPixels]) throws -> (PNGPixels, [UInt8]) {
        let plan = PNGEffort(options.effort)
        var best: (place: Int, filtered: [UInt8], data: [UInt8], count: Int)?
        for (place, candidate) in candidates.enumerated() {
            let rows = PackedRows(candidate, isInterlaced: options.isProgressive)
            for strategy in plan.strategies(candidate) {
                try drain.checkpoint(.compressingPNG(size, level: plan.trialLevel))
                let filtered = rows.filtered(strategy)
                let data = try Deflate.zlib(filtered, level: plan.trialLevel)
                let count = data.count + candidate.paletteBytes
                if count < best?.count ?? .max { best = (place, filtered, data, count) }
            }
        }
        let found = best!
        try drain.checkpoint(.compressingPNG(size, level: plan.level))
        let data = plan.level == plan.trialLevel ? found.data : try Deflate.zlib(found.filtered, level: plan.level)
        return (candidates[found.place], data.count <= found.data.count ? data : found.data)
    }
}

/// The filter strategies and compression levels to try, for an effort of 1 to 9.
private struct PNGEffort {
    /// libdeflate's levels, 1 to 12, for the trials and for the final compression of the best trial.
    let trialLevel: Int32
    let level: Int32
    private let effort: Int

    init(_ effort: Int) {
        self.effort = effort
        (trialLevel, level) =
            switch effort {
            case ...2: (6, 6)
            case 3...4: (6, 8)
            case 5...6: (7, 9)
            case 7...8: (8, 11)
            default: (9, 12)
            }
    }

    /// Returns the filter strategies to try. Palette indices are usually best left unfiltered, because differences of
    /// indices have no meaning. An effort of 5 or more also tries filters for palette indices.
    func strategies(_ pixels: PNGPixels) -> [PackedRows.Strategy] {
        let isPlain = pixels.colourType == 3 || pixels.depth < 8
        return switch effort {
        case ...2: isPlain ? [.fixed(0)] : [.sum]
        case 3...4: isPlain ? [.fixed(0)] : [.fixed(0), .sum]
        case 5...6: [.fixed(0), .sum, .entropy, .pairs]
        default: [.fixed(0), .fixed(1), .fixed(2), .fixed(4), .sum, .entropy, .pairs]
        }
    }
}

/// Compresses with libdeflate, which is faster than zlib and compresses better.
enum Deflate {
    /// Returns a zlib stream (RFC 1950), compressed at a level of 1 to 12. Throws `ImageError.outOfMemory`.
    static func zlib(_ bytes: [UInt8], level: Int32) throws -> [UInt8] {
        guard let compressor = libdeflate_alloc_compressor(level) else { throw ImageError.outOfMemory }
        defer { libdeflate_free_compressor(compressor) }
        let bound = libdeflate_zlib_compress_bound(compressor, bytes.count)
        return [UInt8](unsafeUninitializedCapacity: bound) { room, count in
            count = libdeflate_zlib_compress(compressor, bytes, bytes.count, room.baseAddress!, bound)
        }
    }
}
