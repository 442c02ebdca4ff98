import CacheTools
import Fetch
import Formats
import Store
import Support

/// Writes the picture after a complete scan, from a file with at least the bytes of that scan.
///
/// * **JPEG**: the bytes up to the end of the scan and an end marker, without decoding or loss.
/// * **PNG**: the passes so far, each pixel filling its Adam7 block, in the original's pixel format, with its palette,
///   profile and orientation.
/// * **GIF**: the passes so far of the first image, rows repeated downwards, as a PNG of the same colours.
///
/// Does not use the engine in `Images`, which would make `img-cache` 20 % larger and every start 6 % longer, and take
/// four times as long for a preview of a PNG.
///
/// Memory: for PNG and GIF the known rows (`PreviewLimits.maxPictureBytes` at most), for JPEG almost none. Equal files
/// and scans produce equal bytes. Throws `PreviewFailure`, `SystemFailure`, `Cancelled`.
struct PreviewDrawing {
    let file: any ByteSource
    let limits: PreviewLimits
    let interruption: Interruption

    /// Returns the format of previews of a picture.
    static func format(of original: ImageFormat) -> ImageFormat { original == .jpeg ? .jpeg : .png }

    func draw(_ scan: CompleteScan, of format: ImageFormat, to output: any ByteSink) throws {
        switch format {
        case .jpeg: try drawJPEG(scan, to: output)
        case .png: try PNGPreview(self, pass: scan.number).write(to: output)
        case .gif: try GIFPreview(self, pass: scan.number).write(to: output)
        default: throw PreviewFailure.damaged
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

    /// Passes the bytes of the file up to `end` to `body`, until it returns false.
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
