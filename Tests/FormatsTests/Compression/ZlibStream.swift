import CZlib

/// Streams from zlib's compressor.
enum ZlibStream {
    /// - Parameters:
    ///   - level: 0 (stored) to 9.
    ///   - strategy: such as `Z_FIXED` or `Z_HUFFMAN_ONLY`.
    ///   - windowBits: 9 to 15.
    static func packed(
        _ bytes: [UInt8], level: Int32 = 6, strategy: Int32 = Z_DEFAULT_STRATEGY, windowBits: Int32 = 15
    ) -> [UInt8] {
        var stream = z_stream()
        let status = deflateInit2_(
            &stream, level, Z_DEFLATED, windowBits, 8, strategy, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(status == Z_OK)
        defer { deflateEnd(&stream) }
        var packed = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
        var bytes = bytes
        let count = bytes.count
        let made = bytes.withUnsafeMutableBufferPointer { bytes in
            packed.withUnsafeMutableBufferPointer { packed in
                stream.next_in = bytes.baseAddress
                stream.avail_in = uInt(count)
                stream.next_out = packed.baseAddress
                stream.avail_out = uInt(packed.count)
                precondition(deflate(&stream, Z_FINISH) == Z_STREAM_END)
                return packed.count - Int(stream.avail_out)
            }
        }
        return Array(packed[..<made])
    }
}
