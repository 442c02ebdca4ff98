import CCodecs
import Support

/// The compression of a GIF's pixels (GIF89a appendix F).
enum LZW {
    /// Returns the bits of an index that can hold the highest index of a frame: 2 to 8.
    static func depth(highest: UInt8) -> Int { max(UInt8.bitWidth - highest.leadingZeroBitCount, 2) }

    /// Returns the compressed data, without sub-blocks. Each pixel gets the one of its `choices` that compresses best.
    ///
    /// - Parameters:
    ///   - choices: the indices of each pixel. If there are fewer than `choicesPerPixel`, the first is repeated after
    ///     the last.
    ///   - depth: bits of an index, 2 to 8.
    ///   - lookAhead: 0 to 3; see `apod_lzw_open`.
    static func compressed(
        _ choices: [UInt8], choicesPerPixel: Int, depth: Int, lookAhead: Int, checking drain: ByteDrain
    ) throws -> [UInt8] {
        try choices.withUnsafeBufferPointer { choices in
            guard
                let lzw = apod_lzw_open(
                    choices.baseAddress!, Int32(choicesPerPixel), choices.count / choicesPerPixel, Int32(depth),
                    Int32(lookAhead))
            else { throw ImageError.outOfMemory }
            defer { apod_lzw_close(lzw) }
            while apod_lzw_step(lzw) != 0 { try drain.checkpoint(nil) }
            var count = 0
            let bytes = apod_lzw_finish(lzw, &count)
            return Array(UnsafeBufferPointer(start: bytes, count: count))
        }
    }
}
