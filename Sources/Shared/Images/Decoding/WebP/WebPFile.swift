import CWebP
import Formats
import Support

/// Reads a WebP, still or animated, and its ICC profile, and estimates the memory to decode it.
enum WebPFile {
    /// Reads all bytes of the source, in pieces. Returns them and their number.
    static func read(_ source: any ByteSource, _ options: DecodeOptions) throws -> (AlignedBuffer, count: Int) {
        let file = AlignedBuffer(count: source.count)
        var count = 0
        while count < source.count {
            try options.check()
            let rest = UnsafeMutableRawBufferPointer(
                start: file.bytes + count, count: min(source.count - count, 1 << 20))
            let got = try source.read(into: rest, at: count)
            if got == 0 { break }
            count += got
        }
        return (file, count)
    }

    /// The maximum memory per pixel that libwebp needs to decode a frame, in bytes, without the output.
    static let decoderBytesPerPixel = 6

    /// The memory per pixel that libwebp needs to decode this frame, in bytes, without the output. Measured with
    /// libwebp 1.2.4 as for HEIC (`HEIFMemory`): 0.0 without alpha, 2.0 with alpha, 4.0 for a lossless frame. Lossless
    /// pixels take 4 bytes, and their predictors, colour transforms and code numbers up to a fourth of a byte each.
    /// Alpha takes 1 byte and may be coded like lossless pixels.
    static func decoderBytesPerPixel(_ frame: WebPIterator) -> Int {
        guard let features = features(frame), features.format != 0 else { return decoderBytesPerPixel }
        return features.format == 2 ? 5 : features.has_alpha != 0 ? 6 : 1
    }

    /// The additional memory of libwebp for the code tables of a frame that is lossless or has alpha, in bytes. Each
    /// block of 4 x 4 pixels may refer to its own tables, so a file of 300 KB can require 360 MB.
    static func codeTableBytes(_ frame: WebPIterator) -> Int {
        guard let features = features(frame), features.format == 2 || features.has_alpha != 0 else { return 0 }
        return codeTableBytes(
            PixelSize(width: Int(frame.width), height: Int(frame.height)), fileBytes: frame.fragment.size)
    }

    /// Assumes the maximum number of table groups. There are at most as many groups as blocks, at most 65 536, and each
    /// group takes at least 20 bits of the file (WebP lossless bitstream, §6.2). A group has five tables, each with 256
    /// entries of 4 bytes. A table may have up to four times as many entries, but then takes far more bytes of the
    /// file.
    static func codeTableBytes(_ size: PixelSize, fileBytes: Int) -> Int {
        let (blocks, overflow) = ((size.width + 3) / 4).multipliedReportingOverflow(by: (size.height + 3) / 4)
        return min(overflow ? .max : blocks, 1 << 16, fileBytes * 8 / 20) * 5700
    }

    static func isLossy(_ frame: WebPIterator) -> Bool { features(frame)?.format == 1 }

    /// Returns nil for a frame that libwebp cannot read.
    private static func features(_ frame: WebPIterator) -> WebPBitstreamFeatures? {
        var features = WebPBitstreamFeatures()
        let status = WebPGetFeaturesInternal(
            frame.fragment.bytes, frame.fragment.size, &features, WEBP_DECODER_ABI_VERSION)
        return status == VP8_STATUS_OK ? features : nil
    }

    /// The embedded profile; nil if it is missing, or larger than `profileByteLimit`.
    static func profile(_ demuxer: OpaquePointer) -> [UInt8]? {
        guard WebPDemuxGetI(demuxer, WEBP_FF_FORMAT_FLAGS) & ICCP_FLAG.rawValue != 0 else { return nil }
        var chunk = WebPChunkIterator()
        guard WebPDemuxGetChunk(demuxer, "ICCP", 1, &chunk) != 0 else { return nil }
        defer { WebPDemuxReleaseChunkIterator(&chunk) }
        guard chunk.chunk.size <= ColourTransform.profileByteLimit else { return nil }
        return Array(UnsafeBufferPointer(start: chunk.chunk.bytes, count: chunk.chunk.size))
    }

    static let invalidContainer = ImageError.corrupt(.webp, "an invalid container")
}
