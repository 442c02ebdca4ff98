import CacheTools
import Fetch
import Formats
import Store
import Support

/// Writes what a picture shows once a scan is complete, from a file that holds at least that much of it.
///
/// * **JPEG**: the bytes up to the scan's end and an end marker, so that nothing is decoded or lost.
/// * **PNG**: the passes so far, each pixel filling its Adam7 block, in the original's own kind of pixels,
///   with its palette, profile and orientation.
/// * **GIF**: the passes so far of the first image, rows repeated downwards, as a PNG of the same colours.
///
/// The engine in `Images` is not used: it makes `img-cache` 20 % larger, every start 6 % longer, and a preview of a PNG
/// takes four times as long.
///
/// A PNG or GIF takes memory for the rows that have come (`PreviewLimits.maxPictureBytes` at most), a JPEG none to
/// speak of. Equal files and scans give equal bytes. Throws `PreviewFailure`, `SystemFailure`, `Cancelled`.
struct PreviewDrawing {
    let file: any ByteSource
    let limits: PreviewLimits
    let interruption: Interruption

    /// The format that previews of a picture have.
    static func format(of original: ImageFormat) -> ImageFormat { original == .jpeg ? .jpeg : .png }

    func draw(_ scan: CompleteScan, of format: ImageFormat, to output: any ByteSink) throws {
        switch format {
        case .jpeg: try drawJPEG(scan, to: output)
        case .png: try PNGPreview(self, pass: scan.number).write(to: output)
        case .gif: try GIFPreview(self, pass: scan.number).write(to: output)
        case .webp, .tiff, .avif, .heic, .jpegXL: throw PreviewFailure.damaged
        }
    }

    private func drawJPEG(_ scan: CompleteScan, to output: any ByteSink) throws {
        var count = 0
        try forEachPiece(upTo: scan.end) { piece in
            try output.write(piece)
            count += piece.count
            return true
        }
        guard count == scan.end else { throw PreviewFailure.damaged }
        try output.write([0xFF, 0xD9] as [UInt8])
    }

    /// Gives the file's bytes from the beginning up to `end`, for as long as `body` says that it wants more.
    func forEachPiece(upTo end: Int = .max, _ body: (UnsafeRawBufferPointer) throws -> Bool) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < end {
            try interruption.check()
            let room = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, end - offset)])
            let count = try file.read(into: room, at: offset)
            guard count > 0, try body(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return }
            offset += count
        }
    }
}
