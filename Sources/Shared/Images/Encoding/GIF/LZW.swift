import CCodecs
import Support

/// The compression of a GIF's pixels (GIF89a appendix F).
enum LZW {
    /// Returns the number of bits per index, 2 to 8, for a frame with this highest index.
    static func depth(highest: UInt8) -> Int { max(UInt8.bitWidth - highest.leadingZeroBitCount, 2) }

    /// Returns the compressed data, without sub-blocks. Chooses the index among each pixel's `choices` that compresses
    /// best.
    ///
    /// - Parameters:
    ///   - choices: `choicesPerPixel` indices for each pixel. If a pixel has fewer indices, the first index is repeated
    ///     after the last.
    ///   - depth: bits per index, 2 to 8.
    ///   - lookAhead: 0 to 3; see `apod_lzw_open`.
    static func compressed(
        _ choices: [UInt8], choicesPerPixel: Int, depth: Int, lookAhead: Int, checking drain: EncoderOutput
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
