import CZlib
import Formats
import Store
import Support

/// Writes a PNG of packed rows at zlib's fastest level (PNG §5, §9, §10).
///
/// Other PNGs are written with libpng, but `img-cache` would need libpng only for previews. For the rows of previews,
/// libpng also takes more instructions, because it must search for repeated rows: 4 % more for the sixth pass of a
/// picture of 2000x1500 pixels, and 22 % more for the first pass.
final class PNGOutput {
    /// The filters in use: `none` for a row that is stored unchanged, `up` for a row that repeats the row above.
    private enum Filter { static let none: UInt8 = 0, up: UInt8 = 2 }

    private let output: any ByteSink
    /// Allocated at a fixed address, since zlib keeps a pointer to its state.
    private let zlib: UnsafeMutablePointer<z_stream>
    private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    init(_ output: any ByteSink) throws {
        self.output = output
        zlib = .allocate(capacity: 1)
        zlib.initialize(to: z_stream())
        let status = deflateInit_(zlib, Z_BEST_SPEED, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { throw PreviewFailure.outOfMemory }
        zlib.pointee.next_out = room.assumingMemoryBound(to: UInt8.self).baseAddress
        zlib.pointee.avail_out = uInt(room.count)
        try write(PNGHeader.signature)
    }

    deinit {
        deflateEnd(zlib)
        zlib.deallocate()
        room.deallocate()
    }

    /// Writes the header of a non-interlaced picture (PNG §11.2.1).
    func writeHeader(_ size: PixelSize, depth: UInt8, colourType: UInt8) throws {
        let sides = Self.bigEndian(UInt32(size.width)) + Self.bigEndian(UInt32(size.height))
        try write("IHDR", sides + [depth, colourType, 0, 0, 0])
    }

    func write(_ type: FourCC, _ body: [UInt8]) throws {
        try body.withUnsafeBytes { try writeChunk(type, $0) }
    }

    /// Writes the pixels and the final chunk.
    ///
    /// - Parameters:
    ///   - rows: packed rows of `rowBytes` without gaps.
    ///   - row: returns the index in `rows` of a row of the picture.
    func finish(_ height: Int, of rows: [UInt8], rowBytes: Int, row: (Int) throws -> Int) throws {
        let repeated = [Filter.up] + [UInt8](repeating: 0, count: rowBytes)
        var last: Int?
        for y in 0..<height {
            let number = try row(y)
            let pixels = rows[number * rowBytes..<(number + 1) * rowBytes]
            try deflate(number == last ? repeated : [Filter.none] + pixels, Z_NO_FLUSH)
            last = number
        }
        try deflate([], Z_FINISH)
        try flush()
        try write("IEND", [])
    }

    private func deflate(_ bytes: [UInt8], _ mode: Int32) throws {
        try bytes.withUnsafeBufferPointer { bytes in
            // zlib only reads from `next_in`.
            zlib.pointee.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
            zlib.pointee.avail_in = uInt(bytes.count)
            while true {
                let status = CZlib.deflate(zlib, mode)
                guard status == Z_OK || status == Z_BUF_ERROR || status == Z_STREAM_END else {
                    throw PreviewFailure.outOfMemory
                }
                if zlib.pointee.avail_out > 0 { return }
                try flush()
            }
        }
    }

    private func flush() throws {
        let count = room.count - Int(zlib.pointee.avail_out)
        if count > 0 { try writeChunk("IDAT", UnsafeRawBufferPointer(rebasing: room[..<count])) }
        zlib.pointee.next_out = room.assumingMemoryBound(to: UInt8.self).baseAddress
        zlib.pointee.avail_out = uInt(room.count)
    }

    private func writeChunk(_ type: FourCC, _ body: UnsafeRawBufferPointer) throws {
        let name = Self.bigEndian(type.code)
        try write(Self.bigEndian(UInt32(body.count)) + name)
        try output.write(body)
        // For a null pointer, `crc32` returns the initial value.
        let named = crc32(0, name, 4)
        let sum =
            body.isEmpty
            ? named : crc32(named, body.assumingMemoryBound(to: UInt8.self).baseAddress, uInt(body.count))
        try write(Self.bigEndian(UInt32(truncatingIfNeeded: sum)))
    }

    private func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try output.write($0) } }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
