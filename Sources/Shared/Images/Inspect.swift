import Formats
import Support

/// Reads a picture's header, and checks it against `limits`, in a few small reads; no pixel is decoded. Throws
/// `FormatFailure`, `ImageError`, and errors of the source.
///
/// - Parameter page: the page of a TIFF, counted from 0; ignored for other formats.
public func inspect(
    _ source: some ByteSource, limits: DecodeLimits = .standard, page: Int = 0
) throws -> ImageHeader {
    try limits.check(bytes: source.count)
    let header = try ImageHeader.read(source, page: page)
    try limits.check(pixels: header.storedSize)
    return header
}

/// Reads a picture's header, checks that the picture is whole, and then checks it against the limits. A picture with a
/// fault that the options allow passes, with `isTruncated` or `isDamaged` set. Throws as `inspect` does.
public func inspectWhole(
    _ source: some ByteSource, options: DecodeOptions, page: Int = 0
) throws -> ImageHeader {
    try options.limits.check(bytes: source.count)
    var header = try ImageHeader.read(source, page: page)
    let fits = (try? options.limits.check(pixels: header.storedSize)) != nil
    // The decoder of a PNG verifies the checksums of a still picture, but of an animation only the checksums of drawn
    // frames.
    let isVerified = fits && header.isAnimated == false && !header.hidesStill
    if !fits || !header.format.decoderChecksEnd {
        try options.checkEnd(of: source, &header, verifiesChecksums: !isVerified)
    }
    try options.limits.check(pixels: header.storedSize)
    return header
}

extension ImageFormat {
    /// Whether `inspectWhole` leaves the check of a picture's end to the decoder.
    public var decoderChecksEnd: Bool { ImageDecoder.of(self).checksEnd }
}

extension DecodeOptions {
    /// Checks the rest of a picture as `ImageInspection` does, and notes the faults that are allowed.
    public func checkEnd(
        of source: some ByteSource, _ header: inout ImageHeader, verifiesChecksums: Bool = true
    ) throws {
        do {
            try ImageInspection.checkEnd(of: source, &header, verifiesChecksums: verifiesChecksums)
        } catch let fault as FormatFailure where allows(fault) {
            if case .truncated = fault { header.isTruncated = true } else { header.isDamaged = true }
        }
    }

    /// Whether a picture with this fault is shown as far as possible.
    public func allows(_ fault: FormatFailure) -> Bool {
        switch fault {
        case .truncated: allowsTruncated
        case .corrupt: allowsDamage
        default: false
        }
    }
}
