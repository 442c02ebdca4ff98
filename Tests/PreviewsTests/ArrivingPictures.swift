import Formats
import Images
import Libc
import Support
import TestSupport

@testable import Previews

/// Returns the scans found in a picture that arrives in pieces of `pieces` bytes.
func scans(in bytes: [UInt8], pieces: Int = .max, limits: PreviewLimits = .standard) -> [CompleteScan] {
    var finder = ScanFinder(limits: limits)
    var scans: [CompleteScan] = []
    bytes.withUnsafeBytes { bytes in
        var start = 0
        while start < bytes.count {
            let end = start + min(pieces, bytes.count - start)
            finder.take(UnsafeRawBufferPointer(rebasing: bytes[start..<end])) { scans.append($0) }
            start = end
        }
    }
    return scans
}

/// Returns the preview of a scan, made from the bytes up to the end of the scan and a few more bytes.
func preview(of scan: CompleteScan, in bytes: [UInt8], limits: PreviewLimits = .standard) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let path = folder.path + "/preview"
    let format = try ImageHeader.read(MemorySource(bytes)).format
    let output = try File.open(path, O_RDWR | O_CREAT)
    // The decoder may need some bytes beyond `CompleteScan.end` of a PNG before it has the last pixels of the pass.
    let slack = format == .png ? 8 : 1
    let drawing = PreviewDrawing(
        file: MemorySource(Array(bytes.prefix(scan.end + slack))), limits: limits, interruption: Interruption())
    try drawing.draw(scan, of: format, to: output)
    return try TestFile.bytes(path)
}

/// Returns a GIF with equal, interlaced frames.
func interlacedGIF(
    _ width: Int, _ height: Int, screen: (width: Int, height: Int)? = nil, at place: (x: Int, y: Int) = (0, 0),
    colours: Int = 256, frames: Int = 1, transparent: UInt8? = nil
) -> [UInt8] {
    var random = SeededRandom(seed: UInt64(width * 1000 + height))
    let palette = (0..<colours).map { _ in random.bytes(3) }
    var frame = DrawnAnimation.Frame(
        width: width, height: height, pixels: (0..<width * height).map { UInt8($0 * $0 / 7 % colours) })
    (frame.x, frame.y, frame.isInterlaced, frame.transparent) = (place.x, place.y, true, transparent)
    return DrawnAnimation(
        width: screen?.width ?? width, height: screen?.height ?? height, palette: palette,
        frames: Array(repeating: frame, count: frames), loop: nil
    ).gif()
}

/// Returns a gradient with some noise, so that no format compresses it to a few bytes.
func drawn(_ width: Int, _ height: Int, channels: Int = 3) -> PixelBuffer {
    var random = SeededRandom(seed: 5)
    let noise = random.bytes(width * height * channels)
    let bytes = (0..<width * height * channels).map { index in
        UInt8(truncatingIfNeeded: index / channels % width * 3 + index / (width * channels) * 2)
            &+ noise[index] % 16
    }
    return PixelBuffer(size: PixelSize(width: width, height: height), channels: channels, bytes: bytes)
}

func progressiveJPEG(_ width: Int = 120, _ height: Int = 90) throws -> [UInt8] {
    var options = EncodeOptions(format: .jpeg)
    options.isProgressive = true
    return try encode(drawn(width, height), options)
}

func interlacedPNG(_ width: Int, _ height: Int, channels: Int = 3) throws -> [UInt8] {
    var options = EncodeOptions(format: .png)
    options.isProgressive = true
    return try encode(drawn(width, height, channels: channels), options)
}
