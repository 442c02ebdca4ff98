import CKernels
import Fetch
import Formats
import Store
import Support
import Tools

/// An interlaced PNG after one of its passes. Takes memory for the known pixels alone: a 64th of the picture after the
/// first pass, half of it after the sixth.
struct PNGPreview {
    private let drawing: PreviewDrawing
    private let known: KnownPixels

    /// Reads the passes up to `pass`.
    init(_ drawing: PreviewDrawing, pass: Int) throws {
        self.drawing = drawing
        known = KnownPixels(after: pass)
        let reader = InterlacedPNGReader(limits: drawing.limits) { [known] in known.take(pass: $0, $1, shape: $2) }
        try drawing.forEachPiece { piece in
            reader.take(piece) { _ in }
            return !known.isWhole && !reader.isOver
        }
        guard known.isWhole else { throw PreviewFailure.damaged }
    }

    func write(to output: any ByteSink) throws {
        guard let shape = known.shape else { throw PreviewFailure.damaged }
        let png = try PNGOutput(output, rowBytes: shape.rowBytes(shape.size.width))
        try png.writeHeader(shape.size, depth: UInt8(shape.header.depth), colourType: shape.header.colourType)
        try copyChunks(to: png)
        let block = shape.block(after: known.pass)
        var y = 0
        while y < shape.size.height {
            try drawing.interruption.check()
            try png.write(row: known.row(y / block.height), count: min(block.height, shape.size.height - y))
            y += block.height
        }
        try png.finish()
    }

    /// What decides how pixels look, and stands before them (PNG §11.3, table 5.1).
    private static let kept: [FourCC] = [
        "PLTE", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "sBIT", "bKGD", "pHYs", "eXIf",
    ]
    /// A profile of a printer has some hundred KB; nothing else here comes near that.
    private static let keptLimit = 4 << 20
    /// Chunks before the pixels that are looked at.
    private static let chunkLimit = 256

    /// Copies what stands before the pixels and belongs to how they look.
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

/// The pixels of the passes that are complete, close together, a byte or more each.
private final class KnownPixels {
    let pass: Int
    private(set) var shape: InterlacedPNGShape?
    private var columns = 0
    private var bytes: [UInt8] = []
    private var current: PassRows?
    private(set) var isWhole = false

    init(after pass: Int) { self.pass = pass }

    /// Takes the next filtered bytes of a pass.
    func take(pass: Int, _ bytes: UnsafeRawBufferPointer, shape: InterlacedPNGShape) {
        guard pass <= self.pass, !isWhole else { return }
        if self.shape == nil { begin(shape) }
        if current?.pass != pass { current = PassRows(pass: pass, shape: shape) }
        var rows = current
        current = nil
        rows?.take(bytes) { y, row in place(row, y, of: pass, shape) }
        current = rows
        let last = (1...self.pass).last { shape.size(of: $0).width > 0 }
        isWhole = pass == last && current?.isWhole == true
    }

    private func begin(_ shape: InterlacedPNGShape) {
        self.shape = shape
        let block = shape.block(after: pass)
        columns = (shape.size.width + block.width - 1) / block.width
        let rows = (shape.size.height + block.height - 1) / block.height
        // At most the bytes of the picture, which the reader has checked against the limit.
        bytes = [UInt8](repeating: 0, count: columns * rows * shape.pixelBytes)
    }

    /// Puts the pixels of a pass's row to where they belong.
    private func place(_ row: [UInt8], _ y: Int, of pass: Int, _ shape: InterlacedPNGShape) {
        let (origin, step) = shape.place(of: pass)
        let block = shape.block(after: self.pass)
        let size = shape.pixelBytes
        var target = ((origin.y + y * step.y) / block.height * columns + origin.x / block.width) * size
        let stride = step.x / block.width * size
        let bits = shape.bitsPerPixel
        let count = shape.size(of: pass).width
        bytes.withUnsafeMutableBufferPointer { bytes in
            if bits < 8 {
                // The leftmost pixel has the highest bits (§7.2).
                for x in 0..<count {
                    let place = x * bits
                    bytes[target] = row[place / 8] >> UInt8(8 - bits - place % 8) & UInt8(1 << bits - 1)
                    target += stride
                }
                return
            }
            for x in 0..<count {
                for sample in 0..<size { bytes[target + sample] = row[x * size + sample] }
                target += stride
            }
        }
    }

    /// A row of the whole picture, packed, that the known row `index` stands for.
    func row(_ index: Int) -> [UInt8] {
        guard let shape else { return [] }
        let width = shape.size.width
        let block = shape.block(after: pass).width
        let size = shape.pixelBytes
        let bits = shape.bitsPerPixel
        var row = [UInt8](repeating: 0, count: shape.rowBytes(width))
        let start = index * columns * size
        if bits < 8 {
            for x in 0..<width {
                row[x * bits / 8] |= bytes[start + x / block] << UInt8(8 - bits - x * bits % 8)
            }
            return row
        }
        var target = 0
        for column in 0..<columns {
            let source = start + column * size
            for _ in 0..<min(block, width - column * block) {
                for sample in 0..<size { row[target + sample] = bytes[source + sample] }
                target += size
            }
        }
        return row
    }
}

/// The rows of one pass, whose filters are undone as their bytes come (PNG §9).
private struct PassRows {
    let pass: Int
    private let pixelBytes: Int
    private let height: Int
    private let level = apod_kernel_best()
    private var filter: UInt8?
    private var filtered: [UInt8]
    private var filled = 0
    private var row: [UInt8]
    private var above: [UInt8]
    private var y = 0

    init(pass: Int, shape: InterlacedPNGShape) {
        self.pass = pass
        pixelBytes = shape.pixelBytes
        height = shape.size(of: pass).height
        row = [UInt8](repeating: 0, count: shape.rowBytes(shape.size(of: pass).width))
        filtered = row
        above = row
    }

    var isWhole: Bool { y == height }

    mutating func take(_ bytes: UnsafeRawBufferPointer, receive: (Int, [UInt8]) -> Void) {
        var index = 0
        while index < bytes.count, y < height {
            guard let filter else {
                filter = bytes[index]
                index += 1
                continue
            }
            let count = min(row.count - filled, bytes.count - index)
            filtered.withUnsafeMutableBytes {
                UnsafeMutableRawBufferPointer(rebasing: $0[filled...]).copyBytes(from: bytes[index..<index + count])
            }
            filled += count
            index += count
            guard filled == row.count else { return }
            // An unknown filter, which a decoder refuses, is taken for none: it is only a preview.
            if apod_unfilter(level, Int32(filter), pixelBytes, filtered, above, &row, row.count) != 0 { row = filtered }
            receive(y, row)
            swap(&row, &above)
            (self.filter, filled) = (nil, 0)
            y += 1
        }
    }
}
