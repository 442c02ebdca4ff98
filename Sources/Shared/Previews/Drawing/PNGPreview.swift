import CKernels
import Formats
import Support

/// Draws an interlaced PNG after a pass, in the original's pixel format. Keeps the decoded rows in memory: an eighth of
/// the picture after the first pass, half of the picture after the sixth pass.
struct PNGPreview {
    private let drawing: PreviewDrawing
    private let known: KnownRows

    init(_ drawing: PreviewDrawing, pass: Int) throws {
        self.drawing = drawing
        known = KnownRows(after: pass)
        let reader = InterlacedPNGReader(limits: drawing.limits) { [known] in known.take(pass: $0, $1, shape: $2) }
        try drawing.forEachPiece { piece in
            reader.take(piece) { _ in }
            return !known.isWhole && !reader.isOver
        }
        guard known.isWhole else { throw PreviewFailure.damaged }
    }

    func write(to output: any ByteSink) throws {
        guard let shape = known.shape else { throw PreviewFailure.damaged }
        let png = try PNGOutput(output)
        try png.writeHeader(shape.size, depth: UInt8(shape.header.depth), colourType: shape.header.colourType)
        try copyChunks(to: png)
        try png.finish(shape.size.height, of: known.bytes, rowBytes: shape.rowBytes(shape.size.width)) { y in
            try drawing.interruption.check()
            return y / known.blockRows
        }
    }

    /// The copied chunks, which precede the pixels and affect their appearance (PNG §11.3, table 5.1).
    private static let kept: [FourCC] = [
        "PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "sBIT", "bKGD", "pHYs", "eXIf",
    ]
    /// The maximum length of a copied chunk. A printer profile has several hundred KB; other chunks are far smaller.
    private static let keptLimit = 4 << 20
    private static let chunkLimit = 256

    private func copyChunks(to png: PNGOutput) throws {
        var offset = 8
        for _ in 0..<Self.chunkLimit {
            let head = try drawing.file.bytes(offset..<offset + 8)
            guard head.count == 8 else { return }
            let length = ByteOrder.bigEndian.number(head[..<4])
            let type = FourCC(UInt32(ByteOrder.bigEndian.number(head[4...])))
            if type == "IDAT" { return }
            if Self.kept.contains(type), length <= Self.keptLimit {
                let body = try drawing.file.bytes(offset + 8..<offset + 8 + length)
                guard body.count == length else { throw PreviewFailure.damaged }
                try png.write(type, body)
            }
            offset += 12 + length
        }
    }
}

/// A packed row for each row of Adam7 blocks. Each pixel is repeated across the width of its block until a later pass
/// overwrites it.
private final class KnownRows {
    let pass: Int
    private(set) var shape: InterlacedPNGShape?
    private(set) var bytes: [UInt8] = []
    private var current: PassRows?

    init(after pass: Int) { self.pass = pass }

    var blockRows: Int { InterlacedPNGShape.passes[pass - 1].blockHeight }

    var isWhole: Bool {
        guard let shape, let current, current.isWhole else { return false }
        return current.pass == shape.lastPass(upTo: pass)
    }

    func take(pass: Int, _ filtered: UnsafeRawBufferPointer, shape: InterlacedPNGShape) {
        guard pass <= self.pass, !isWhole else { return }
        if self.shape == nil {
            self.shape = shape
            // `bytes` is not larger than the picture, whose size the reader has checked.
            let rows = (shape.size.height + blockRows - 1) / blockRows
            bytes = [UInt8](repeating: 0, count: shape.rowBytes(shape.size.width) * rows)
        }
        var rows = current?.pass == pass ? current : nil
        current = nil
        if rows == nil { rows = PassRows(pass: pass, shape: shape) }
        rows?.take(filtered) { y, row in place(row, y, of: pass, shape) }
        current = rows
    }

    private func place(_ row: [UInt8], _ y: Int, of pass: Int, _ shape: InterlacedPNGShape) {
        let pass = InterlacedPNGShape.passes[pass - 1]
        let width = shape.size.width
        let start = (pass.y + y * pass.down) / blockRows * shape.rowBytes(width)
        let (size, bits) = (shape.pixelBytes, shape.bitsPerPixel)
        bytes.withUnsafeMutableBufferPointer { bytes in
            for (index, x) in stride(from: pass.x, to: width, by: pass.across).enumerated() {
                for column in x..<min(x + pass.blockWidth, width) {
                    if bits < 8 {
                        // The leftmost pixel has the highest bits (§7.2).
                        let mask = UInt8(1 << bits - 1)
                        let value = row[index * bits / 8] >> UInt8(8 - bits - index * bits % 8) & mask
                        let shift = UInt8(8 - bits - column * bits % 8)
                        let target = start + column * bits / 8
                        bytes[target] = bytes[target] & ~(mask << shift) | value << shift
                    } else {
                        for sample in 0..<size { bytes[start + column * size + sample] = row[index * size + sample] }
                    }
                }
            }
        }
    }
}

/// Unfilters the rows of a pass as their bytes arrive (PNG §9).
private struct PassRows {
    let pass: Int
    private let pixelBytes: Int
    private let height: Int
    private let level = apod_kernel_best()
    /// The received bytes of the current row: its filter type, then the filtered pixels.
    private var filtered: [UInt8] = []
    private var row: [UInt8]
    private var above: [UInt8]
    private var y = 0

    init(pass: Int, shape: InterlacedPNGShape) {
        self.pass = pass
        pixelBytes = shape.pixelBytes
        height = shape.size(of: pass).height
        row = [UInt8](repeating: 0, count: shape.rowBytes(shape.size(of: pass).width))
        above = row
    }

    var isWhole: Bool { y == height }

    mutating func take(_ bytes: UnsafeRawBufferPointer, receive: (Int, [UInt8]) -> Void) {
        var index = 0
        while index < bytes.count, y < height {
            let count = min(1 + row.count - filtered.count, bytes.count - index)
            filtered += UnsafeRawBufferPointer(rebasing: bytes[index..<index + count])
            index += count
            guard filtered.count == 1 + row.count else { return }
            let pixels = Array(filtered.dropFirst())
            // Treats an unknown filter as no filter. A decoder would refuse it.
            let filter = Int32(filtered[0])
            if apod_unfilter(level, filter, pixelBytes, pixels, above, &row, row.count) != 0 { row = pixels }
            receive(y, row)
            swap(&row, &above)
            filtered.removeAll(keepingCapacity: true)
            y += 1
        }
    }
}
