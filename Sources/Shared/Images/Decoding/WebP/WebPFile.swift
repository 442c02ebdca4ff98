import CWebP
import Formats

/// What the readers of still and animated WebPs share.
enum WebPFile {
    /// Bytes for each pixel that libwebp needs at most while it decodes a frame of any kind, without the output.
    static let decoderBytesPerPixel = 6

    /// The same for a frame of known kind. Measured with libwebp 1.2.4 as for HEIC (`HEIFMemory`): 0.0 without alpha, 2.0
    /// with alpha, 4.0 for a lossless one. Lossless pixels take 4 bytes, their predictors, colour transforms and code
    /// numbers up to a fourth of a byte each; alpha is 1 byte, and may be coded like lossless pixels.
    static func decoderBytesPerPixel(_ frame: WebPIterator) -> Int {
        guard let features = features(frame), features.format != 0 else { return decoderBytesPerPixel }
        return features.format == 2 ? 5 : features.has_alpha != 0 ? 6 : 1
    }

    /// What libwebp takes beside that for the code tables of a frame, if it is lossless or has alpha. Each block of 4 x
    /// 4 pixels may name tables of its own, so that 300 KB can ask for 360 MB.
    static func codeTableBytes(_ frame: WebPIterator) -> Int {
        guard let features = features(frame), features.format == 2 || features.has_alpha != 0 else { return 0 }
        return codeTableBytes(
            PixelSize(width: Int(frame.width), height: Int(frame.height)), fileBytes: frame.fragment.size)
    }

    /// For as many groups of five tables as there may be: one for each block, at most 65 536, each of which takes at
    /// least 20 bits of the file (WebP lossless bitstream, §6.2). A table has 256 entries of 4 bytes; those with more,
    /// up to four times as many, take far more of the file.
    static func codeTableBytes(_ size: PixelSize, fileBytes: Int) -> Int {
        let (blocks, overflow) = ((size.width + 3) / 4).multipliedReportingOverflow(by: (size.height + 3) / 4)
        return min(overflow ? .max : blocks, 1 << 16, fileBytes * 8 / 20) * 5700
    }

    /// Nil for a frame that libwebp does not read.
    private static func features(_ frame: WebPIterator) -> WebPBitstreamFeatures? {
        var features = WebPBitstreamFeatures()
        let status = WebPGetFeaturesInternal(
            frame.fragment.bytes, frame.fragment.size, &features, WEBP_DECODER_ABI_VERSION)
        return status == VP8_STATUS_OK ? features : nil
    }

    /// The profile that the file holds, or nil if there is none or it is larger than any real one.
    static func profile(_ demuxer: OpaquePointer) -> [UInt8]? {
        guard WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS) & ICCP_FLAG.rawValue != 0 else { return nil }
        var chunk = WebPChunkIterator()
        guard WebPDemuxGetChunk(demuxer, "ICCP", 1, &chunk) != 0 else { return nil }
        defer { WebPDemuxReleaseChunkIterator(&chunk) }
        guard chunk.chunk.size <= ColourTransform.profileByteLimit else { return nil }
        return Array(UnsafeBufferPointer(start: chunk.chunk.bytes, count: chunk.chunk.size))
    }
}
