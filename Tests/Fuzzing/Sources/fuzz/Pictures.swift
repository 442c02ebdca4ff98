import Formats
import Libc
import Support

@testable import GIFs
@testable import Images
@testable import Previews

/// Low limits: an input takes only milliseconds, and a decompression bomb clearly exceeds the limits.
private let limits = DecodeLimits(
    maxPixels: 1 << 15, maxInputBytes: 1 << 20, maxMemoryBytes: 32 << 20, maxFrames: 16, maxAnimationPixels: 1 << 17,
    maxSeconds: 5, maxScans: 30)

/// Reads the structure, metadata and pixels of a picture. The length of the input, not its bytes, selects the options,
/// so that the input is a plain picture file.
func readPicture(_ bytes: [UInt8], as formats: ImageFormat...) {
    guard let format = ImageFormat.detected(in: bytes[...]), formats.contains(format) else { return }
    let source = MemorySource(bytes)
    _ = try? ImageInspection.inspect(source)
    let metadata = try? EmbeddedMetadata.read(source)
    guard let info = try? inspect(source, limits: limits) else { return }
    _ = embeddedThumbnail(of: source, info, limits: limits)
    let choice = bytes.count
    let options = DecodeOptions(
        limits: limits, allowsTruncated: choice & 1 == 0, quality: choice & 2 == 0 ? .fast : .full,
        spareThreads: ThreadBudget(choice & 4 == 0 ? 0 : 1))
    let small = Output(
        Geometry(width: 9, height: 7, mode: .fill, gravity: .attention), encoding: EncodeOptions(format: .jpeg),
        wantsHash: true, exif: metadata?.exif.flatMap(ExifBlock.init), xmp: metadata?.xmp.map(XMPPacket.init),
        sink: MemorySink())
    let large = Output(
        Geometry(width: 40), encoding: EncodeOptions(format: choice & 8 == 0 ? .png : .gif), gradient: .standard,
        cornerRadius: 3, keepsProfile: choice & 16 == 0, sink: MemorySink())
    // Two outputs test different code: the rows of the smaller output are made from the rows of the larger output.
    let outputs = choice & 128 == 0 ? [small] : choice & 256 == 0 ? [large] : [small, large]
    try? downsample(source, info, to: outputs, options: options, isLinear: choice & 32 == 0) { _, result in
        precondition(result.bytes > 0 && result.size.width > 0 && result.size.height > 0)
    }
    if choice & 64 == 0 { _ = try? decodeFrame(choice & 3, of: source, options: options) }
}

func acceptGIF(_ bytes: [UInt8]) {
    let source = MemorySource(bytes)
    let structure = try? GIFStructure.read(source, limits: GIFStructure.Limits.standard)
    let facts = try? GIFAcceptance.inspect(source)
    precondition((structure == nil) == (facts == nil))
    // A body accepted as a GIF must pass a later inspection.
    if facts != nil { precondition((try? ImageInspection.inspect(source)) != nil) }
    _ = BodyKind(head: bytes)
}

/// Draws previews. The first byte determines the size of the pieces in which the rest arrives.
func drawPreviews(_ bytes: [UInt8]) {
    guard let first = bytes.first, let output = try? File.open("/dev/null", O_RDWR) else { return }
    let previewLimits = PreviewLimits(maxPictureBytes: 4 << 20, maxPreviews: 12)
    let body = first == 0xFF || first == 0x89 || first == 0x47 ? bytes : Array(bytes.dropFirst())
    let pieceBytes = body.count == bytes.count ? body.count : Int(first) + 1
    var finder = ScanFinder(limits: previewLimits)
    var plan = PreviewPlan(limits: previewLimits)
    var start = 0
    while start < body.count {
        let end = min(start + max(pieceBytes, 1), body.count)
        var scans: [CompleteScan] = []
        body.withUnsafeBytes { finder.take(UnsafeRawBufferPointer(rebasing: $0[start..<end])) { scans.append($0) } }
        start = end
        for scan in scans {
            precondition(scan.number > 0 && scan.end <= end)
            guard let format = finder.format, plan.take(scan, copies: format == .jpeg) else { continue }
            let drawing = PreviewDrawing(
                file: MemorySource(Array(body[..<end])), limits: previewLimits, interruption: Interruption())
            try? drawing.draw(scan, of: format, to: output)
        }
    }
}

func readExif(_ bytes: [UInt8]) {
    guard let block = ExifBlock(bytes) else { return }
    _ = (block.copyright, block.artist, block.thumbnail)
    let size = PixelSize(width: 30, height: 20)
    let upright = block.upright(size: size)
    // All bytes except the thumbnail's keep their positions; the thumbnail may move to the end. In a damaged file,
    // overlapping directories may require different values for the same bytes, so nothing stronger can be checked.
    precondition(upright.bytes.count <= bytes.count)
    _ = upright.upright(size: size, isSRGB: false)
}

func readXMP(_ bytes: [UInt8]) {
    let packet = XMPPacket(bytes)
    _ = (packet.rights, packet.creator, packet.orientation)
    let upright = packet.upright
    precondition(upright.bytes.count == bytes.count)
    precondition(upright.upright.bytes == upright.bytes)
    precondition(packet.ofCopy(isSRGB: true).map { $0.bytes.count == bytes.count } ?? true)
}

// MARK: Seeds

/// Returns pictures of a format with all pixel types that the encoder writes, some with metadata.
func pictures(of format: OutputFormat) throws -> [[UInt8]] {
    var result: [[UInt8]] = []
    for channels in 1...4 {
        for isProgressive in [false, true] {
            let size = PixelSize(width: 33, height: 21)
            let samples = (0..<size.width * size.height * channels).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
            let picture = PixelBuffer(size: size, channels: channels, bytes: samples)
            var options = EncodeOptions(format: format, isProgressive: isProgressive)
            if isProgressive { options.metadata.exif = exifSeeds.first }
            result.append(try encode(picture, options))
            guard channels >= 3, format.holdsAnimations, !isProgressive else { continue }
            let other = PixelBuffer(size: size, channels: channels, bytes: samples.reversed())
            result.append(try encodeAnimation([picture, other, picture], delay: 50, plays: 3, options))
        }
    }
    return result
}

/// A gray picture of 4x4 pixels in a single strip, with the required tags.
let tiffSeeds: [[UInt8]] = [
    Array("II*\0".utf8) + [8, 0, 0, 0, 8, 0]
        + [(0x100, 4), (0x101, 4), (0x102, 8), (0x103, 1), (0x106, 1), (0x111, 110), (0x116, 4), (0x117, 16)]
        .flatMap { tag, value -> [UInt8] in
            [UInt8(tag & 255), UInt8(tag >> 8), 3, 0, 1, 0, 0, 0, UInt8(value), 0, 0, 0]
        } + [0, 0, 0, 0] + (0..<16).map { UInt8($0 * 16) }
]

let exifSeeds: [[UInt8]] = [
    ExifBlock.rights(copyright: "(c) A", artist: "B")?.bytes ?? [],
    // A directory with an orientation, and a second directory that claims a thumbnail.
    Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 26, 0, 0, 0]
        + [2, 0, 1, 2, 4, 0, 1, 0, 0, 0, 56, 0, 0, 0, 2, 2, 4, 0, 1, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]
        + [0xFF, 0xD8, 0xFF, 0xD9],
    Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 8, 0, 0, 0, 0, 0, 0],
]
