import CHEIF
import Formats
import Support

/// The rows of an AVIF's or HEIC's primary picture, cropped and turned as it says. libheif decodes it as a whole, so
/// that it takes memory for all of its pixels and its bytes, and cannot be stopped while it does.
final class HEIFReader: RowReader {
    let size: PixelSize
    let layout: RowLayout
    let sampleBytes: Int
    let profile: [UInt8]?
    let transform: ColourTransform?
    private let picture: OpaquePointer
    /// What libheif reads from: it keeps the address.
    private let file: AlignedBuffer
    private let memory: MemoryReservation
    private let bits: Int
    private let isPremultiplied: Bool
    private var y = 0

    /// Memory for each pixel: what is given out, up to 8 bytes, the decoder's planes, and those of pictures that it
    /// refers to.
    private static let bytesPerPixel = 24

    /// - Parameter keepsProfile: whether colours of a profile stay as they are.
    init(
        _ source: any ByteSource, _ info: ImageHeader, options: DecodeOptions, keepsProfile: Bool = false
    ) throws {
        let format = info.format
        if let fault = cheif_load() { throw ImageError.decoderMissing(format, String(cString: fault)) }
        let options = options.begun()
        size = info.storedSize
        try options.limits.check(pixels: size)
        try options.check(before: .decodingHEIF(size))
        let (needed, overflow) = try options.limits.check(memory: size, bytesPerPixel: Self.bytesPerPixel)
            .addingReportingOverflow(source.count)
        memory = try options.reserve(memory: overflow ? .max : needed)
        file = AlignedBuffer(count: source.count)
        var done = 0
        while done < source.count {
            try options.check()
            let room = UnsafeMutableRawBufferPointer(
                start: file.bytes + done, count: min(1 << 20, source.count - done))
            let got = try source.read(into: room, at: done)
            guard got > 0 else { throw ImageError.truncated(format) }
            done += got
        }
        var header = cheif_header()
        var status = CHEIF_OK
        guard let picture = cheif_open(file.bytes, done, &header, &status) else { throw ImageError.outOfMemory }
        self.picture = picture
        layout = header.has_alpha != 0 ? .rgba : .rgb
        bits = max(Int(header.bits), 8)
        let (layout, wanted) = (layout, bits > 8 ? 2 : 1)
        let embedded = header.profile.map { Array(UnsafeBufferPointer(start: $0, count: header.profile_bytes)) }
        profile = keepsProfile ? embedded : nil
        if keepsProfile && embedded != nil {
            transform = nil
        } else if let embedded {
            transform = ColourTransform(profile: embedded, layout: layout, sampleBytes: wanted)
        } else {
            transform = Self.signal(header).flatMap {
                ColourTransform(signal: $0, layout: layout, sampleBytes: wanted)
            }
        }
        sampleBytes = transform == nil ? 1 : wanted
        isPremultiplied = header.is_premultiplied != 0
        try check(status, format)
        guard header.width == size.width, header.height == size.height, bits <= 16 else {
            throw ImageError.corrupt(format, "two sizes")
        }
        try check(cheif_decode(picture), format)
        // What took too long is not used.
        try options.check()
    }

    deinit { cheif_close(picture) }

    func readRow(into row: UnsafeMutablePointer<UInt8>) {
        let count = size.width * layout.channels
        let stored = cheif_row(picture, UInt32(y))
        if bits == 8 {
            row.update(from: stored, count: count)
        } else {
            // Two bytes each, the lowest first.
            if sampleBytes == 2 {
                row.withMemoryRebound(to: UInt16.self, capacity: count) { widen(stored, count, into: $0) }
            } else {
                widen(stored, count, into: row)
            }
        }
        if sampleBytes == 1 { unpremultiplyIfNeeded(row) }
        y += 1
    }

    /// Brings samples of two bytes to all the levels that theirs have.
    private func widen<Sample: FixedWidthInteger & UnsignedInteger>(
        _ stored: UnsafePointer<UInt8>, _ count: Int, into row: UnsafeMutablePointer<Sample>
    ) {
        let most = UInt32(1 << bits - 1)
        let levels = UInt32(Sample.max)
        for index in 0..<count {
            let value = min(UInt32(stored[index * 2]) | UInt32(stored[index * 2 + 1]) << 8, most)
            row[index] = Sample((value * levels + most / 2) / most)
        }
        if sampleBytes == 2 { unpremultiplyIfNeeded(row) }
    }

    private func unpremultiplyIfNeeded<Sample: FixedWidthInteger & UnsignedInteger>(
        _ row: UnsafeMutablePointer<Sample>
    ) {
        if isPremultiplied && layout == .rgba { unpremultiply(row, count: size.width, channels: 4) }
    }

    /// What the file says of its colours without a profile; nil for sRGB. Television's curve is what cameras and
    /// encoders write for sRGB, and viewers take it for that.
    private static func signal(_ header: cheif_header) -> ColourSignal? {
        let transfer = [1, 2, 6, 14, 15].contains(header.transfer) ? 13 : header.transfer
        return ColourSignal(
            primaries: header.primaries == 2 ? 1 : UInt8(clamping: header.primaries),
            transfer: UInt8(clamping: transfer), matrix: 0, fullRange: 1, peak: nil)
    }

    func finish() {}

    private func check(_ status: cheif_status, _ format: ImageFormat) throws {
        switch status {
        case CHEIF_OK: break
        case CHEIF_NO_MEMORY: throw ImageError.outOfMemory
        case CHEIF_UNSUPPORTED: throw ImageError.unsupported(format, String(cString: cheif_message(picture)))
        default: throw ImageError.corrupt(format, String(cString: cheif_message(picture)))
        }
    }
}
