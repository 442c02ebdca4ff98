/// Metadata to embed in an output.
public struct PictureMetadata: Sendable, Hashable {
    /// An ICC profile; nil for sRGB.
    public var profile: [UInt8]?
    /// EXIF as a TIFF structure from its byte order mark (CIPA DC-008 4.5), without JPEG's `Exif` prefix.
    public var exif: [UInt8]?
    /// An XMP packet (ISO 16684-1), without a container's prefix.
    public var xmp: [UInt8]?

    public init(profile: [UInt8]? = nil, exif: [UInt8]? = nil, xmp: [UInt8]? = nil) {
        self.profile = profile
        self.exif = exif
        self.xmp = xmp
    }

    public var isEmpty: Bool { profile == nil && exif == nil && xmp == nil }
}

extension PictureMetadata {
    /// Returns the profile if it is valid for a gray or RGB output (ICC.1:2022 §7.2, the signature at 36 and the colour
    /// space at 16). Readers would reject other profiles, or show wrong colours.
    func profile(isGray: Bool) -> [UInt8]? {
        guard let profile, profile.count >= 128, profile[36..<40].elementsEqual("acsp".utf8),
            profile[16..<20].elementsEqual(isGray ? "GRAY".utf8 : "RGB ".utf8)
        else { return nil }
        return profile
    }

    /// Calls `body` with the profile, EXIF and XMP. Absent data has a nil address.
    func withPointers<Result>(
        isGray: Bool,
        _ body: (
            _ profile: UnsafeBufferPointer<UInt8>, _ exif: UnsafeBufferPointer<UInt8>, _ xmp: UnsafeBufferPointer<UInt8>
        ) throws -> Result
    ) rethrows -> Result {
        func withPointer(_ bytes: [UInt8]?, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
            guard let bytes, !bytes.isEmpty else { return try body(UnsafeBufferPointer(start: nil, count: 0)) }
            return try bytes.withUnsafeBufferPointer(body)
        }
        return try withPointer(profile(isGray: isGray)) { profile in
            try withPointer(exif) { exif in try withPointer(xmp) { try body(profile, exif, $0) } }
        }
    }
}
