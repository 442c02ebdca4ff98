import CWebP
import Formats

/// What the readers of still and animated WebPs share.
enum WebPFile {
    /// What libwebp takes for each pixel of a frame, beside those that it writes, while it decodes (1.2 to 1.5): a
    /// lossless one's pixels, 4 bytes, and its predictors, colour transforms and code numbers, each a fourth of a byte;
    /// a lossy one's alpha, 1 byte, which may be packed in the same way.
    static let decoderBytesPerPixel = 6

    /// What libwebp takes beside that for the code tables of a frame, if it is lossless or has alpha. Each block of 4 x
    /// 4 pixels may name tables of its own, so that 300 KB can ask for 360 MB.
    static func codeTableBytes(_ frame: WebPIterator) -> Int {
        var features = WebPBitstreamFeatures()
        let status = WebPGetFeaturesInternal(
            frame.fragment.bytes, frame.fragment.size, &features, WEBP_DECODER_ABI_VERSION)
        let isLossless = features.format == 2
        guard status == VP8_STATUS_OK, isLossless || features.has_alpha != 0 else { return 0 }
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
