import Formats
import Support

/// Reads a picture's header and checks it against `limits`. Takes a few small reads and decodes no pixels. Throws
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

/// Reads a picture's header, checks that the picture is complete, and then checks it against the limits. Faults that
/// the options allow set `isTruncated` or `isDamaged`. Throws the same errors as `inspect`.
public func inspectWhole(
    _ source: some ByteSource, options: DecodeOptions, page: Int = 0
) throws -> ImageHeader {
    try options.limits.check(bytes: source.count)
    var header = try ImageHeader.read(source, page: page)
    let fits = (try? options.limits.check(pixels: header.storedSize)) != nil
    // The PNG decoder verifies all checksums of a still picture, but only the checksums of drawn frames of an
    // animation.
    let isVerified = fits && header.isAnimated == false && !header.hasSeparateStaticImage
    if !fits || !header.format.decoderChecksEnd {
        try options.checkEnd(of: source, &header, verifiesChecksums: !isVerified)
    }
    try options.limits.check(pixels: header.storedSize)
    return header
}

extension ImageFormat {
    /// Whether the decoder checks the end of a picture. `inspectWhole` then omits this check.
    public var decoderChecksEnd: Bool { ImageDecoder.of(self).checksEnd }
}

extension DecodeOptions {
    /// Checks the rest of a picture with `ImageInspection`. Records allowed faults in the header.
    public func checkEnd(
        of source: some ByteSource, _ header: inout ImageHeader, verifiesChecksums: Bool = true
    ) throws {
        do {
            try ImageInspection.checkEnd(of: source, &header, verifiesChecksums: verifiesChecksums)
        } catch let fault as FormatFailure where allows(fault) {
            if case .truncated = fault { header.isTruncated = true } else { header.isDamaged = true }
        }
    }

    /// Whether a picture with this fault is decoded as far as possible, instead of being rejected.
    public func allows(_ fault: FormatFailure) -> Bool {
        switch fault {
        case .truncated: allowsTruncated
        case .corrupt: allowsDamage
        default: false
        }
    }
}
