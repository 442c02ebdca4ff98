import CJXL
import Formats
import Support

extension ImageDecoder {
    static let jpegXL = ImageDecoder(
        formats: [.jpegXL],
        library: { libjxl },
        rows: { source, info, keepsProfile, options in
            try JPEGXLReader(source, size: info.storedSize, options: options, keepsProfile: keepsProfile)
        })
}

/// The name and version of libjxl; nil if it is not installed.
private var libjxl: String? {
    let version = cjxl_version()
    return version == 0 ? nil : "libjxl \(version / 1_000_000).\(version / 1000 % 1000).\(version % 1000)"
}

extension UninterruptibleCost {
    /// The cost of decoding a JPEG XL up to and including the first visible frame. For noise, libjxl 0.7.0 takes 1 s
    /// for 16 megapixels coded in blocks, or for 24 million samples of modular pictures and extra channels
    /// (2026-11-25).
    static func decodingJPEGXL(_ picture: JPEGXLPicture) -> UninterruptibleCost {
        let frames = picture.frames.map { frame in
            let channels = (frame.isModular ? 3 : 1) + picture.extraChannels
            return UninterruptibleCost(frame.size, pixelsPerSecond: 6e6 / Double(channels))
        }
        return UninterruptibleCost(seconds: frames.reduce(0) { $0 + $1.seconds })
    }
}

/// Reads the rows of a JPEG XL, or of the first frame of an animation, in the stored orientation. libjxl first decodes
/// the whole picture, which needs memory for all pixels. The file is read in pieces if its sections are in order.
final class JPEGXLReader: RowReader {
    let size: PixelSize
    private(set) var layout = RowLayout.rgb
    private(set) var sampleBytes = 1
    private(set) var profile: [UInt8]?
    private(set) var transform: ColourTransform?
    private let keepsProfile: Bool
    private var isWide = false
    private let decoder: OpaquePointer
    private var memory: MemoryReservation?
    private var pixels = AlignedBuffer(count: 1)
    private var isPremultiplied = false
    private var y = 0

    /// The initial size of the pieces that libjxl reads. Decoding can be stopped between two pieces.
    private let pieceBytes: Int

    /// - Parameters:
    ///   - size: the stored size.
    ///   - keepsProfile: whether rows stay in the embedded profile, instead of being converted to sRGB.
    init(
        _ source: any ByteSource, size: PixelSize, options: DecodeOptions, keepsProfile: Bool = false,
        pieceBytes: Int = 64 << 10
    ) throws {
        if let fault = cjxl_load() { throw ImageError.decoderMissing(.jpegXL, String(cString: fault)) }
        let options = options.begun()
        self.size = size
        self.pieceBytes = pieceBytes
        self.keepsProfile = keepsProfile
        try options.limits.check(pixels: size)
        let codestream = try JPEGXLCodestream(of: source)
        let picture = try JPEGXLPicture(codestream)
        try options.check(before: .decodingJPEGXL(picture))
        guard let decoder = cjxl_open() else { throw ImageError.outOfMemory }
        self.decoder = decoder
        try decode(codestream, picture, options)
    }

    deinit { cjxl_close(decoder) }

    private func decode(_ source: JPEGXLCodestream, _ picture: JPEGXLPicture, _ options: DecodeOptions) throws {
        var piece: [UInt8] = []
        var offset = 0
        // If the sections are out of order, libjxl 0.7 decodes the codestream only as a whole. Later versions of
        // libjxl write the sections of large pictures out of order.
        let isWhole = !picture.isInOrder
        let input = try isWhole ? options.reserve(memory: source.count) : nil
        defer { withExtendedLifetime(input) {} }
        var count = isWhole ? source.count : pieceBytes
        while true {
            try options.check()
            piece = try source.bytes(offset..<offset + count)
            if piece.isEmpty { throw ImageError.truncated(.jpegXL) }
            // libjxl uses this pointer until it needs more input.
            let used: Int? = try piece.withUnsafeBufferPointer { piece in
                var used = 0
                var event = cjxl_next(decoder, piece.baseAddress, piece.count, &used)
                while event != CJXL_NEEDS_INPUT {
                    if event == CJXL_DONE { return nil }
                    try take(event, picture, options)
                    try options.check()
                    event = cjxl_next(decoder, nil, 0, &used)
                }
                return used
            }
            guard let used else { return }
            // libjxl needs a larger piece.
            if used == 0 {
                guard piece.count == count else { throw ImageError.truncated(.jpegXL) }
                count *= 2
            }
            offset += used
        }
    }

    private func take(_ event: cjxl_event, _ picture: JPEGXLPicture, _ options: DecodeOptions) throws {
        switch event {
        case CJXL_HEADER:
            var header = cjxl_header()
            cjxl_get_header(decoder, &header)
            guard header.width == size.width, header.height == size.height else {
                throw ImageError.corrupt(.jpegXL, "the header and the decoder disagree on the size")
            }
            guard (1...4).contains(header.channels) else {
                throw ImageError.unsupported(.jpegXL, "\(header.channels) channels")
            }
            layout = RowLayout(channels: Int(header.channels))
            isWide = header.bits > 8
            isPremultiplied = header.is_premultiplied != 0 && layout.hasAlpha
        case CJXL_PROFILE:
            takeProfile()
            // Reserves the memory now, because libjxl decodes frames only after this event.
            let bytes = JPEGXLMemory.bytes(picture, channels: layout.channels, sampleBytes: sampleBytes)
            memory = try options.reserve(memory: bytes)
        case CJXL_NEEDS_PIXELS where memory != nil:
            pixels = AlignedBuffer(count: size.width * size.height * layout.channels * sampleBytes)
            let isSet = cjxl_set_pixels(
                decoder, UInt32(layout.channels), sampleBytes == 2 ? 1 : 0, pixels.bytes, pixels.count)
            guard isSet != 0 else { fallthrough }
        default: throw ImageError.corrupt(.jpegXL, "\(libjxl ?? "libjxl") cannot decode the picture")
        }
    }

    private func takeProfile() {
        let count = cjxl_profile_bytes(decoder)
        guard count > 0, count <= ColourTransform.profileByteLimit else { return }
        var bytes = [UInt8](repeating: 0, count: count)
        guard cjxl_get_profile(decoder, &bytes, count) != 0 else { return }
        if keepsProfile {
            profile = bytes
        } else {
            transform = ColourTransform(profile: bytes, layout: layout, sampleBytes: isWide ? 2 : 1)
            sampleBytes = isWide && transform != nil ? 2 : 1
        }
    }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
        let count = size.width * layout.channels
        row.update(from: pixels.bytes + y * count * sampleBytes, count: count * sampleBytes)
        y += 1
        guard isPremultiplied else { return }
        if sampleBytes == 2 {
            row.withMemoryRebound(to: UInt16.self, capacity: count) {
                unpremultiply($0, count: size.width, channels: layout.channels)
            }
        } else {
            unpremultiply(row, count: size.width, channels: layout.channels)
        }
    }

    func finish() {}
}
